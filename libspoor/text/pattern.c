/* SPDX-License-Identifier: MIT */
/* pattern.c - matches names against lists of globs. pattern.h describes their syntax. */
#include "text/pattern.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Returns the character after the set [...] that begins at @set, or null if it is not closed. */
static const char *set_end(const char *set, const char *end)
{
	const char *at = set + 1;

	if (at < end && *at == '!')
		at++;
	if (at < end && *at == ']')
		at++;
	while (at < end && *at != ']')
		at++;
	return at < end ? at + 1 : NULL;
}

static bool set_matches(const char *set, const char *end, char c)
{
	bool excludes = set[1] == '!', found = false;

	for (const char *at = set + 1 + excludes; at < end - 1; at++) {
		if (at + 2 < end - 1 && at[1] == '-') {
			found |= at[0] <= c && c <= at[2];
			at += 2;
		} else {
			found |= *at == c;
		}
	}
	return found != excludes;
}

/* Tells if the glob ends in a plain character that differs from the name's last one. Most names fail here, which
 * saves trying each position for a star. */
static bool last_differs(const char *glob, const char *end, const char *name)
{
	char last = end[-1];

	if (last == '*' || last == '?' || last == ']' || (end - glob > 1 && end[-2] == '\\'))
		return false;
	return !*name || name[strlen(name) - 1] != last;
}

bool spoor_glob_matches(const char *glob, const char *end, const char *name)
{
	const char *star = NULL, *star_name = NULL;

	for (;;) {
		const char *next = glob + 1;

		if (glob < end && *glob == '*') {
			if (!star && last_differs(glob, end, name))
				return false;
			star = glob++;
			star_name = name;
			continue;
		}
		if (glob == end) {
			if (!*name)
				return true;
		} else if (*name) {
			bool same;

			if (*glob == '?') {
				same = true;
			} else if (*glob == '[' && set_end(glob, end)) {
				next = set_end(glob, end);
				same = set_matches(glob, next, *name);
			} else if (*glob == '\\' && glob + 1 < end) {
				next = glob + 2;
				same = glob[1] == *name;
			} else {
				same = *glob == *name;
			}
			if (same) {
				glob = next;
				name++;
				continue;
			}
		}
		/* Back to the last star, which takes one more character. */
		if (!star || !*star_name)
			return false;
		glob = star + 1;
		name = ++star_name;
	}
}

void spoor_glob_prepare(struct spoor_glob *glob)
{
	const char *star = memchr(glob->begin, '*', (size_t)(glob->end - glob->begin));

	glob->is_ends = true;
	for (const char *at = glob->begin; at < glob->end; at++)
		glob->is_ends &= !strchr("?[\\", *at) && (*at != '*' || at == star);
	glob->has_star = star;
	glob->head = (size_t)((star ? star : glob->end) - glob->begin);
	glob->tail = star ? (size_t)(glob->end - star) - 1 : 0;
}

/* If the < or > at @at belongs to an operator's name, such as operator<<, returns the text after the name;
 * otherwise @at. */
static const char *operator_end(const char *glob, const char *at)
{
	static const char word[] = "operator";
	size_t length = sizeof(word) - 1;

	if ((size_t)(at - glob) < length || memcmp(at - length, word, length) != 0)
		return at;
	if (strncmp(at, "<=>", 3) == 0)
		return at + 3;
	return at + 1 + (at[1] == at[0]);
}

bool spoor_patterns_next(const char **rest, const char **glob, const char **end, bool *excludes)
{
	const char *at = *rest, *comma = NULL;
	int depth = 0, angles = 0;

	if (!*at)
		return false;
	*excludes = *at == '-';
	at += *excludes;
	*glob = at;
	for (; *at && (*at != ',' || depth > 0 || angles > 0); at++) {
		if (*at == '\\' && at[1]) {
			at++;
		} else if (*at == '(' || *at == '[') {
			depth++;
		} else if (*at == ')' || *at == ']') {
			depth -= depth > 0;
		} else if (depth > 0) {
			continue;
		} else if (*at == ',') {
			comma = comma ? comma : at;
		} else if ((*at == '<' || *at == '>') && operator_end(*glob, at) != at) {
			at = operator_end(*glob, at) - 1;
		} else if (*at == '<') {
			angles++;
		} else if (*at == '>' && angles > 0 && at[-1] != '-') {
			angles--;
			comma = angles ? comma : NULL;
		}
	}
	/* A < that is not closed is a plain character. */
	if (angles > 0 && comma)
		at = comma;
	*end = at;
	*rest = *at ? at + 1 : at;
	return true;
}

bool spoor_patterns_unmatched(const char *patterns, uint64_t matched, char *list, size_t size)
{
	const char *rest = patterns, *glob, *end;
	size_t used = 0;
	bool excludes;

	for (uint64_t bit = 1; bit && spoor_patterns_next(&rest, &glob, &end, &excludes); bit <<= 1) {
		size_t length = (size_t)(end - glob);

		if (!(matched & bit) && used + length + 5 <= size)
			used += (size_t)snprintf(list + used, size - used, "%s'%.*s'", used ? ", " : "", (int)length, glob);
	}
	return used != 0;
}

int spoor_patterns_check(const char *patterns)
{
	const char *rest = patterns, *glob, *end;
	bool excludes;

	if (!*patterns || patterns[strlen(patterns) - 1] == ',')
		return -EINVAL;
	while (spoor_patterns_next(&rest, &glob, &end, &excludes)) {
		if (glob == end)
			return -EINVAL;
		for (const char *at = glob; at < end; at++) {
			if (*at == '\\') {
				at++;
			} else if (*at == '[') {
				at = set_end(at, end);
				if (!at)
					return -EINVAL;
				at--;
			}
		}
	}
	return 0;
}

bool spoor_patterns_choose(const char *patterns, const char *const *names, int count)
{
	const char *rest = patterns, *glob, *end;
	bool chosen, excludes;

	if (!patterns)
		return true;
	chosen = *patterns == '-';
	while (spoor_patterns_next(&rest, &glob, &end, &excludes)) {
		for (int i = 0; i < count && chosen == excludes; i++) {
			if (names[i] && spoor_glob_matches(glob, end, names[i]))
				chosen = !excludes;
		}
	}
	return chosen;
}

bool spoor_patterns_are_all(const char *patterns)
{
	return !patterns || strcmp(patterns, "*") == 0;
}
