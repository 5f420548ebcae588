/* SPDX-License-Identifier: MIT */
/*
 * tokenize.h - libtokenize.so: the words of a source text, and how deeply its
 * brackets nest.
 */
#ifndef TOKENIZE_H
#define TOKENIZE_H

#include <stddef.h>

struct outline {
	size_t words;
	size_t blocks;		/* pairs of brackets */
	unsigned int deepest;	/* brackets within brackets */
};

/* Called for each word, an identifier as C has it; @word is not terminated. */
typedef void word_visitor(void *context, const char *word, size_t length);

struct outline tokenize(const char *text, size_t length, word_visitor *visit, void *context);

#endif
