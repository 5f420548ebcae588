/* SPDX-License-Identifier: MIT */
/* table.c - sorts and writes the rows of a report. */
#include "walk/table/table.h"

#include <stdlib.h>
#include <string.h>

#include "walk/table/duration_histogram.h"

#define TEXT_WIDTH_MAX 32u

static enum report_column sort_key;	/* for the comparison, because qsort passes no context */

static uint64_t number_or_0(const struct report_row *row, enum report_column column)
{
	uint64_t number;

	return report_row_number(row, column, &number) ? number : 0;
}

static int compare_numbers(const struct report_row *a, const struct report_row *b, enum report_column column)
{
	/* A percentile is computed once for each row, not for each comparison. */
	uint64_t a_number = column == sort_key ? a->sort_number : number_or_0(a, column);
	uint64_t b_number = column == sort_key ? b->sort_number : number_or_0(b, column);

	if (a_number == b_number)
		return 0;
	return (a_number > b_number) == (report_column_facts[column].kind != KIND_ID) ? -1 : 1;
}

static int compare(const struct report_row *a, const struct report_row *b, enum report_column column)
{
	if (report_column_facts[column].kind != KIND_TEXT)
		return compare_numbers(a, b, column);
	return strcmp(report_row_text(a, column), report_row_text(b, column));
}

static int compare_rows(const void *left, const void *right)
{
	static const enum report_column others[] = { COLUMN_FUNCTION, COLUMN_LIBRARY, COLUMN_FILE, COLUMN_LINE,
						     COLUMN_PROCESS, COLUMN_THREAD };
	int order = compare(left, right, sort_key);

	if (!order && sort_key == COLUMN_FILE)
		order = compare(left, right, COLUMN_LINE);
	/* If no row has times, as in count mode. */
	if (!order && report_column_facts[sort_key].kind == KIND_TIME)
		order = compare(left, right, COLUMN_CALLS);
	for (size_t i = 0; !order && i < sizeof(others) / sizeof(*others); i++)
		order = compare(left, right, others[i]);
	return order;
}

static bool has_column(const struct report_table *table, enum report_column column)
{
	return table->look.columns >> column & 1;
}

static void write_csv_head(const struct report_table *table, struct output *out)
{
	bool any = false;

	for (enum report_column column = 0; column < COLUMN_COUNT; column++) {
		if (!has_column(table, column))
			continue;
		if (any)
			output_char(out, ',');
		output_string(out, report_column_facts[column].name);
		any = true;
	}
	output_char(out, '\n');
}

static void write_csv(const struct report_table *table, struct output *out, const struct report_row *row)
{
	bool any = false;

	for (enum report_column column = 0; column < COLUMN_COUNT; column++) {
		uint64_t number;

		if (!has_column(table, column))
			continue;
		if (any)
			output_char(out, ',');
		any = true;
		if (report_column_facts[column].kind == KIND_TEXT)
			output_csv_field(out, report_row_text(row, column));
		else if (report_row_number(row, column, &number))
			output_number(out, number);
	}
	output_char(out, '\n');
}

static void write_json(const struct report_table *table, struct output *out, const struct report_row *row)
{
	const char *before = "{\"";

	for (enum report_column column = 0; column < COLUMN_COUNT; column++) {
		uint64_t number;

		if (!has_column(table, column))
			continue;
		output_string(out, before);
		output_string(out, report_column_facts[column].name);
		output_string(out, "\": ");
		before = ", \"";
		if (report_column_facts[column].kind == KIND_TEXT && *report_row_text(row, column)) {
			output_char(out, '"');
			output_json_string(out, report_row_text(row, column));
			output_char(out, '"');
		} else if (report_row_number(row, column, &number)) {
			output_number(out, number);
		} else {
			output_string(out, "null");
		}
	}
	if (table->look.histograms)
		report_histogram_json(&row->statistics, out);
	output_char(out, '}');
}

/* Names come after all numbers, the function's name last. */
static const enum report_column text_order[] = {
	COLUMN_CALLS, COLUMN_TOTAL, COLUMN_SELF, COLUMN_AVG, COLUMN_MIN, COLUMN_MAX, COLUMN_STDDEV,
	COLUMN_P50, COLUMN_P99, COLUMN_PROCESS, COLUMN_PROCESS_NAME, COLUMN_THREAD, COLUMN_THREAD_NAME,
	COLUMN_LIBRARY, COLUMN_LINE, COLUMN_FILE, COLUMN_FUNCTION,
};
#define TEXT_COLUMNS (sizeof(text_order) / sizeof(*text_order))

