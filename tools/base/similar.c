/* SPDX-License-Identifier: MIT */
/* similar.c - finds the name that a user probably meant. The distance is Damerau's and Levenshtein's, with stars. */
#include "base/similar.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

static bool is_equal(char pattern, char name)
{
	return pattern == '?' || lower(pattern) == lower(name);
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

unsigned int similar_edits(const char *pattern, size_t length, const char *name, unsigned int most)
{
	size_t columns = strnlen(name, SIMILAR_MAX + 1);
	/* The rows of the last two characters of the pattern, and the row that is being computed. */
	unsigned int rows[3][SIMILAR_MAX + 1], *row = rows[0], *above = rows[1], *second = rows[2], *next;

	if (length > SIMILAR_MAX || columns > SIMILAR_MAX)
		return most + 1;
	for (size_t j = 0; j <= columns; j++)
		above[j] = (unsigned int)j;
	for (size_t i = 1; i <= length; i++) {
		bool is_star = pattern[i - 1] == '*';
		unsigned int smallest;

		row[0] = smallest = above[0] + !is_star;
		for (size_t j = 1; j <= columns; j++) {
			/* A star matches any text, and the empty one. */
			if (is_star) {
				row[j] = least(above[j], row[j - 1]);
			} else {
				row[j] = least(above[j], row[j - 1]) + 1;
				row[j] = least(row[j], above[j - 1] + !is_equal(pattern[i - 1], name[j - 1]));
			}
			if (i > 1 && j > 1 && !is_star && pattern[i - 2] != '*' && is_equal(pattern[i - 1], name[j - 2]) &&
			    is_equal(pattern[i - 2], name[j - 1]))
				row[j] = least(row[j], second[j - 2] + 1);
			smallest = least(smallest, row[j]);
		}
		if (smallest > most + 1)
			return most + 1;
		next = second;
		second = above;
		above = row;
		row = next;
	}
	return above[columns];
}

/* Returns how many characters the user may have got wrong. */
static unsigned int tolerance(const struct similar *similar)
{
	size_t letters = 0;

	for (size_t i = 0; i < similar->length; i++)
		letters += similar->typed[i] != '*';
	return letters < 3 ? 0 : letters < 6 ? (letters < 4 ? 1 : 2) : (unsigned int)letters / 3;
}

void similar_begin(struct similar *similar, const char *typed, size_t length)
{
	*similar = (struct similar){ .typed = typed, .length = length };
	similar->edits = tolerance(similar) + 1;
}

void similar_offer(struct similar *similar, const char *name, const char *shown)
{
	unsigned int edits;

	if (!similar->edits)
		return;
	edits = similar_edits(similar->typed, similar->length, name, similar->edits - 1);
	if (edits >= similar->edits)
		return;
	similar->edits = edits;
	snprintf(similar->best, sizeof(similar->best), "%s", shown);
}

static const char *last_part(const char *name)
{
	const char *part = name;
	int depth = 0;

	for (const char *at = name; *at; at++) {
		depth += (*at == '<' || *at == '(') - (*at == '>' || *at == ')');
		if (depth == 0 && at[0] == ':' && at[1] == ':')
			part = at + 2;
	}
	return part;
}

void similar_offer_function(struct similar *similar, const char *name)
{
	const char *part = last_part(name);

	similar_offer(similar, name, name);
	if (part != name)
		similar_offer(similar, part, name);
}

const char *similar_best(const struct similar *similar)
{
	return *similar->best ? similar->best : NULL;
}
