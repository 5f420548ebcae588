/* SPDX-License-Identifier: MIT */
/* source_name.c - strips the suffixes that the optimiser has added to a linkage name. */
#define _GNU_SOURCE
#include "text/source_name.h"

#include <stdbool.h>
#include <string.h>

/* Tells if [@begin, @end) is @word. */
static bool is_word(const char *begin, const char *end, const char *word)
{
	return (size_t)(end - begin) == strlen(word) && memcmp(begin, word, (size_t)(end - begin)) == 0;
}

static bool is_number(const char *begin, const char *end)
{
	for (const char *at = begin; at < end; at++)
		if (*at < '0' || *at > '9')
			return false;
	return begin < end;
}

/* Returns the last dot in [@begin, @end) that is not its first character, or null. */
static const char *last_dot(const char *begin, const char *end)
{
	while (end > begin + 1) {
		if (*--end == '.')
			return end;
	}
	return NULL;
}

/* Returns the begin of the last added suffix of [@begin, @end), or null. */
static const char *find_addition(const char *begin, const char *end)
{
	static const char *const numbered[] = { "llvm", "specialized", "__uniq", "lto_priv", "constprop", "isra", "spoor_call" };
	static const char *const bare[] = { "argprom", "argelim", "retelim", "cfi" };
	const char *dot = last_dot(begin, end), *before;

	if (!dot)
		return NULL;
	if (!is_number(dot + 1, end)) {
		for (size_t i = 0; i < sizeof(bare) / sizeof(*bare); i++)
			if (is_word(dot + 1, end, bare[i]))
				return dot;
		return NULL;
	}
	before = last_dot(begin, dot);
	for (size_t i = 0; before && i < sizeof(numbered) / sizeof(*numbered); i++)
		if (is_word(before + 1, dot, numbered[i]))
			return before;
	/* A number after another word belongs to that word: "f.cold.1". Clang itself numbers the functions that
	 * it generates: "__cxx_global_var_init.1". */
	if (strncmp(begin, "__cxx_", 6) == 0)
		return NULL;
	return !before || is_number(before + 1, dot) || find_addition(begin, dot) ? dot : NULL;
}

size_t spoor_demangled_name_length(const char *demangled)
{
	const char *clone = strstr(demangled, " [clone ");

	return clone ? (size_t)(clone - demangled) : strlen(demangled);
}

size_t spoor_source_name_length(const char *linkage)
{
	const char *end = linkage + strlen(linkage), *addition;

	while ((addition = find_addition(linkage, end)))
		end = addition;
	return (size_t)(end - linkage);
}
