/* SPDX-License-Identifier: MIT */
/*
 * diff.h - compares two reports row by row.
 *
 * Rows are matched by name, because the two traces may be of different builds. If several functions
 * of a library have the same name, they are matched by file, then in the order of their lines. A
 * library that only one of the two reports has may be the same one under another name: another
 * executable, or a version in the file name. Its rows are matched by function name only.
 */
#ifndef SPOOR_TOOLS_REPORT_DIFF_H
#define SPOOR_TOOLS_REPORT_DIFF_H

#include "walk/table/table.h"

enum report_threshold_kind { THRESHOLD_NONE, THRESHOLD_PERCENT, THRESHOLD_TIME, THRESHOLD_CALLS };

struct report_threshold {
	enum report_threshold_kind kind;
	double least;		/* smaller changes are not shown; percent, nanoseconds or calls, as @kind says */
};

struct report_diff {
	const struct report_look *look;
	const struct report_threshold *threshold;
	struct report_table *tables[2];		/* 0: before, 1: after */
	const char *paths[2];
};

/* Writes the largest growth in the sort column first and the largest decrease last. */
void report_diff_write(const struct report_diff *diff, struct output *out);

/* The difference of one column of a pair. */
struct report_change {
	bool has[2], has_both;	/* whether each row has a value, and there is a difference; a missing row counts as 0 */
	uint64_t values[2];	/* 0 without a value */
	bool is_less;		/* the value decreased */
	uint64_t size;		/* the difference without its sign */
};

/* A row of the report before and the row after that matches it. NULL: that report has no such row. */
struct report_pair {
	const struct report_row *rows[2];
	struct report_change change;	/* in the sort column */
};

/* Returns the difference in one column. A missing row has 0 calls and 0 time, but no average. */
struct report_change report_pair_change(const struct report_pair *pair, enum report_column column);

/*
 * report_diff_match - finds the pairs of rows.
 * @pairs: set to an array that the caller frees, also after an error
 *
 * Returns the number of pairs, or -ENOMEM.
 */
long report_diff_match(const struct report_diff *diff, struct report_pair **pairs);

/* The data that each of the three formats writes. */
struct report_diff_shown {
	const struct report_diff *diff;
	const struct report_pair *pairs;	/* the pairs to show, sorted */
	size_t count;
	size_t unchanged, beyond_limit, unmatched[2];	/* hidden by --threshold; by --limit; in only one report */
};
void report_diff_text(const struct report_diff_shown *shown, struct output *out);
void report_diff_csv(const struct report_diff_shown *shown, struct output *out);
void report_diff_json(const struct report_diff_shown *shown, struct output *out);

#endif
