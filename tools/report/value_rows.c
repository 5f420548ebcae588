/* SPDX-License-Identifier: MIT */
/* value_rows.c - the rows of a report by values, and their text. */
#include "report/value_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define ZERO_POWER 64
#define BAR_WIDTH 40

static struct value_row *find_row(struct value_rows *rows, const char *text)
{
	uint32_t *position = map64_at(&rows->row_of, XXH3_64bits(text, strlen(text)));

	if (!position)
		return NULL;
	if (*position)
		return &rows->rows[*position - 1];
	if (rows->count == rows->capacity) {
		size_t capacity = rows->capacity ? 2 * rows->capacity : 64;
		struct value_row *larger = reallocarray(rows->rows, capacity, sizeof(*larger));

		if (!larger)
			return NULL;
		rows->rows = larger;
		rows->capacity = capacity;
	}
	rows->rows[rows->count] = (struct value_row){ .text = strdup(text) };
	if (!rows->rows[rows->count].text)
		return NULL;
	*position = (uint32_t)++rows->count;
	return &rows->rows[rows->count - 1];
}

static void add_number(struct value_rows *rows, struct value_row *row, long double number)
{
	int power = 0;

	if (isnan(number))
		return;
	rows->least = rows->numbers && rows->least < number ? rows->least : number;
	rows->most = rows->numbers && rows->most > number ? rows->most : number;
	row->numbers++;
	rows->numbers++;
	row->sum += number;
	rows->sum += number;
	/* 1 is in [1, 2), which has power 1. */
	if (fabsl(number) >= 1)
		frexpl(number, &power);
	power = power > ZERO_POWER ? ZERO_POWER : power;
	rows->powers[ZERO_POWER + (number < 0 ? -power : power)]++;
}

int value_rows_add(struct value_rows *rows, const char *text, const struct shown_value *value, uint64_t duration_ns)
{
	struct value_row *row = find_row(rows, text);

	if (!row || histogram_add(&row->durations, duration_ns))
		return -ENOMEM;
	row->calls++;
	row->total_ns += duration_ns;
	rows->calls++;
	rows->total_ns += duration_ns;
	if (value->is_number)
		add_number(rows, row, value->number);
	return 0;
}

static uint64_t average(const struct value_row *row)
{
	return row->total_ns / row->calls;
}

static uint64_t p99(const struct value_row *row)
{
	return histogram_ranked_ns(&row->durations, row->calls - row->calls / 100);
}

/* Rows with the same number have the order of their texts. */
#define COMPARE(name, value)                                                                                         \
	static int name(const void *left, const void *right)                                                         \
	{                                                                                                            \
		const struct value_row *one = left, *other = right;                                                  \
                                                                                                                     \
		if (value(one) != value(other))                                                                      \
			return value(one) < value(other) ? 1 : -1;                                                   \
		return strcmp(one->text, other->text);                                                               \
	}
#define CALLS(row) ((row)->calls)
#define TOTAL(row) ((row)->total_ns)
#define SUM(row) ((row)->sum)
COMPARE(compare_calls, CALLS)
COMPARE(compare_totals, TOTAL)
COMPARE(compare_averages, average)
COMPARE(compare_p99, p99)
COMPARE(compare_sums, SUM)

static void sort(struct value_rows *rows, enum report_column column, bool by_caller)
{
	int (*compare)(const void *, const void *) = by_caller && rows->numbers ? compare_sums : compare_totals;

	if (column == COLUMN_CALLS)
		compare = compare_calls;
	else if (column == COLUMN_AVG)
		compare = compare_averages;
	else if (column == COLUMN_P99)
		compare = compare_p99;
	if (rows->count)
		qsort(rows->rows, rows->count, sizeof(*rows->rows), compare);
}

/* Whole numbers up to 2^63 are exact. */
static const char *number_text(long double number, char text[64])
{
	if (number == rintl(number) && fabsl(number) < 0x1p63L)
		snprintf(text, 64, "%.0Lf", number);
	else
		snprintf(text, 64, "%.6Lg", number);
	return text;
}

static void write_text_row(const struct value_row *row, bool has_sums, struct output *out)
{
	char number[64];

	output_grouped(out, row->calls, 12);
	output_string(out, "  ");
	output_duration(out, row->total_ns);
	output_string(out, "  ");
	output_duration(out, average(row));
	output_string(out, "  ");
	output_duration(out, p99(row));
	if (has_sums) {
		char padded[72];

		snprintf(padded, sizeof(padded), "  %18s", row->numbers ? number_text(row->sum, number) : "-");
		output_string(out, padded);
	}
	output_string(out, "  ");
	output_string(out, row->text);
	output_char(out, '\n');
}

