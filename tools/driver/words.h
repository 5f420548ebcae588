/* SPDX-License-Identifier: MIT */
/* words.h - reads a command line as clang does, with the contents of response files. */
#ifndef SPOOR_DRIVER_WORDS_H
#define SPOOR_DRIVER_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct word {
	const char *text;
	int argument;	/* the command-line argument that it is or comes from */
	bool ours;	/* an option for the driver, not for clang */
	bool drained;	/* comes from a file that can be read only once, such as a pipe */
};

struct words {
	struct word *list;
	size_t count, room;
	char **contents;	/* of response files; the words point into them */
	size_t content_count;
};

void words_free(struct words *words);

/* Returns 0 or -ENOMEM. */
int words_add(struct words *words, const char *text, int argument);

/*
 * words_add_argument - adds an argument, or for "@file" the words in that file.
 *
 * A file that cannot be read stays "@file", as with clang.
 *
 * Returns 0, -ENOMEM, or -ELOOP if files include each other more than 16 deep.
 */
int words_add_argument(struct words *words, const char *text, int argument);

#endif
