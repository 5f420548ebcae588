/* SPDX-License-Identifier: MIT */
/* diff_formats.c - writes the differences between two reports as text, CSV or JSON. */
#include <stdio.h>

#include "report/diff.h"

#define CHANGE_WIDTH 12		/* a difference with its sign, in characters */
#define PERCENT_WIDTH 9

static bool has_column(const struct report_diff_shown *shown, enum report_column column)
{
	return shown->diff->look->columns >> column & 1;
}

static bool is_number(enum report_column column)
{
	return COLUMNS_NUMBERS >> column & 1;
}

/* Returns the row whose names are shown: the later one, if there is one. */
static const struct report_row *named_row(const struct report_pair *pair)
{
	return pair->rows[1] ? pair->rows[1] : pair->rows[0];
}

static const char *presence(const struct report_pair *pair)
{
	return pair->rows[0] && pair->rows[1] ? "both" : pair->rows[0] ? "before" : "after";
}

static void put_sign(const struct report_change *change, struct output *out)
{
	if (change->size)
		output_char(out, change->is_less ? '-' : '+');
}

/* Writes the change in percent of the value before. Returns false if that value is missing or 0. */
static bool percent_text(const struct report_change *change, char text[40], const char *format)
{
	if (!change->has_both || !change->values[0])
		return false;
	snprintf(text, 40, format, (change->is_less ? -100.0 : 100.0) * (double)change->size / (double)change->values[0]);
	return true;
}

static size_t value_width(enum report_column column)
{
	return column == COLUMN_CALLS ? 13 : 14;
}

static void put_text_value(const struct report_change *change, int i, enum report_column column, struct output *out)
{
	if (!change->has[i]) {
		output_spaces(out, value_width(column));
	} else if (column == COLUMN_CALLS) {
		output_grouped(out, change->values[i], (int)value_width(column));
	} else {
		output_spaces(out, value_width(column) - OUTPUT_DURATION_WIDTH);
		output_duration(out, change->values[i]);
	}
}

static void put_text_change(const struct report_change *change, enum report_column column, struct output *out)
{
	char text[40], *at = text, *begin = text;
	size_t length;

	if (!change->has_both) {
		output_spaces(out, CHANGE_WIDTH + 2 + PERCENT_WIDTH);
		return;
	}
	if (column == COLUMN_CALLS) {
		at += output_grouped_at(text, change->size);
	} else {
		at = output_duration_at(text, change->size);
		while (*begin == ' ')
			begin++;
	}
	length = (size_t)(at - begin) + (change->size != 0);
	output_spaces(out, length < CHANGE_WIDTH ? CHANGE_WIDTH - length : 0);
	put_sign(change, out);
	output_put(out, begin, (size_t)(at - begin));
	if (!percent_text(change, text, "%+.1f %%"))
		snprintf(text, sizeof(text), "%s", change->size ? "new" : "");
	length = strlen(text);
	output_spaces(out, 2 + (length < PERCENT_WIDTH ? PERCENT_WIDTH - length : 0));
	output_string(out, text);
}

static void put_right(const char *text, size_t width, struct output *out)
{
	size_t length = strlen(text);

	output_spaces(out, length < width ? width - length : 0);
	output_string(out, text);
}

static void put_title(enum report_column column, struct output *out)
{
	char text[40];

	snprintf(text, sizeof(text), "%s BEFORE", report_column_facts[column].title);
	put_right(text, value_width(column), out);
	output_spaces(out, 2);
	snprintf(text, sizeof(text), "%s AFTER", report_column_facts[column].title);
	put_right(text, value_width(column), out);
	put_right("CHANGE", 2 + CHANGE_WIDTH, out);
	output_spaces(out, 2 + PERCENT_WIDTH);
	output_spaces(out, 2);
}

static void put_names(const struct report_diff_shown *shown, const struct report_pair *pair, size_t width,
		      struct output *out)
{
	static const enum report_column names[] = { COLUMN_LIBRARY, COLUMN_LINE, COLUMN_FILE, COLUMN_FUNCTION };
	const struct report_row *row = pair ? named_row(pair) : NULL;
	const char *before = "";

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *text = row ? report_row_text(row, names[i]) : report_column_facts[names[i]].title;
		char line[16];

		if (!has_column(shown, names[i]))
			continue;
		output_string(out, before);
		before = "  ";
		if (names[i] == COLUMN_LINE) {
			snprintf(line, sizeof(line), "%u", row ? row->line : 0);
			put_right(!row ? text : row->line ? line : "", 6, out);
			continue;
		}
		output_string(out, text);
		if (names[i] == COLUMN_LIBRARY && (shown->diff->look->columns & ~COLUMNS_NUMBERS) != COLUMN_BIT(COLUMN_LIBRARY))
			output_spaces(out, strlen(text) < width ? width - strlen(text) : 0);
	}
	output_char(out, '\n');
}

/* Writes "# 3 functions are in ...", or no line if @count is 0. */
static void put_note(uint64_t count, const char *one, const char *many, const char *what, struct output *out)
{
	if (!count)
		return;
	output_string(out, "# ");
	output_grouped(out, count, 0);
	output_string(out, count == 1 ? one : many);
	output_string(out, what);
	output_char(out, '\n');
}

