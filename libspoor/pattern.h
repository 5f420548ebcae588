/* SPDX-License-Identifier: MIT */
/*
 * pattern.h - lists of globs that choose modules and functions.
 *
 *   "libfoo*,-libfoo_test.so"
 *
 * Left to right, the last that matches wins, '-' excludes, a list that begins
 * with '-' begins with everything. `*` is any run of characters, `?` any one,
 * [abc], [a-z] and [!a] one of a set, a backslash takes the next character as it
 * is. A comma within brackets or parentheses parts nothing, so f(int, char) is
 * one pattern.
 */
#ifndef SPOOR_PATTERN_H
#define SPOOR_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the whole of @name matches the single glob [@glob, @end). */
bool spoor_glob_matches(const char *glob, const char *end, const char *name);

/*
 * spoor_patterns_check - 0, or -EINVAL where the list cannot mean anything: an
 * empty pattern or a bracket that is not closed.
 */
int spoor_patterns_check(const char *patterns);

/*
 * spoor_patterns_choose - whether a list chooses something that has several names.
 * @patterns: checked; null chooses everything
 * @names:    @count of them; a null one is skipped
 */
bool spoor_patterns_choose(const char *patterns, const char *const *names, int count);

/* Whether the list chooses everything whatever its name. */
bool spoor_patterns_are_all(const char *patterns);

/*
 * spoor_patterns_next - takes a list apart.
 * @rest: the list; moved behind the pattern returned
 *
 * Return: whether there was one more: [@glob, @end), @excludes.
 */
bool spoor_patterns_next(const char **rest, const char **glob, const char **end, bool *excludes);

#endif
