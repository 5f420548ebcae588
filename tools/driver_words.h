/* SPDX-License-Identifier: MIT */
/* driver_words.h - a command line as clang sees it, response files read in. */
#ifndef SPOOR_DRIVER_WORDS_H
#define SPOOR_DRIVER_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct word {
	const char *text;
	int argument;	/* the command-line argument that it is, or came from */
	bool ours;	/* means something to the driver, nothing to clang */
};

/* Lives until the driver becomes clang; nothing is freed. */
struct words {
	struct word *list;
	size_t count, room;
};

/* Return: 0 or -ENOMEM. */
int words_add(struct words *words, const char *text, int argument);

/*
 * words_add_argument - adds an argument, or what the file has in it that it names as "@file".
 *
 * A file that cannot be read stays "@file", as clang does it.
 *
 * Return: 0, -ENOMEM, or -ELOOP if files name each other more than 16 deep.
 */
int words_add_argument(struct words *words, const char *text, int argument);

#endif
