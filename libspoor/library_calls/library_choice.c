/* SPDX-License-Identifier: MIT */
/* library_choice.c - matches libraries and their functions against patterns. */
#define _GNU_SOURCE
#include "library_calls/library_choice.h"

#include <string.h>

#include "text/pattern.h"

/* @function: null: any function */
static bool chooses(const char *patterns, const char *soname, const char *file, const char *function)
{
	const char *rest = patterns, *glob, *end;
	bool chosen = *patterns == '-', excludes;

	while (spoor_patterns_next(&rest, &glob, &end, &excludes)) {
		const char *colon = memchr(glob, ':', (size_t)(end - glob)), *library_end = colon ? colon : end;

		if (!spoor_glob_matches(glob, library_end, file) && !(soname && spoor_glob_matches(glob, library_end, soname)))
			continue;
		if (!colon)
			chosen = !excludes;
		else if (!function)
			chosen |= !excludes;
		else if (spoor_glob_matches(colon + 1, end, function))
			chosen = !excludes;
	}
	return chosen;
}

bool spoor_library_choice_library(const char *patterns, const char *soname, const char *file)
{
	return chooses(patterns, soname, file, NULL);
}

bool spoor_library_choice_function(const char *patterns, const char *soname, const char *file, const char *function)
{
	return chooses(patterns, soname, file, function);
}
