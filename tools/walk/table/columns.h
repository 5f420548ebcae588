/* SPDX-License-Identifier: MIT */
/* columns.h - the columns of a report, and their values in a row. */
#ifndef SPOOR_TOOLS_REPORT_COLUMNS_H
#define SPOOR_TOOLS_REPORT_COLUMNS_H

#include <stddef.h>

#include "walk/table/statistics.h"

struct symbol_file;

/* What a row of a report stands for. */
enum report_group { GROUP_FUNCTION, GROUP_LIBRARY, GROUP_FILE, GROUP_THREAD, GROUP_PROCESS, GROUP_COUNT };

struct report_row {
	/* Owned by the row; null if rows of this kind have no such text. */
	char *name, *short_name, *library, *file, *thread_name, *process_name;
	uint32_t line;			/* 0: not known */
	int64_t process_id;
	uint32_t thread_id;
	struct report_statistics statistics;
	struct symbol_file *symbols;	/* of function `local`; null: unknown. Valid while its trace is open */
	uint32_t local;
	bool is_tracepoint;		/* a static tracepoint; the row counts its hits */
	uint64_t self_share;		/* of the self time of all rows, in units of 0.01 % */
	uint64_t sort_number;		/* value of the column that sorts the rows; 0: none */
};

/* In the order of CSV. The first eight never change. */
enum report_column {
	COLUMN_FUNCTION,
	COLUMN_LIBRARY,
	COLUMN_CALLS,
	COLUMN_TOTAL,
	COLUMN_SELF,
	COLUMN_AVG,
	COLUMN_MIN,
	COLUMN_MAX,
	COLUMN_STDDEV,
	COLUMN_P50,
	COLUMN_P99,
	COLUMN_FILE,
	COLUMN_LINE,
	COLUMN_PROCESS,
	COLUMN_THREAD,
	COLUMN_THREAD_NAME,
	COLUMN_PROCESS_NAME,
	COLUMN_SHORT_NAME,
	COLUMN_PERCENT,
	COLUMN_CPU,
	COLUMN_WAIT,
	COLUMN_PREEMPTED,
	COLUMN_FAULTS,
	COLUMN_SELF_CPU,
	COLUMN_SELF_WAIT,
	COLUMN_COUNT,
};

typedef uint32_t report_columns;	/* one bit for each column */
#define COLUMN_BIT(column) (1u << (column))
#define COLUMNS_ALL (COLUMN_BIT(COLUMN_COUNT) - 1)
/* Of traces of `spoor record --sched`. */
#define COLUMNS_SCHED (COLUMN_BIT(COLUMN_SELF_WAIT + 1) - COLUMN_BIT(COLUMN_CPU))
#define COLUMNS_NUMBERS ((COLUMN_BIT(COLUMN_P99 + 1) - COLUMN_BIT(COLUMN_CALLS)) | COLUMNS_SCHED)

enum report_kind {
	KIND_COUNT,	/* sorts the largest first */
	KIND_TIME,	/* in ns; sorts the largest first */
	KIND_PERCENT,	/* in units of 0.01 %; sorts the largest first */
	KIND_ID,	/* sorts the smallest first */
	KIND_TEXT,
};

struct report_column_facts {
	const char *key;	/* in options */
	const char *name;	/* in CSV and JSON */
	const char *title;	/* in text */
	enum report_kind kind;
};

extern const struct report_column_facts report_column_facts[COLUMN_COUNT];
extern const char *const report_group_keys[GROUP_COUNT];

/* Returns the columns that rows of this group have. */
report_columns report_group_columns(enum report_group group);

/* Returns the columns that text shows by default. */
report_columns report_group_default(enum report_group group);

/* Returns the column with this key, or COLUMN_COUNT. */
enum report_column report_column_find(const char *key, size_t length);

/* report_columns_parse - parses "calls,p99" or "all". A leading '+' adds the columns to @standard. Returns 0, or
 * SPOOR_EXIT_USAGE after a message. */
int report_columns_parse(const char *argument, report_columns standard, report_columns *columns);

/* Gives a number, in ns if it is a time. Returns whether the row has it. */
bool report_row_number(const struct report_row *row, enum report_column column, uint64_t *number);

/* Writes a number of 0.01 % as "12.34" to @text, of at least 24 bytes. Returns @text. */
const char *report_percent_text(uint64_t number, char *text);

/* Returns a text; "" if the row has no such text. */
const char *report_row_text(const struct report_row *row, enum report_column column);

void report_row_free(struct report_row *row);

#endif