void report_diff_text(const struct report_diff_shown *shown, struct output *out)
{
	const struct report_diff *diff = shown->diff;
	size_t width = strlen("LIBRARY");

	for (size_t i = 0; i < shown->count; i++) {
		size_t length = strlen(report_row_text(named_row(&shown->pairs[i]), COLUMN_LIBRARY));

		if (length > width && length <= 24)
			width = length;
	}
	for (enum report_column column = 0; column < COLUMN_COUNT; column++)
		if (is_number(column) && has_column(shown, column))
			put_title(column, out);
	put_names(shown, NULL, width, out);
	for (size_t i = 0; i < shown->count && !output_failed(out); i++) {
		for (enum report_column column = 0; column < COLUMN_COUNT; column++) {
			struct report_change change;

			if (!is_number(column) || !has_column(shown, column))
				continue;
			change = report_pair_change(&shown->pairs[i], column);
			put_text_value(&change, 0, column, out);
			output_spaces(out, 2);
			put_text_value(&change, 1, column, out);
			output_spaces(out, 2);
			put_text_change(&change, column, out);
			output_spaces(out, 2);
		}
		put_names(shown, &shown->pairs[i], width, out);
	}
	put_note(shown->unchanged, " row is not shown: it changed by less than --threshold",
		 " rows are not shown: they changed by less than --threshold", "", out);
	put_note(shown->beyond_limit, " row is not shown: --limit", " rows are not shown: --limit", "", out);
	for (int i = 0; i < 2; i++)
		put_note(shown->unmatched[i], " row is only in ", " rows are only in ", diff->paths[i], out);
	for (int i = 0; i < 2; i++) {
		output_string(out, i ? "# AFTER: " : "# BEFORE: ");
		output_string(out, diff->paths[i]);
		output_char(out, '\n');
		report_notes_text(diff->tables[i], diff->tables[i]->row_count, out);
	}
}

void report_diff_csv(const struct report_diff_shown *shown, struct output *out)
{
	for (enum report_column column = 0; column < COLUMN_COUNT; column++) {
		const char *name = report_column_facts[column].name;
		char text[200];

		if (!has_column(shown, column))
			continue;
		snprintf(text, sizeof(text), is_number(column) ? "%s_before,%s_after,%s_change,%s_percent," : "%s,", name, name,
			 name, name);
		output_string(out, text);
	}
	output_string(out, "in\n");
	for (size_t i = 0; i < shown->count && !output_failed(out); i++) {
		const struct report_pair *pair = &shown->pairs[i];

		for (enum report_column column = 0; column < COLUMN_COUNT; column++) {
			struct report_change change;
			char text[40];
			uint64_t number;

			if (!has_column(shown, column))
				continue;
			if (is_number(column)) {
				change = report_pair_change(pair, column);
				for (int j = 0; j < 2; j++) {
					if (change.has[j])
						output_number(out, change.values[j]);
					output_char(out, ',');
				}
				if (change.has_both) {
					if (change.is_less)
						output_char(out, '-');
					output_number(out, change.size);
				}
				output_char(out, ',');
				if (percent_text(&change, text, "%.2f"))
					output_string(out, text);
			} else if (report_column_facts[column].kind == KIND_TEXT) {
				output_csv_field(out, report_row_text(named_row(pair), column));
			} else if (report_row_number(named_row(pair), column, &number)) {
				output_number(out, number);
			}
			output_char(out, ',');
		}
		output_string(out, presence(pair));
		output_char(out, '\n');
	}
}

static void put_json_change(const struct report_pair *pair, enum report_column column, struct output *out)
{
	static const char *const keys[] = { "{\"before\": ", ", \"after\": " };
	struct report_change change = report_pair_change(pair, column);
	char text[40];

	for (int i = 0; i < 2; i++) {
		output_string(out, keys[i]);
		if (change.has[i])
			output_number(out, change.values[i]);
		else
			output_string(out, "null");
	}
	output_string(out, ", \"change\": ");
	if (change.has_both) {
		if (change.is_less)
			output_char(out, '-');
		output_number(out, change.size);
	} else {
		output_string(out, "null");
	}
	output_string(out, ", \"percent\": ");
	output_string(out, percent_text(&change, text, "%.2f") ? text : "null");
	output_char(out, '}');
}

static void put_json_row(const struct report_diff_shown *shown, const struct report_pair *pair, struct output *out)
{
	output_string(out, "{\"in\": \"");
	output_string(out, presence(pair));
	output_char(out, '"');
	for (enum report_column column = 0; column < COLUMN_COUNT; column++) {
		uint64_t number;

		if (!has_column(shown, column))
			continue;
		output_string(out, ", \"");
		output_string(out, report_column_facts[column].name);
		output_string(out, "\": ");
		if (is_number(column)) {
			put_json_change(pair, column, out);
		} else if (report_column_facts[column].kind == KIND_TEXT && *report_row_text(named_row(pair), column)) {
			output_char(out, '"');
			output_json_string(out, report_row_text(named_row(pair), column));
			output_char(out, '"');
		} else if (report_row_number(named_row(pair), column, &number)) {
			output_number(out, number);
		} else {
			output_string(out, "null");
		}
	}
	output_char(out, '}');
}

void report_diff_json(const struct report_diff_shown *shown, struct output *out)
{
	const struct report_diff *diff = shown->diff;

	output_string(out, "{\"schema\": \"spoor.report-diff/1\", \"group\": \"");
	output_string(out, report_group_keys[diff->look->group]);
	output_string(out, "\", \"rows\": [");
	for (size_t i = 0; i < shown->count && !output_failed(out); i++) {
		output_string(out, i ? ",\n  " : "\n  ");
		put_json_row(shown, &shown->pairs[i], out);
	}
	output_string(out, "\n],\n \"rows_not_shown\": ");
	output_number(out, shown->unchanged + shown->beyond_limit);
	for (int i = 0; i < 2; i++) {
		output_string(out, i ? ",\n\"after\": {\"trace\": \"" : ",\n\"before\": {\"trace\": \"");
		output_json_string(out, diff->paths[i]);
		output_char(out, '"');
		report_notes_json(diff->tables[i], diff->tables[i]->row_count, out);
		output_char(out, '}');
	}
	output_string(out, "}\n");
}
