/* SPDX-License-Identifier: MIT */
/* table.c - sorts and writes the rows of a report. */
#include "walk/table/table.h"

#include <stdlib.h>
#include <string.h>

#include "walk/table/duration_histogram.h"

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

static void write_number(struct output *out, enum report_column column, uint64_t number)
{
	char text[24];

	if (report_column_facts[column].kind == KIND_PERCENT)
		output_string(out, report_percent_text(number, text));
	else
		output_number(out, number);
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
			write_number(out, column, number);
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
			write_number(out, column, number);
		} else {
			output_string(out, "null");
		}
	}
	if (table->look.histograms)
		report_histogram_json(&row->statistics, out);
	output_char(out, '}');
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

/* Sets the share of each row in the self time of all rows. */
static void set_shares(struct report_table *table)
{
	double sum = 0;

	for (size_t i = 0; i < table->row_count; i++)
		sum += (double)table->rows[i].statistics.self_ns;
	for (size_t i = 0; i < table->row_count && sum > 0; i++)
		table->rows[i].self_share = (uint64_t)((double)table->rows[i].statistics.self_ns / sum * 10000 + 0.5);
}

void report_table_write(struct report_table *table, struct output *out)
{
	size_t shown = table->look.limit < table->row_count ? table->look.limit : table->row_count;

	sort_key = table->look.sort;
	set_shares(table);
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
		report_rows_text(table, shown, out);
		report_notes_text(table, shown, out);
	}
}
