/* SPDX-License-Identifier: MIT */
/*
 * short_types.h - the state of short_name.c while it reads a demangled name, and the rules for types: which
 * template arguments are defaults, and which types have usual names.
 */
#ifndef SPOOR_READER_SHORT_TYPES_H
#define SPOOR_READER_SHORT_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "text/demangled.h"

struct shortener {
	const char *in;		/* the rest of the demangled name */
	bool is_rust;
	int depth;		/* number of brackets that are open */
	size_t used;
	/* Room for one more name, because "{lambda#1}" is longer than "$_0". Longer output is cut. */
	char out[2 * SPOOR_NAME_BYTES];
};

static inline bool shortener_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
	       (unsigned char)c >= 0x80;
}

static inline void shortener_add(struct shortener *at, const char *text, size_t length)
{
	size_t room = sizeof(at->out) - at->used;

	length = length < room ? length : room;
	memcpy(at->out + at->used, text, length);
	at->used += length;
}

static inline void shortener_add_text(struct shortener *at, const char *text)
{
	shortener_add(at, text, strlen(text));
}

/* Copies @length characters of the input. */
static inline void shortener_copy(struct shortener *at, size_t length)
{
	shortener_add(at, at->in, length);
	at->in += length;
}

/* Returns whether the input goes on with @text. */
static inline bool shortener_at(const struct shortener *at, const char *text)
{
	return strncmp(at->in, text, strlen(text)) == 0;
}

static inline bool shortener_ends_with(const struct shortener *at, const char *text)
{
	size_t length = strlen(text);

	return at->used >= length && memcmp(at->out + at->used - length, text, length) == 0;
}

void shortener_add_number(struct shortener *at, const char *before, long number, const char *after);

/* Returns whether the output, without its last @after bytes, ends with a lambda: "{lambda#1}". */
bool shortener_ends_lambda(const struct shortener *at, size_t after);

/* Returns the end of the group in parentheses that begins at @group: after its ')', or the end of the text. */
const char *shortener_group_end(const char *group);

/* Copies the last part of a path of Rust's libraries, such as "Vec" of "alloc::vec::Vec". Returns whether the input
 * is one. */
bool shortener_take_rust_path(struct shortener *at);

/* The template arguments that are being written: positions in the output. */
struct type_arguments {
	size_t begin;		/* of '<' */
	size_t first, first_end;	/* the first argument */
	size_t current;		/* the argument that is being written */
	size_t kept_end;	/* of the last argument that is not a default */
	unsigned count;
	unsigned telling;	/* number of arguments that are kept; 0: all but defaults */
};

struct type_arguments type_arguments_begin(const struct shortener *at);
void type_argument_begin(struct shortener *at, struct type_arguments *arguments);
void type_argument_end(struct shortener *at, struct type_arguments *arguments);

/* Drops the default arguments at the end, writes '>', and replaces types that have a usual name. */
void type_arguments_end(struct shortener *at, const struct type_arguments *arguments);

#endif
