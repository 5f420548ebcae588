/* SPDX-License-Identifier: MIT */
/* pattern_options.h - pattern lists (libspoor/text/pattern.h) over the functions of a trace. */
#ifndef SPOOR_TOOLS_PATTERNS_H
#define SPOOR_TOOLS_PATTERNS_H

#include <stdbool.h>

#include "reader/symbols/functions.h"

/*
 * function_matches - whether a list chooses a function, by its linkage name or
 * its demangled name, with its parameters or without, or as it is shown.
 * @patterns: checked
 */
bool function_matches(struct functions *functions, uint32_t number, const char *patterns);

/*
 * library_matches - whether a list chooses the library of a function, as the runtime does: by its
 * soname, its file name, or its path where a pattern has a '/'.
 * @patterns: checked
 */
bool library_matches(const struct functions *functions, uint32_t number, const char *patterns);

/* After a walk: say where a list (null: none) has chosen nothing since the last walk. */
void pattern_options_report_unmatched_function(const char *patterns);
void pattern_options_report_unmatched_library(const char *patterns);

/* After a walk: there was nothing to choose from, which has been said. */
void pattern_options_forget_unmatched(void);

/* Return: 0, or SPOOR_EXIT_USAGE where @patterns is no list, which has been said. */
int pattern_options_check(const char *patterns);

/*
 * pattern_options_add - what an option has is added to what it had before: it may be given several times.
 * @list: null to begin with; the caller frees it
 *
 * Return: as pattern_options_check, or SPOOR_EXIT_BAD_TRACE without memory, which has been said.
 */
int pattern_options_add(char **list, const char *patterns);

#endif
