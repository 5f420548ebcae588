/* SPDX-License-Identifier: MIT */
/* table.h - sorts and writes the rows of a report. */
#ifndef SPOOR_TOOLS_REPORT_TABLE_H
#define SPOOR_TOOLS_REPORT_TABLE_H

#include "base/output.h"
#include "walk/table/columns.h"
#include "walk/table/losses.h"

enum report_format { REPORT_TEXT, REPORT_CSV, REPORT_JSON };

/* How a report looks. */
struct report_look {
	enum report_format format;
	enum report_group group;
	enum report_column sort;
	report_columns columns;
	size_t limit;			/* rows to show */
	bool histograms;
	report_columns fixed;		/* columns that text shows even if they do not fit */
	size_t calls_width;		/* least width of the calls, so that a table that is renewed stays in place */
	size_t width;			/* characters in a line of text; 0: no limit */
};

struct report_table {
	struct report_row *rows;
	size_t row_count;
	struct report_look look;
	/* For the notes at the end of the report. */
	uint64_t repaired, orphans, losses, gaps, roots;
	uint64_t counted;		/* calls without times in the rows */
	uint64_t hits;			/* ... and hits of tracepoints */
	uint64_t counted_lost;
	uint64_t nameless;		/* functions in the rows without a name */
	uint64_t fileless;		/* ... and without a known file, as in version 0 */
	uint64_t sched_lost;		/* switches and page faults that are missing */
	uint64_t cpu_times_missing;	/* calls with the processor time of their entry only */
	uint64_t counts_left_out;		/* counted calls, which belong to no single thread */
	uint64_t least_event_ps, most_event_ps;	/* assumed cost of an event; 0: no time was subtracted */
	struct report_losses lost;
};

/* Sorts the rows: numbers descending, names and places ascending; equal ones by name. */
void report_table_write(struct report_table *table, struct output *out);

/* Writes the titles and the first @shown rows as text that fits the width (table_text.c). */
void report_rows_text(const struct report_table *table, size_t shown, struct output *out);

/* Write the notes at the end: one line of text for each, or members of a JSON object, each after a comma. */
void report_notes_text(const struct report_table *table, size_t shown, struct output *out);
void report_notes_json(const struct report_table *table, size_t shown, struct output *out);

#endif
