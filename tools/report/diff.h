/* SPDX-License-Identifier: MIT */
/*
 * diff.h - what changed from one report to another.
 *
 * Rows are matched by their names: the two may be of different builds. Functions of one name
 * in one library are matched by their files first, then in the order of their lines. The
 * rows of a library that the other report has not, such as an executable with another name or
 * a library with another version in its name, are matched by the functions' names alone.
 */
#ifndef SPOOR_TOOLS_REPORT_DIFF_H
#define SPOOR_TOOLS_REPORT_DIFF_H

#include "walk/table/table.h"

enum report_threshold_kind { THRESHOLD_NONE, THRESHOLD_PERCENT, THRESHOLD_TIME, THRESHOLD_CALLS };

struct report_threshold {
	enum report_threshold_kind kind;
	double least;		/* percent, nanoseconds, calls */
};

struct report_diff {
	const struct report_look *look;
	const struct report_threshold *threshold;
	struct report_table *tables[2];		/* before and after */
	const char *paths[2];
};

/* What grew most by the sort key comes first, what shrank most last. */
void report_diff_write(const struct report_diff *diff, struct output *out);

struct report_change {
	bool has[2], has_both;	/* has_both: there is a difference */
	uint64_t values[2];
	bool is_less;		/* the difference is below zero, by `size` */
	uint64_t size;
};

/* A row of each; null where one has none. */
struct report_pair {
	const struct report_row *rows[2];
	struct report_change change;	/* in the column that they are sorted by */
};

/* Of one column. What was never called took no time and has no average. */
struct report_change report_pair_change(const struct report_pair *pair, enum report_column column);

/* report_diff_match - pairs the rows. Return: how many, or -ENOMEM. The caller frees @pairs. */
long report_diff_match(const struct report_diff *diff, struct report_pair **pairs);

/* What report_diff_write is made of. */
struct report_diff_shown {
	const struct report_diff *diff;
	const struct report_pair *pairs;	/* those to show, in their order */
	size_t count;
	size_t unchanged, beyond_limit, alone[2];	/* left out by --threshold and --limit; in one of the two only */
};
void report_diff_text(const struct report_diff_shown *shown, struct output *out);
void report_diff_csv(const struct report_diff_shown *shown, struct output *out);
void report_diff_json(const struct report_diff_shown *shown, struct output *out);

#endif
