/* SPDX-License-Identifier: MIT */
/*
 * pattern.h - lists of globs that choose modules and functions.
 *
 *   "libfoo*,-libfoo_test.so"
 *
 * Left to right, the last that matches wins, '-' excludes, a list that begins
 * with '-' begins with everything. `*` is any run of characters, `?` any one,
 * [abc], [a-z] and [!a] one of a set, a backslash takes the next character as it
 * is. A comma within brackets or parentheses parts nothing, nor one between a <
 * and its >, so f(int, char) and Pair<int, char>::f are one pattern each; the <
 * and > of operator<, operator>> and their like, and of ->, are none of these, and
 * a < without its > is none either.
 */
#ifndef SPOOR_PATTERN_H
#define SPOOR_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Whether the whole of @name matches the single glob [@glob, @end). */
bool spoor_glob_matches(const char *glob, const char *end, const char *name);

/* One that many names are held against. */
struct spoor_glob {
	const char *begin, *end;
	bool is_ends;		/* a name's ends, with one star between them or none, are all that it asks for: */
	bool has_star;
	size_t head, tail;	/* characters in front of the star, and behind it */
};

/* Fills in what follows from @glob's first two members, which stay the caller's. */
void spoor_glob_prepare(struct spoor_glob *glob);

/* As spoor_glob_matches. @length: of @name */
static inline bool spoor_glob_takes(const struct spoor_glob *glob, const char *name, size_t length)
{
	if (!glob->is_ends)
		return spoor_glob_matches(glob->begin, glob->end, name);
	if (glob->has_star ? length < glob->head + glob->tail : length != glob->head)
		return false;
	/* The last character first: that is where most names differ. */
	return (!glob->tail || (name[length - 1] == glob->end[-1] &&
				memcmp(name + length - glob->tail, glob->end - glob->tail, glob->tail) == 0)) &&
	       memcmp(name, glob->begin, glob->head) == 0;
}

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

/*
 * spoor_patterns_unmatched - lists, each in quotes, the first 64 patterns but for those with a bit in @matched; what has
 * no room is left out.
 *
 * Return: whether there is one.
 */
bool spoor_patterns_unmatched(const char *patterns, uint64_t matched, char *list, size_t size);

#endif
