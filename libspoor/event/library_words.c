/* SPDX-License-Identifier: MIT */
/*
 * library_words.c - reads formats of printf and scanf as far as their arguments need.
 *
 * A format with positions ("%2$d") or with an unknown conversion has an unknown number of words.
 */
#include "event/library_words.h"

#include <stdbool.h>

/* A format with more words is treated as unknown. */
#define WORDS_MOST 1024u

struct arguments {
	uint32_t integers, reals, words;
};

static bool is_one_of(char character, const char *characters)
{
	while (*characters && *characters != character)
		characters++;
	return character && *characters;
}

static void add_integer(struct arguments *arguments)
{
	if (arguments->integers < SPOOR_INTEGER_REGISTERS)
		arguments->integers++;
	else
		arguments->words++;
}

static void add_real(struct arguments *arguments, bool is_long)
{
#ifdef __x86_64__
	bool in_memory = is_long;
#else
	bool in_memory = false;
#endif
	if (!in_memory && arguments->reals < SPOOR_REAL_REGISTERS) {
		arguments->reals++;
		return;
	}
	/* A long double has 16 bytes, and is aligned to them. */
	arguments->words += is_long ? 2 + arguments->words % 2 : 1;
}

/* Skips the digits of a width or precision. Returns null if a position follows them. */
static const char *skip_number(const char *at)
{
	while (*at >= '0' && *at <= '9')
		at++;
	return *at == '$' ? 0 : at;
}

/* Takes a width or precision, which may be an argument. Returns null for a position. */
static const char *take_size(const char *at, struct arguments *arguments)
{
	if (*at != '*')
		return skip_number(at);
	add_integer(arguments);
	at = skip_number(at + 1);
	return at;
}

/* Takes a conversion after its percent sign. Returns the next character, or null if it is unknown. */
static const char *take_printf(const char *at, struct arguments *arguments)
{
	bool is_long = false;

	while (is_one_of(*at, "-+ #0'I"))
		at++;
	at = take_size(at, arguments);
	if (at && *at == '.')
		at = take_size(at + 1, arguments);
	while (at && is_one_of(*at, "hlqLjzZt"))
		is_long |= *at++ == 'L';
	if (!at)
		return 0;
	if (is_one_of(*at, "diouxXcCsSpn"))
		add_integer(arguments);
	else if (is_one_of(*at, "aAeEfFgG"))
		add_real(arguments, is_long);
	else if (!is_one_of(*at, "%m"))
		return 0;
	return at + 1;
}

/* Returns the character after a set that begins after its '['. */
static const char *skip_set(const char *at)
{
	at += *at == '^';
	at += *at == ']';
	while (*at && *at != ']')
		at++;
	return *at ? at + 1 : 0;
}

static const char *take_scanf(const char *at, struct arguments *arguments)
{
	bool is_assigned = *at != '*';

	at = skip_number(is_assigned ? at : at + 1);
	while (at && is_one_of(*at, "'Imhlqjzt" "L"))
		at++;
	if (!at)
		return 0;
	if (*at == '%')
		return at + 1;
	if (!is_one_of(*at, "diouxXcCsSpnaAeEfFgG["))
		return 0;
	if (is_assigned)
		add_integer(arguments);
	return *at == '[' ? skip_set(at + 1) : at + 1;
}

static long count(const char *at, uint32_t fixed, const char *(*take)(const char *at, struct arguments *arguments))
{
	struct arguments arguments = { .integers = fixed };

	if (fixed > SPOOR_INTEGER_REGISTERS)
		return -1;
	while (at && *at && arguments.words < WORDS_MOST)
		at = *at == '%' ? take(at + 1, &arguments) : at + 1;
	return at && !*at ? (long)arguments.words : -1;
}

long spoor_library_printf_words(const char *format, uint32_t fixed)
{
	return count(format, fixed, take_printf);
}

long spoor_library_scanf_words(const char *format, uint32_t fixed)
{
	return count(format, fixed, take_scanf);
}
