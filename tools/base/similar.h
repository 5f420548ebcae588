/* SPDX-License-Identifier: MIT */
/* similar.h - finds the name that a user probably meant: a command, an option, or a function. */
#ifndef SPOOR_TOOLS_BASE_SIMILAR_H
#define SPOOR_TOOLS_BASE_SIMILAR_H

#include <stddef.h>

/* Names and typed texts that are longer are not compared. */
#define SIMILAR_MAX 120u

/* The best of the names that were offered. */
struct similar {
	const char *typed;	/* a name or a pattern, not terminated */
	size_t length;
	unsigned int edits;	/* between `typed` and `best` */
	char best[256];		/* "": none is similar */
};

/*
 * similar_edits - counts the edits that turn one name into another one.
 * @pattern, @length: what the user typed; '*' and '?' match as in a glob
 * @most: larger numbers of edits need not be exact
 *
 * An edit inserts, removes or replaces a character, or swaps two neighbours. Letters that differ in case
 * only are equal. Returns the number of edits, or a number above @most.
 */
unsigned int similar_edits(const char *pattern, size_t length, const char *name, unsigned int most);

/* @typed stays valid while @similar is used. */
void similar_begin(struct similar *similar, const char *typed, size_t length);

/* Compares @name with what the user typed. @shown: the text to propose, cut to fit; the first of equally good names
 * wins. */
void similar_offer(struct similar *similar, const char *name, const char *shown);

/* Offers the name of a function without parameters: all of it, and its last part, "run" of "ns::Worker<int>::run",
 * because users leave out classes and name spaces. */
void similar_offer_function(struct similar *similar, const char *name);

/* Returns the text to propose, or null if no name was similar enough: at most a third of the characters differ. */
const char *similar_best(const struct similar *similar);

#endif
