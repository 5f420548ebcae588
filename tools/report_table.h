/* SPDX-License-Identifier: MIT */
/* report_table.h - the rows of a report, sorted and written. */
#ifndef SPOOR_TOOLS_REPORT_TABLE_H
#define SPOOR_TOOLS_REPORT_TABLE_H

#include "output.h"

struct symbol_file;

struct report_statistics {
	uint64_t calls, total_ns, self_ns;
	uint64_t sum_ns;	/* of all durations but theirs, inner calls too */
	uint64_t min_ns, max_ns;
	uint64_t open;		/* calls that the current thread is in */
	uint64_t counted;	/* calls beside `calls`, without times */
	uint64_t roots;		/* the same, begun before they could be recorded: with `total` and `self` alone */
};

struct report_row {
	char *name;
	const char *library;
	struct report_statistics statistics;
	struct symbol_file *symbols;	/* where it has number `local`; null: not known */
	uint32_t local;
};

enum report_sort {
	SORT_TOTAL,
	SORT_SELF,
	SORT_CALLS,
	SORT_AVG,
	SORT_MIN,
	SORT_MAX,
	SORT_FUNCTION,
	SORT_LIBRARY,
};

struct report_table {
	struct report_row *rows;
	size_t row_count;
	enum report_sort sort;
	bool csv;
	size_t limit;			/* rows to show */
	size_t library_width;
	/* What the text ends with. */
	uint64_t repaired, orphans, losses, gaps, roots;
	uint64_t counted;		/* calls in the rows without times */
	uint64_t counted_lost;
	uint64_t counts_left_out;		/* they are no single thread's */
};

/* Sorts the rows: largest first, names in their order; equals by name. */
void report_table_write(struct report_table *table, struct output *out);

#endif
