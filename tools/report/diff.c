/* SPDX-License-Identifier: MIT */
/* diff.c - computes what changed between two reports, and sorts and filters the changes. */
#include "report/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct report_change report_pair_change(const struct report_pair *pair, enum report_column column)
{
	const bool adds_up = column == COLUMN_CALLS || column == COLUMN_TOTAL || column == COLUMN_SELF;
	struct report_change change = { 0 };

	for (int i = 0; i < 2; i++) {
		if (pair->rows[i])
			change.has[i] = report_row_number(pair->rows[i], column, &change.values[i]);
		if (!change.has[i])
			change.values[i] = 0;
	}
	/* A missing row counts as 0 calls and 0 time. A row that is there without this value has no difference. */
	change.has_both = (change.has[0] || change.has[1]) &&
			  ((change.has[0] && change.has[1]) || (adds_up && (!pair->rows[0] || !pair->rows[1])));
	change.is_less = change.values[1] < change.values[0];
	change.size = change.is_less ? change.values[0] - change.values[1] : change.values[1] - change.values[0];
	return change;
}

static const struct report_row *any_row(const struct report_pair *pair)
{
	return pair->rows[1] ? pair->rows[1] : pair->rows[0];
}

/* Sorts the largest growth first and the largest decrease last, then the pairs without a difference. */
static int compare_pairs(const void *left, const void *right)
{
	static const enum report_column names[] = { COLUMN_FUNCTION, COLUMN_LIBRARY, COLUMN_FILE };
	const struct report_change a = ((const struct report_pair *)left)->change;
	const struct report_change b = ((const struct report_pair *)right)->change;
	int order = 0;

	if (a.has_both != b.has_both)
		return a.has_both ? -1 : 1;
	if (a.has_both && a.is_less != b.is_less)
		return b.is_less ? -1 : 1;
	if (a.has_both && a.size != b.size)
		return (a.size > b.size) != a.is_less ? -1 : 1;
	for (size_t i = 0; !order && i < sizeof(names) / sizeof(*names); i++)
		order = strcmp(report_row_text(any_row(left), names[i]), report_row_text(any_row(right), names[i]));
	if (!order && any_row(left)->line != any_row(right)->line)
		order = any_row(left)->line < any_row(right)->line ? -1 : 1;
	return order;
}

/* Tells if the change is below --threshold, so that the row is not shown. */
static bool is_unchanged(const struct report_diff *diff, const struct report_pair *pair)
{
	const struct report_change change = pair->change;

	if (diff->threshold->kind == THRESHOLD_NONE || !change.has_both)
		return false;
	if (diff->threshold->kind != THRESHOLD_PERCENT)
		return (double)change.size < diff->threshold->least;
		/* A growth from 0 exceeds every percentage. */
	return !change.size || (change.values[0] && (double)change.size * 100 <
						     diff->threshold->least * (double)change.values[0]);
}

void report_diff_write(const struct report_diff *diff, struct output *out)
{
	static void (*const write[])(const struct report_diff_shown *, struct output *) = {
		[REPORT_TEXT] = report_diff_text, [REPORT_CSV] = report_diff_csv, [REPORT_JSON] = report_diff_json,
	};
	struct report_diff_shown shown = { .diff = diff };
	struct report_pair *pairs = NULL;
	long count = report_diff_match(diff, &pairs);

	if (count < 0) {
		out->error = (int)count;
		free(pairs);
		return;
	}
	for (long i = 0; i < count; i++) {
		pairs[i].change = report_pair_change(&pairs[i], diff->look->sort);
		for (int j = 0; j < 2; j++)
			shown.unmatched[j] += !pairs[i].rows[!j];
		if (is_unchanged(diff, &pairs[i]))
			shown.unchanged++;
		else
			pairs[shown.count++] = pairs[i];
	}
	if (shown.count)
		qsort(pairs, shown.count, sizeof(*pairs), compare_pairs);
	if (shown.count > diff->look->limit) {
		shown.beyond_limit = shown.count - diff->look->limit;
		shown.count = diff->look->limit;
	}
	shown.pairs = pairs;
	write[diff->look->format](&shown, out);
	free(pairs);
}
