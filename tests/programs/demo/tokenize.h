/* SPDX-License-Identifier: MIT */
/*
 * tokenize.h - libtokenize.so: finds the words of a source text, and how deeply its
 * brackets nest.
 */
#ifndef TOKENIZE_H
#define TOKENIZE_H

#include <stddef.h>

struct outline {
	size_t words;
	size_t blocks;		/* pairs of brackets */
	unsigned int deepest;	/* greatest depth of brackets in brackets */
};

/* Called for each word, which is an identifier of C. @word is not terminated by NUL. */
typedef void word_visitor(void *context, const char *word, size_t length);

struct outline tokenize(const char *text, size_t length, word_visitor *visit, void *context);

#endif