static size_t number_width(enum report_column column)
{
	return column == COLUMN_CALLS ? 13 : column == COLUMN_LINE ? 6 : OUTPUT_DURATION_WIDTH;
}

static void write_text_number(struct output *out, const struct report_row *row, enum report_column column)
{
	uint64_t number;

	if (!report_row_number(row, column, &number)) {
		output_spaces(out, number_width(column));
	} else if (report_column_facts[column].kind == KIND_TIME) {
		output_duration(out, number);
	} else if (report_column_facts[column].kind == KIND_COUNT) {
		output_grouped(out, number, (int)number_width(column));
	} else {
		size_t width = 1;

		for (uint64_t rest = number; rest >= 10; rest /= 10)
			width++;
		output_spaces(out, width < number_width(column) ? number_width(column) - width : 0);
		output_number(out, number);
	}
}

/* @row: null writes the titles */
static void write_text(const struct report_table *table, struct output *out, const struct report_row *row,
		       const size_t widths[COLUMN_COUNT])
{
	bool any = false;

	for (size_t i = 0; i < TEXT_COLUMNS; i++) {
		enum report_column column = text_order[i];
		bool is_text = report_column_facts[column].kind == KIND_TEXT, last = true;
		const char *text = row ? report_row_text(row, column) : report_column_facts[column].title;
		size_t length = strlen(text), width = is_text ? widths[column] : number_width(column);

		if (!has_column(table, column))
			continue;
		for (size_t j = i + 1; j < TEXT_COLUMNS; j++)
			last &= !has_column(table, text_order[j]);
		if (any)
			output_spaces(out, 2);
		any = true;
		if (!is_text && row) {
			write_text_number(out, row, column);
			continue;
		}
		if (!is_text && length < width)
			output_spaces(out, width - length);
		output_string(out, text);
		if (is_text && !last && length < width)
			output_spaces(out, width - length);
	}
	output_char(out, '\n');
}

static void write_rows_text(struct report_table *table, size_t shown, struct output *out)
{
	size_t widths[COLUMN_COUNT];

	for (enum report_column column = 0; column < COLUMN_COUNT; column++) {
		widths[column] = strlen(report_column_facts[column].title);
		for (size_t i = 0; i < shown; i++) {
			size_t width = strlen(report_row_text(&table->rows[i], column));

			if (width > widths[column] && width <= TEXT_WIDTH_MAX)
				widths[column] = width;
		}
	}
	write_text(table, out, NULL, widths);
	for (size_t i = 0; i < shown && !output_failed(out); i++) {
		write_text(table, out, &table->rows[i], widths);
		if (table->look.histograms)
			report_histogram_text(&table->rows[i].statistics, out);
	}
}

static void write_rows_json(struct report_table *table, size_t shown, struct output *out)
{
	output_string(out, "{\"schema\": \"spoor.report/1\", \"group\": \"");
	output_string(out, report_group_keys[table->look.group]);
	output_string(out, "\", \"rows\": [");
	for (size_t i = 0; i < shown && !output_failed(out); i++) {
		output_string(out, i ? ",\n  " : "\n  ");
		write_json(table, out, &table->rows[i]);
	}
	output_string(out, "\n]");
	report_notes_json(table, shown, out);
	output_string(out, "}\n");
}

void report_table_write(struct report_table *table, struct output *out)
{
	size_t shown = table->look.limit < table->row_count ? table->look.limit : table->row_count;

	sort_key = table->look.sort;
	for (size_t i = 0; i < table->row_count; i++)
		table->rows[i].sort_number = number_or_0(&table->rows[i], sort_key);
	if (table->row_count)
		qsort(table->rows, table->row_count, sizeof(*table->rows), compare_rows);
	if (table->look.format == REPORT_JSON) {
		write_rows_json(table, shown, out);
	} else if (table->look.format == REPORT_CSV) {
		write_csv_head(table, out);
		for (size_t i = 0; i < shown && !output_failed(out); i++)
			write_csv(table, out, &table->rows[i]);
	} else {
		write_rows_text(table, shown, out);
		report_notes_text(table, shown, out);
	}
}
