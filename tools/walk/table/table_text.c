/* SPDX-License-Identifier: MIT */
/*
 * table_text.c - writes the rows of a report as text that fits the terminal.
 *
 * If a line has not enough room for the names of functions, columns disappear in this order: max, min,
 * avg, library. Then names lose their middle. Columns that the user chose stay.
 */
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/elided.h"
#include "reader/files/map64.h"
#include "walk/table/duration_histogram.h"
#include "walk/table/table.h"

#define TEXT_WIDTH_MAX 32u	/* of a column of names that is not the last one */
#define NAME_ROOM 72u		/* names of functions get at least this, before columns stay */
#define NAME_ROOM_LEAST 16u

/* Names come after all numbers, the function's name last. */
static const enum report_column text_order[] = {
	COLUMN_CALLS, COLUMN_TOTAL, COLUMN_CPU, COLUMN_WAIT, COLUMN_PREEMPTED, COLUMN_FAULTS, COLUMN_SELF, COLUMN_SELF_CPU,
	COLUMN_SELF_WAIT, COLUMN_PERCENT, COLUMN_AVG, COLUMN_MIN, COLUMN_MAX, COLUMN_STDDEV,
	COLUMN_P50, COLUMN_P99, COLUMN_PROCESS, COLUMN_PROCESS_NAME, COLUMN_THREAD, COLUMN_THREAD_NAME,
	COLUMN_LIBRARY, COLUMN_LINE, COLUMN_FILE, COLUMN_SHORT_NAME, COLUMN_FUNCTION,
};
#define TEXT_COLUMNS (sizeof(text_order) / sizeof(*text_order))

static const enum report_column drop_order[] = { COLUMN_MAX, COLUMN_MIN, COLUMN_AVG, COLUMN_LIBRARY };

/* What write_rows decides before it writes. */
struct text_layout {
	report_columns columns;
	enum report_column last;	/* the last column, which needs no padding */
	size_t widths[COLUMN_COUNT];
	size_t room;			/* for the last column; 0: no limit */
};

static bool has(report_columns columns, enum report_column column)
{
	return columns >> column & 1;
}

static const char *shown_text(const struct report_row *row, enum report_column column)
{
	if (column == COLUMN_FUNCTION && row->short_name)
		return row->short_name;
	return report_row_text(row, column);
}

/* Writes a number at the right end of the column's width. Returns its length. @out: null only measures */
static size_t put_number(struct output *out, const struct report_row *row, enum report_column column, size_t width)
{
	uint64_t number;
	char text[48];
	size_t length = 0;

	if (!report_row_number(row, column, &number)) {
		text[0] = '\0';
	} else if (report_column_facts[column].kind == KIND_TIME) {
		length = (size_t)(output_duration_at(text, number) - text);
	} else if (report_column_facts[column].kind == KIND_PERCENT) {
		length = strlen(report_percent_text(number, text));
	} else if (report_column_facts[column].kind == KIND_COUNT) {
		length = output_grouped_at(text, number);
	} else {
		length = (size_t)snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
	}
	if (out) {
		output_spaces(out, width > length ? width - length : 0);
		output_put(out, text, length);
	}
	return length;
}

static size_t column_width(const struct report_table *table, size_t shown, enum report_column column)
{
	bool is_text = report_column_facts[column].kind == KIND_TEXT;
	size_t widest = strlen(report_column_facts[column].title);

	if (column == COLUMN_CALLS && widest < table->look.calls_width)
		widest = table->look.calls_width;

	for (size_t i = 0; i < shown; i++) {
		size_t width = is_text ? strlen(shown_text(&table->rows[i], column)) :
					 put_number(NULL, &table->rows[i], column, 0);

		/* A few long names do not push the columns apart. */
		if (width > widest && (!is_text || column == COLUMN_FUNCTION || width <= TEXT_WIDTH_MAX))
			widest = width;
	}
	return widest;
}

/* Returns the width of all columns but the last, with the spaces after each. */
static size_t width_before_last(const struct text_layout *layout)
{
	size_t width = 0;

	for (size_t i = 0; i < TEXT_COLUMNS; i++)
		if (has(layout->columns, text_order[i]) && text_order[i] != layout->last)
			width += layout->widths[text_order[i]] + 2;
	return width;
}

static struct text_layout lay_out(const struct report_table *table, size_t shown)
{
	struct text_layout layout = { .columns = table->look.columns, .last = COLUMN_COUNT };
	size_t wanted, width;

	for (size_t i = 0; i < TEXT_COLUMNS; i++)
		if (has(layout.columns, text_order[i])) {
			layout.widths[text_order[i]] = column_width(table, shown, text_order[i]);
			layout.last = text_order[i];
		}
	if (!table->look.width || layout.last != COLUMN_FUNCTION)
		return layout;
	wanted = layout.widths[COLUMN_FUNCTION] < NAME_ROOM ? layout.widths[COLUMN_FUNCTION] : NAME_ROOM;
	for (size_t i = 0; i < sizeof(drop_order) / sizeof(*drop_order); i++)
		if (width_before_last(&layout) + wanted > table->look.width && !has(table->look.fixed, drop_order[i]))
			layout.columns &= ~COLUMN_BIT(drop_order[i]);
	width = width_before_last(&layout);
	layout.room = table->look.width > width + NAME_ROOM_LEAST ? table->look.width - width : NAME_ROOM_LEAST;
	return layout;
}

/* Writes the last name of a row, without its middle if it is too long. Names that would look alike then get a number. */
static void put_last(struct output *out, const char *text, const struct text_layout *layout, struct map64 *used)
{
	char elided[ELIDED_MAX + 1];
	uint32_t *times;

	if (!layout->room || strlen(text) <= layout->room) {
		output_string(out, text);
		return;
	}
	elide(text, layout->room, 0, elided);
	times = map64_at(used, XXH3_64bits(elided, strlen(elided)));
	if (times && ++*times > 1)
		elide(text, layout->room, *times, elided);
	output_string(out, elided);
}

/* @row: null writes the titles */
static void write_row(struct output *out, const struct report_row *row, const struct text_layout *layout,
		      struct map64 *used)
{
	bool any = false;

	for (size_t i = 0; i < TEXT_COLUMNS; i++) {
		enum report_column column = text_order[i];
		bool is_text = report_column_facts[column].kind == KIND_TEXT;
		size_t width = layout->widths[column];

		if (!has(layout->columns, column))
			continue;
		if (any)
			output_spaces(out, 2);
		any = true;
		if (row && !is_text) {
			put_number(out, row, column, width);
		} else {
			const char *text = row ? shown_text(row, column) : report_column_facts[column].title;
			size_t length = strlen(text), padding = length < width ? width - length : 0;

			if (!is_text)
				output_spaces(out, padding);
			if (column == layout->last)
				put_last(out, text, layout, used);
			else
				output_string(out, text);
			if (is_text && column != layout->last)
				output_spaces(out, padding);
		}
	}
	output_char(out, '\n');
}

void report_rows_text(const struct report_table *table, size_t shown, struct output *out)
{
	struct text_layout layout = lay_out(table, shown);
	struct map64 used = { 0 };

	write_row(out, NULL, &layout, &used);
	for (size_t i = 0; i < shown && !output_failed(out); i++) {
		write_row(out, &table->rows[i], &layout, &used);
		if (table->look.histograms)
			report_histogram_text(&table->rows[i].statistics, out);
	}
	map64_free(&used);
}
