/* SPDX-License-Identifier: MIT */
/*
 * d_name.c - demangles D's linkage names with libiberty, whose output has no size limit.
 *
 * In a linkage name, "Q" and a number in base 26 refer back to a type or identifier, by its distance in
 * bytes. A type with two references to a type with two references doubles with each level. So the size
 * is computed before libiberty is called: a byte counts as one, and a reference as the text that it
 * refers to. The parser here knows the common types, to find the end of this text. For other types it
 * counts everything up to the reference.
 */
#include "text/d_name.h"

#include <libiberty/demangle.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Limit in bytes for the linkage name, and for the name with each reference replaced. */
#define SIZE_MAX_COUNTED ((uint64_t)64 << 10)
/* Limit for the nesting of types. */
#define DEPTH_MAX 256

struct name {
	const char *begin, *end;
};

static const char *skip_type(const struct name *name, const char *at, int depth);

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Skips "Q" and a number: upper case, the last digit in lower case. Returns the text after it, or null.
 * @target: out: the text that it refers to */
static const char *skip_reference(const struct name *name, const char *at, const char **target)
{
	const char *begin = at;
	size_t distance = 0;

	for (at++; *at >= 'A' && *at <= 'Z' && distance < SIZE_MAX_COUNTED; at++)
		distance = distance * 26 + (size_t)(*at - 'A');
	if (*at < 'a' || *at > 'z')
		return NULL;
	distance = distance * 26 + (size_t)(*at - 'a');
	if (distance == 0 || distance > (size_t)(begin - name->begin))
		return NULL;
	*target = begin - distance;
	return at + 1;
}

static const char *skip_number(const char *at, size_t *number)
{
	if (!is_digit(*at))
		return NULL;
	for (*number = 0; is_digit(*at); at++)
		*number = *number > SIZE_MAX_COUNTED ? *number : *number * 10 + (size_t)(*at - '0');
	return at;
}

/* Skips a number and as many bytes as it says. */
static const char *skip_counted(const struct name *name, const char *at)
{
	size_t length;

	at = skip_number(at, &length);
	return at && length <= (size_t)(name->end - at) ? at + length : NULL;
}

/* Skips a template's argument that is a value: an integer, a string, null. */
static const char *skip_value(const char *at)
{
	size_t number;

	switch (*at) {
	case 'n':
		return at + 1;
	case 'i':
	case 'N':
		return skip_number(at + 1, &number);
	case 'a':
	case 'w':
	case 'd':
		at = skip_number(at + 1, &number);
		if (!at || *at != '_')
			return NULL;
		for (at++; number--; at += 2)
			if (!at[0] || !at[1])
				return NULL;
		return at;
	default:
		return skip_number(at, &number);
	}
}

/* Skips an identifier, a reference to one, or an instance of a template. Returns null if there is none, or if
 * the parser does not know it. */
static const char *skip_symbol(const struct name *name, const char *at, int depth)
{
	const char *target;

	if (is_digit(*at))
		return skip_counted(name, at);
	if (*at == 'Q') {
		at = skip_reference(name, at, &target);
		return at && is_digit(*target) ? at : NULL;
	}
	if (depth > DEPTH_MAX || (strncmp(at, "__T", 3) != 0 && strncmp(at, "__U", 3) != 0))
		return NULL;
	at = skip_symbol(name, at + 3, depth + 1);
	while (at && *at != 'Z') {
		at += *at == 'H';
		switch (*at++) {
		case 'T':
			at = skip_type(name, at, depth + 1);
			break;
		case 'V':
			at = skip_type(name, at, depth + 1);
			at = at ? skip_value(at) : NULL;
			break;
		case 'S':
			do
				at = skip_symbol(name, at, depth + 1);
			while (at && (is_digit(*at) || *at == '_'));
			break;
		case 'X':
			at = skip_counted(name, at);
			break;
		default:
			return NULL;
		}
	}
	return at ? at + 1 : NULL;
}

static const char *skip_qualified_name(const struct name *name, const char *at, int depth)
{
	const char *next;

	at = skip_symbol(name, at, depth);
	while (at && (next = skip_symbol(name, at, depth)))
		at = next;
	/* In these cases a function follows, which the type is local to. */
	return at && !strchr("MFUWVRY_", *at) ? at : NULL;
}

/* Returns the text after the type at @at, or null if the parser does not know the type. */
static const char *skip_type(const struct name *name, const char *at, int depth)
{
	const char *target;
	size_t number;

	if (at >= name->end || depth > DEPTH_MAX)
		return NULL;
	switch (*at) {
	case 'A':	/* array, pointer, const, immutable, shared */
	case 'P':
	case 'x':
	case 'y':
	case 'O':
		return skip_type(name, at + 1, depth + 1);
	case 'G':	/* array of a size */
		at = skip_number(at + 1, &number);
		return at ? skip_type(name, at, depth + 1) : NULL;
	case 'H':	/* associative array */
		at = skip_type(name, at + 1, depth + 1);
		return at ? skip_type(name, at, depth + 1) : NULL;
	case 'S':	/* struct, class, enumeration, ... */
	case 'C':
	case 'E':
	case 'I':
	case 'T':
		return skip_qualified_name(name, at + 1, depth + 1);
	case 'Q':
		return skip_reference(name, at, &target);
	case 'z':
		return at[1] ? at + 2 : NULL;
	default:
		return *at >= 'a' && *at <= 'w' ? at + 1 : NULL;
	}
}

/* Returns the end of the text that a reference refers to, at most @until. */
static const char *referent_end(const struct name *name, const char *target, const char *until)
{
	const char *end = is_digit(*target) ? skip_counted(name, target) : skip_type(name, target, 0);

	return end && end < until ? end : until;
}

/* Tells if the name, with each reference replaced, has at most SIZE_MAX_COUNTED bytes. */
static bool is_bounded(const char *linkage)
{
	size_t length = strnlen(linkage, SIZE_MAX_COUNTED + 1);
	struct name name = { linkage, linkage + length };
	uint64_t *sizes;	/* [i]: of the first i bytes, with each reference replaced */
	bool bounded = true;

	if (length > SIZE_MAX_COUNTED)
		return false;
	sizes = calloc(length + 1, sizeof(*sizes));
	if (!sizes)
		return false;
	for (size_t i = 0; i < length && bounded; i++) {
		const char *target;
		uint64_t size = 1;

		if (linkage[i] == 'Q' && skip_reference(&name, linkage + i, &target))
			size = sizes[referent_end(&name, target, linkage + i) - linkage] - sizes[target - linkage];
		sizes[i + 1] = sizes[i] + size;
		bounded = sizes[i + 1] <= SIZE_MAX_COUNTED;
	}
	free(sizes);
	return bounded;
}

char *spoor_d_name(const char *linkage)
{
	if (strncmp(linkage, "_D", 2) != 0 || !is_bounded(linkage))
		return NULL;
	return dlang_demangle(linkage, 0);
}
