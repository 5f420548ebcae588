/* SPDX-License-Identifier: MIT */
/* pattern_options.h - matches pattern lists (libspoor/text/pattern.h) with the functions of a trace. */
#ifndef SPOOR_TOOLS_WALK_PATTERN_OPTIONS_H
#define SPOOR_TOOLS_WALK_PATTERN_OPTIONS_H

#include <stdbool.h>

#include "base/name_table.h"
#include "reader/symbols/functions.h"

/*
 * function_matches - returns whether a list matches a function: its linkage name, its demangled name
 * with or without parameters, or its shown name.
 * @patterns: checked
 */
bool function_matches(struct functions *functions, uint32_t number, const char *patterns);

/* Returns whether a pattern after '-' decides about the function. */
bool function_is_excluded(struct functions *functions, uint32_t number, const char *patterns);

/*
 * library_matches - returns whether a list matches the library of a function, as the runtime does: by
 * its soname, its file name, or, if a pattern has a '/', its path.
 * @patterns: checked
 */
bool library_matches(const struct functions *functions, uint32_t number, const char *patterns);

/* After a walk: print a message if a list (null: none) has matched nothing since the last walk. Return whether the
 * message was printed. */
bool pattern_options_report_unmatched_function(const char *patterns);
bool pattern_options_report_unmatched_library(const char *patterns);

/* Prints that no function in @names matches, and the most similar name. */
void pattern_options_report_missing(const char *option, const char *patterns, const struct name_table *names);

/* After a walk that had nothing to match, for which a message was printed. */
void pattern_options_forget_unmatched(void);

/* Returns 0, or SPOOR_EXIT_USAGE after a message if @patterns is not a valid list. */
int pattern_options_check(const char *patterns);

/*
 * pattern_options_add - appends an option's patterns to the patterns of its earlier uses.
 * @list: initially null; the caller frees it
 *
 * Returns the same as pattern_options_check, or SPOOR_EXIT_BAD_TRACE after a message if memory runs
 * out.
 */
int pattern_options_add(char **list, const char *patterns);

#endif
