/* SPDX-License-Identifier: MIT */
/*
 * pattern.h - matches names against lists of globs that choose modules and functions.
 *
 *   "libfoo*,-libfoo_test.so"
 *
 * The last pattern that matches decides. A pattern after '-' excludes. A list that begins with '-'
 * chooses all other names. `*` matches any characters, `?` one character, [abc], [a-z] and [!a] one
 * character of a set. A backslash makes the next character plain.
 *
 * A comma within brackets, parentheses or <> does not separate patterns, so f(int, char) and
 * Pair<int, char>::f are one pattern each. The < and > of operator<, operator>> and similar names, the >
 * of ->, and a < without its > are plain characters.
 */
#ifndef SPOOR_PATTERN_H
#define SPOOR_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Tells if the single glob [@glob, @end) matches the whole of @name. */
bool spoor_glob_matches(const char *glob, const char *end, const char *name);

/* A glob prepared for comparison with many names. */
struct spoor_glob {
	const char *begin, *end;
	bool is_ends;		/* no special character except at most one star, so comparing both ends suffices: */
	bool has_star;
	size_t head, tail;	/* number of characters before and after the star */
};

/* Computes the other members from @begin and @end. The caller keeps the text alive. */
void spoor_glob_prepare(struct spoor_glob *glob);

/* Like spoor_glob_matches. @length: of @name */
static inline bool spoor_glob_takes(const struct spoor_glob *glob, const char *name, size_t length)
{
	if (!glob->is_ends)
		return spoor_glob_matches(glob->begin, glob->end, name);
	if (glob->has_star ? length < glob->head + glob->tail : length != glob->head)
		return false;
	/* The last character first: most names differ there. */
	return (!glob->tail || (name[length - 1] == glob->end[-1] &&
				memcmp(name + length - glob->tail, glob->end - glob->tail, glob->tail) == 0)) &&
	       memcmp(name, glob->begin, glob->head) == 0;
}

/*
 * spoor_patterns_check - checks the syntax of a list.
 *
 * Return: 0, or -EINVAL for an empty pattern or a bracket that is not closed.
 */
int spoor_patterns_check(const char *patterns);

/*
 * spoor_patterns_choose - whether a list chooses an object that has several names.
 * @patterns: checked by spoor_patterns_check; null chooses every object
 * @names:    @count of them; null ones are skipped
 */
bool spoor_patterns_choose(const char *patterns, const char *const *names, int count);

/* Tells if the list chooses every name. */
bool spoor_patterns_are_all(const char *patterns);

/*
 * spoor_patterns_next - gets the next pattern of a list.
 * @rest:     in: the list; out: the list after this pattern
 * @glob:     out: the pattern [@glob, @end)
 * @excludes: out: whether it excludes
 *
 * Return: whether there was a pattern.
 */
bool spoor_patterns_next(const char **rest, const char **glob, const char **end, bool *excludes);

/*
 * spoor_patterns_unmatched - lists the patterns without a bit in @matched, each in quotes.
 *
 * Looks at the first 64 patterns. Patterns that do not fit into @size bytes are left out.
 *
 * Return: whether @list has any pattern.
 */
bool spoor_patterns_unmatched(const char *patterns, uint64_t matched, char *list, size_t size);

#endif
