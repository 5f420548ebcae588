/* SPDX-License-Identifier: MIT */
/* diff_match.c - matches the rows of one report with the rows of another. */
#include "report/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The names that two matching rows share. The stricter rules come first. */
enum likeness {
	LIKE_ALL,	/* all names; of the file only its base name */
	LIKE_NAMES,	/* function and library */
	LIKE_FILE_NAMES,	/* as LIKE_ALL, without the library */
	LIKE_FUNCTION,
	LIKENESSES,
};

struct side {
	const struct report_row **rows;	/* rows without a partner; the array is ours */
	size_t count;
};

static enum likeness likeness;	/* global because qsort passes no argument to its comparison */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int compare_texts(const struct report_row *a, const struct report_row *b, enum report_column column)
{
	return strcmp(report_row_text(a, column), report_row_text(b, column));
}

static int compare_keys(const struct report_row *a, const struct report_row *b)
{
	int order = compare_texts(a, b, COLUMN_FUNCTION);

	if (!order && (likeness == LIKE_ALL || likeness == LIKE_NAMES))
		order = compare_texts(a, b, COLUMN_LIBRARY);
	if (!order && (likeness == LIKE_ALL || likeness == LIKE_FILE_NAMES))
		order = strcmp(base_name(report_row_text(a, COLUMN_FILE)), base_name(report_row_text(b, COLUMN_FILE)));
	return order;
}

static int compare_rows(const void *left, const void *right)
{
	const struct report_row *a = *(const struct report_row *const *)left, *b = *(const struct report_row *const *)right;
	int order = compare_keys(a, b);

	if (!order)
		order = compare_texts(a, b, COLUMN_FILE);
	if (!order && a->line != b->line)
		order = a->line < b->line ? -1 : 1;
	return order ? order : a < b ? -1 : a > b;
}

static int compare_libraries(const void *left, const void *right)
{
	return compare_texts(*(const struct report_row *const *)left, *(const struct report_row *const *)right,
			     COLUMN_LIBRARY);
}

static void sort_rows(struct side *side)
{
	if (side->count)
		qsort(side->rows, side->count, sizeof(*side->rows), compare_rows);
}

/* Pairs the rows that match, in their order. The other rows remain in @sides. Returns the number of pairs. */
static size_t match_rows(struct side sides[2], struct report_pair *pairs)
{
	size_t at[2] = { 0, 0 }, kept[2] = { 0, 0 }, count = 0;

	sort_rows(&sides[0]);
	sort_rows(&sides[1]);
	while (at[0] < sides[0].count || at[1] < sides[1].count) {
		const struct report_row *a = at[0] < sides[0].count ? sides[0].rows[at[0]] : NULL;
		const struct report_row *b = at[1] < sides[1].count ? sides[1].rows[at[1]] : NULL;
		int order = !b ? -1 : !a ? 1 : compare_keys(a, b);

		if (order <= 0)
			at[0]++;
		if (order >= 0)
			at[1]++;
		if (order == 0)
			pairs[count++] = (struct report_pair){ .rows = { a, b } };
		else if (order < 0)
			sides[0].rows[kept[0]++] = a;
		else
			sides[1].rows[kept[1]++] = b;
	}
	sides[0].count = kept[0];
	sides[1].count = kept[1];
	return count;
}

/* Moves the rows of libraries that the other report lacks to the front. Returns the number of these rows. */
static size_t move_unshared_first(struct side *side, const struct report_row **of_other, size_t other_count)
{
	size_t foreign = 0;

	for (size_t i = 0; i < side->count; i++) {
		const struct report_row *row = side->rows[i];

		if (other_count && bsearch(&row, of_other, other_count, sizeof(*of_other), compare_libraries))
			continue;
		side->rows[i] = side->rows[foreign];
		side->rows[foreign++] = row;
	}
	return foreign;
}

/* Fills @side with all rows of a table. Returns 0, or -ENOMEM. */
static int fill_rows(struct side *side, const struct report_table *table)
{
	side->rows = malloc((table->row_count + 1) * sizeof(*side->rows));
	if (!side->rows)
		return -ENOMEM;
	for (size_t i = 0; i < table->row_count; i++)
		side->rows[i] = &table->rows[i];
	side->count = table->row_count;
	return 0;
}

/*
 * Matches rows of libraries that only one of the two reports has: such a library may have been
 * renamed. Returns the number of pairs.
 */
static size_t match_renamed(const struct report_diff *diff, struct side sides[2], struct report_pair *pairs)
{
	struct side all[2] = { 0 }, foreign[2];
	size_t count = 0, unshared[2];

	if (fill_rows(&all[0], diff->tables[0]) == 0 && fill_rows(&all[1], diff->tables[1]) == 0) {
		for (int i = 0; i < 2; i++)
			if (all[i].count)
				qsort(all[i].rows, all[i].count, sizeof(*all[i].rows), compare_libraries);
		for (int i = 0; i < 2; i++) {
			unshared[i] = move_unshared_first(&sides[i], all[!i].rows, all[!i].count);
			foreign[i] = (struct side){ sides[i].rows, unshared[i] };
		}
		for (likeness = LIKE_FILE_NAMES; likeness < LIKENESSES; likeness++)
			count += match_rows(foreign, pairs + count);
		for (int i = 0; i < 2; i++) {
			memmove(sides[i].rows + foreign[i].count, sides[i].rows + unshared[i],
				(sides[i].count - unshared[i]) * sizeof(*sides[i].rows));
			sides[i].count -= unshared[i] - foreign[i].count;
		}
	}
	free(all[0].rows);
	free(all[1].rows);
	return count;
}

long report_diff_match(const struct report_diff *diff, struct report_pair **pairs)
{
	struct side sides[2] = { 0 };
	size_t count = 0;

	*pairs = malloc((diff->tables[0]->row_count + diff->tables[1]->row_count + 1) * sizeof(**pairs));
	if (!*pairs || fill_rows(&sides[0], diff->tables[0]) || fill_rows(&sides[1], diff->tables[1])) {
		free(sides[0].rows);
		free(sides[1].rows);
		return -ENOMEM;
	}
	for (likeness = LIKE_ALL; likeness <= LIKE_NAMES; likeness++)
		if (likeness == LIKE_ALL || diff->look->group == GROUP_FUNCTION)
			count += match_rows(sides, *pairs + count);
	if (diff->look->group == GROUP_FUNCTION)
		count += match_renamed(diff, sides, *pairs + count);
	for (int i = 0; i < 2; i++) {
		for (size_t j = 0; j < sides[i].count; j++) {
			(*pairs)[count] = (struct report_pair){ 0 };
			(*pairs)[count++].rows[i] = sides[i].rows[j];
		}
		free(sides[i].rows);
	}
	return (long)count;
}
