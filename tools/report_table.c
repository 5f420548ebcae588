/* SPDX-License-Identifier: MIT */
/* report_table.c - the rows of a report, sorted and written. */
#include "report_table.h"

#include <stdlib.h>
#include <string.h>

#define LIBRARY_WIDTH_MAX 24u

static uint64_t average(const struct report_statistics *statistics)
{
	return statistics->calls ? statistics->sum_ns / statistics->calls : 0;
}

static enum report_sort sort_key;	/* qsort has no argument to pass on */

static uint64_t sort_value(const struct report_row *row)
{
	const struct report_statistics *statistics = &row->statistics;

	switch (sort_key) {
	case SORT_TOTAL:
		return statistics->total_ns;
	case SORT_SELF:
		return statistics->self_ns;
	case SORT_CALLS:
		return statistics->calls + statistics->counted;
	case SORT_AVG:
		return average(statistics);
	case SORT_MIN:
		return statistics->min_ns;
	case SORT_MAX:
		return statistics->max_ns;
	default:
		return 0;
	}
}

static int compare_rows(const void *left, const void *right)
{
	const struct report_row *a = left, *b = right;
	uint64_t a_value = sort_value(a), b_value = sort_value(b);
	int order = 0;

	if (a_value != b_value)
		return a_value > b_value ? -1 : 1;
	if (sort_key == SORT_LIBRARY)
		order = strcmp(a->library, b->library);
	if (!order)
		order = strcmp(a->name, b->name);
	return order ? order : strcmp(a->library, b->library);
}

#define SINGLE 3	/* columns from here on are of single calls */

static void write_csv(const struct report_table *table, struct output *out, const struct report_row *row)
{
	const struct report_statistics *statistics = &row->statistics;
	const uint64_t numbers[] = { statistics->calls + statistics->counted, statistics->total_ns, statistics->self_ns,
				     average(statistics), statistics->min_ns, statistics->max_ns };

	(void)table;
	output_csv_field(out, row->name);
	output_char(out, ',');
	output_csv_field(out, row->library);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		output_char(out, ',');
		if (i == 0 || statistics->calls || (i < SINGLE && statistics->roots))
			output_number(out, numbers[i]);
	}
	output_char(out, '\n');
}

static void write_text(const struct report_table *table, struct output *out, const struct report_row *row)
{
	const struct report_statistics *statistics = &row->statistics;
	const uint64_t durations[] = { statistics->total_ns, statistics->self_ns, average(statistics),
				       statistics->min_ns, statistics->max_ns };

	output_grouped(out, statistics->calls + statistics->counted, 13);
	for (size_t i = 0; i < sizeof(durations) / sizeof(*durations); i++) {
		if (statistics->calls || (1 + i < SINGLE && statistics->roots)) {
			output_spaces(out, 2);
			output_duration(out, durations[i]);
		} else {
			output_spaces(out, 12);
		}
	}
	output_spaces(out, 2);
	output_string(out, row->library);
	output_spaces(out, 2 + (strlen(row->library) < table->library_width ?
				       table->library_width - strlen(row->library) : 0));
	output_string(out, row->name);
	output_char(out, '\n');
}

void report_table_write(struct report_table *table, struct output *out)
{
	size_t limit = table->limit < table->row_count ? table->limit : table->row_count;

	sort_key = table->sort;
	if (table->row_count)
		qsort(table->rows, table->row_count, sizeof(*table->rows), compare_rows);
	if (table->csv) {
		output_string(out, "function,library,calls,total_ns,self_ns,avg_ns,min_ns,max_ns\n");
	} else {
		table->library_width = strlen("LIBRARY");
		for (size_t i = 0; i < limit; i++) {
			size_t width = strlen(table->rows[i].library);

			if (width > table->library_width && width <= LIBRARY_WIDTH_MAX)
				table->library_width = width;
		}
		output_string(out, "        CALLS       TOTAL        SELF         AVG         MIN         MAX  LIBRARY");
		output_spaces(out, table->library_width - strlen("LIBRARY"));
		output_string(out, "  FUNCTION\n");
	}
	for (size_t i = 0; i < limit && !output_failed(out); i++)
		(table->csv ? write_csv : write_text)(table, out, &table->rows[i]);
	if (table->csv)
		return;
	const struct {
		uint64_t count;
		const char *one, *many;
	} notes[] = {
		{ table->row_count - limit, "function is not shown: --limit", "functions are not shown: --limit" },
		{ table->losses, "place where events are missing: times around it are not to be trusted",
		  "places where events are missing: times around them are not to be trusted" },
		{ table->repaired, "call was left without returning; it ends where a caller returned",
		  "calls were left without returning; they end where a caller returned" },
		{ table->gaps, "place where a thread's calls are not in the trace for a time: its open calls end there",
		  "places where a thread's calls are not in the trace for a time: its open calls end there" },
		{ table->roots, "call had begun before it could be recorded: it is not counted, and its time is that since then",
		  "calls had begun before they could be recorded: they are not counted, and their time is that since then" },
		{ table->counted, "call was counted: it has no times", "calls were counted: they have no times" },
		{ table->counted_lost, "call could not be counted", "calls could not be counted" },
		{ table->counts_left_out, "process has counts as well, which are of all threads and times: without --thread, --time and --min-duration",
		  "processes have counts as well, which are of all threads and times: without --thread, --time and --min-duration" },
		{ table->orphans, "return of a function whose entry is not in the trace",
		  "returns of functions whose entry is not in the trace" },
	};
	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++) {
		if (!notes[i].count)
			continue;
		output_string(out, "# ");
		output_grouped(out, notes[i].count, 0);
		output_char(out, ' ');
		output_string(out, notes[i].count == 1 ? notes[i].one : notes[i].many);
		output_char(out, '\n');
	}
}
