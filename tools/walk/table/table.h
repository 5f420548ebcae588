/* SPDX-License-Identifier: MIT */
/* table.h - the rows of a report, sorted and written. */
#ifndef SPOOR_TOOLS_REPORT_TABLE_H
#define SPOOR_TOOLS_REPORT_TABLE_H

#include "base/output.h"
#include "walk/table/columns.h"
#include "walk/table/losses.h"

enum report_format { REPORT_TEXT, REPORT_CSV, REPORT_JSON };

/* How a report is to look. */
struct report_look {
	enum report_format format;
	enum report_group group;
	enum report_column sort;
	report_columns columns;
	size_t limit;			/* rows to show */
	bool histograms;
};

struct report_table {
	struct report_row *rows;
	size_t row_count;
	struct report_look look;
	/* What the report ends with. */
	uint64_t repaired, orphans, losses, gaps, roots;
	uint64_t counted;		/* calls in the rows without times */
	uint64_t hits;			/* ... and hits of tracepoints */
	uint64_t counted_lost;
	uint64_t nameless;		/* functions in the rows that nothing names */
	uint64_t fileless;		/* ... in no file that is known, as in version 0 */
	uint64_t counts_left_out;		/* they are no single thread's */
	uint64_t least_event_ps, most_event_ps;	/* what an event is taken to have cost; 0: nothing was taken off */
	struct report_losses lost;
};

/* Sorts the rows: numbers the largest first, names and places in their order; equals by name. */
void report_table_write(struct report_table *table, struct output *out);

/* What it ends with: a line of text each, or members of a JSON object, each with its comma in front. */
void report_notes_text(const struct report_table *table, size_t shown, struct output *out);
void report_notes_json(const struct report_table *table, size_t shown, struct output *out);

#endif
