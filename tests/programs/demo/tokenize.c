/* SPDX-License-Identifier: MIT */
/*
 * tokenize.c - splits a text into words, by recursive descent over its brackets.
 *
 * The tokenizer distinguishes words, brackets and other characters. It accepts any text:
 * it skips extra closing brackets, and missing ones are assumed at the end of the text.
 */
#include "tokenize.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { DEPTH_LIMIT = 200 };

struct tokenizer {
	const char *cursor, *end;
	word_visitor *visit;
	void *context;
	struct outline outline;
};

static bool is_word_start(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void read_word(struct tokenizer *t)
{
	const char *word = t->cursor;

	while (t->cursor < t->end && is_word(*t->cursor))
		t->cursor++;
	t->outline.words++;
	t->visit(t->context, word, t->cursor - word);
}

/* Skips a number with its letters, so that 0x7fL contains no word. */
static void skip_number(struct tokenizer *t)
{
	while (t->cursor < t->end && is_word(*t->cursor))
		t->cursor++;
}

/* Reads until the bracket that closes this block, or until the end of the text. */
static void read_block(struct tokenizer *t, unsigned int depth)
{
	if (depth > t->outline.deepest)
		t->outline.deepest = depth;
	while (t->cursor < t->end) {
		char c = *t->cursor;

		if (is_word_start(c)) {
			read_word(t);
		} else if (isdigit((unsigned char)c)) {
			skip_number(t);
		} else if (memchr("([{", c, 3) && depth < DEPTH_LIMIT) {
			t->cursor++;
			t->outline.blocks++;
			read_block(t, depth + 1);
		} else {
			t->cursor++;
			if (memchr(")]}", c, 3) && depth > 0)
				return;
		}
	}
}

struct outline tokenize(const char *text, size_t length, word_visitor *visit, void *context)
{
	struct tokenizer t = {
		.cursor = text,
		.end = text + length,
		.visit = visit,
		.context = context,
	};

	read_block(&t, 0);
	return t.outline;
}
