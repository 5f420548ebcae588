/* SPDX-License-Identifier: MIT */
/* value_rows.h - the rows of a report by values, and their text. */
#ifndef SPOOR_REPORT_VALUE_ROWS_H
#define SPOOR_REPORT_VALUE_ROWS_H

#include "base/histogram.h"
#include "reader/types/shown_values.h"
#include "walk/table/table.h"

struct value_row {
	char *text;
	uint64_t calls, total_ns, numbers;
	long double sum;		/* of the numbers */
	struct histogram durations;
};

struct value_rows {
	struct value_row *rows;
	size_t count, capacity;
	struct map64 row_of;		/* positions from 1, by the hash of the text */
	uint64_t calls, total_ns, numbers;
	long double sum, least, most;
	/* Numbers by their power of two: [64] is 0; negative ones below, positive ones above. */
	uint64_t powers[129];
};

/* Counts a call with this value. Returns 0 or -ENOMEM. */
int value_rows_add(struct value_rows *rows, const char *text, const struct shown_value *value, uint64_t duration_ns);

/* Sorts the rows and writes them. @name: of the value */
void value_rows_write(struct value_rows *rows, const struct report_look *look, const char *name, bool by_caller,
		      struct output *out);
void value_rows_free(struct value_rows *rows);

#endif
