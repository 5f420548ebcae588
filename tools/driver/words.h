/* SPDX-License-Identifier: MIT */
/* words.h - a command line as clang sees it, response files read in. */
#ifndef SPOOR_DRIVER_WORDS_H
#define SPOOR_DRIVER_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct word {
	const char *text;
	int argument;	/* the command-line argument that it is, or came from */
	bool ours;	/* means something to the driver, nothing to clang */
	bool drained;	/* comes from a file that can be read only once, such as a pipe */
};

struct words {
	struct word *list;
	size_t count, room;
	char **contents;	/* of response files, which words point into */
	size_t content_count;
};

void words_free(struct words *words);

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