/* The numbers of a power of two, as a range. */
static void write_range(int power, struct output *out)
{
	char text[80];
	long double least = power > ZERO_POWER ? ldexpl(1, power - ZERO_POWER - 1) : -ldexpl(1, ZERO_POWER - power);
	long double limit = power > ZERO_POWER ? 2 * least : least / 2;

	if (power == ZERO_POWER)
		snprintf(text, sizeof(text), "%43s", "-1 < value < 1");
	else if (power > ZERO_POWER)
		snprintf(text, sizeof(text), "%20.0Lf <= value < %-8.0Lf", least, limit);
	else
		snprintf(text, sizeof(text), "%20.0Lf < value <= %-8.0Lf", least, limit);
	output_string(out, text);
}

static void write_histogram(const struct value_rows *rows, struct output *out)
{
	uint64_t most = 1;

	for (int i = 0; i <= 2 * ZERO_POWER; i++)
		most = rows->powers[i] > most ? rows->powers[i] : most;
	output_char(out, '\n');
	for (int i = 0; i <= 2 * ZERO_POWER; i++) {
		if (!rows->powers[i])
			continue;
		write_range(i, out);
		output_grouped(out, rows->powers[i], 12);
		output_string(out, "  ");
		for (uint64_t bar = 0; bar < (rows->powers[i] * BAR_WIDTH + most - 1) / most; bar++)
			output_char(out, '#');
		output_char(out, '\n');
	}
}

static void write_text(const struct value_rows *rows, const struct report_look *look, const char *name, bool by_caller,
		       struct output *out)
{
	bool has_sums = rows->numbers;
	char numbers[3][64], line[320];

	output_string(out, "       CALLS       TOTAL         AVG         P99");
	if (has_sums) {
		snprintf(line, sizeof(line), "  %18s", "SUM");
		output_string(out, line);
	}
	output_string(out, by_caller ? "  CALLER\n" : "  VALUE\n");
	for (size_t i = 0; i < rows->count && i < look->limit; i++)
		write_text_row(&rows->rows[i], has_sums, out);
	if (rows->count > look->limit) {
		snprintf(line, sizeof(line), "# %zu more rows are not shown: use --limit\n", rows->count - look->limit);
		output_string(out, line);
	}
	if (has_sums) {
		snprintf(line, sizeof(line), "# %.100s: %" PRIu64 " numbers from %s to %s, sum %s\n", name, rows->numbers,
			 number_text(rows->least, numbers[0]), number_text(rows->most, numbers[1]), number_text(rows->sum, numbers[2]));
		output_string(out, line);
	}
	if (look->histograms && has_sums)
		write_histogram(rows, out);
}

static void write_csv(const struct value_rows *rows, const struct report_look *look, bool by_caller, struct output *out)
{
	char number[64];

	output_string(out, by_caller ? "caller,calls,total,avg,p99,sum\r\n" : "value,calls,total,avg,p99,sum\r\n");
	for (size_t i = 0; i < rows->count && i < look->limit; i++) {
		const struct value_row *row = &rows->rows[i];
		uint64_t fields[] = { row->calls, row->total_ns, average(row), p99(row) };

		output_csv_field(out, row->text);
		for (size_t k = 0; k < 4; k++) {
			output_char(out, ',');
			output_number(out, fields[k]);
		}
		output_char(out, ',');
		output_string(out, row->numbers ? number_text(row->sum, number) : "");
		output_string(out, "\r\n");
	}
}

static void write_json(const struct value_rows *rows, const struct report_look *look, const char *name, bool by_caller,
		       struct output *out)
{
	static const char *const keys[] = { "calls", "total_ns", "avg_ns", "p99_ns" };
	char number[64];

	output_string(out, "{\"schema\": \"spoor.report-values/1\", \"value\": \"");
	output_json_string(out, name);
	output_string(out, "\", \"rows\": [");
	for (size_t i = 0; i < rows->count && i < look->limit; i++) {
		const struct value_row *row = &rows->rows[i];
		uint64_t fields[] = { row->calls, row->total_ns, average(row), p99(row) };

		output_string(out, i ? ",\n{\"" : "\n{\"");
		output_string(out, by_caller ? "caller\": \"" : "value\": \"");
		output_json_string(out, row->text);
		output_char(out, '"');
		for (size_t k = 0; k < 4; k++) {
			output_string(out, ", \"");
			output_string(out, keys[k]);
			output_string(out, "\": ");
			output_number(out, fields[k]);
		}
		/* JSON has no infinity. */
		if (row->numbers && isfinite(row->sum)) {
			output_string(out, ", \"sum\": ");
			output_string(out, number_text(row->sum, number));
		}
		output_char(out, '}');
	}
	output_string(out, "\n]}\n");
}

void value_rows_write(struct value_rows *rows, const struct report_look *look, const char *name, bool by_caller,
		      struct output *out)
{
	sort(rows, look->sort, by_caller);
	if (look->format == REPORT_CSV)
		write_csv(rows, look, by_caller, out);
	else if (look->format == REPORT_JSON)
		write_json(rows, look, name, by_caller, out);
	else
		write_text(rows, look, name, by_caller, out);
}

void value_rows_free(struct value_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		free(rows->rows[i].text);
		histogram_free(&rows->rows[i].durations);
	}
	free(rows->rows);
	map64_free(&rows->row_of);
}
