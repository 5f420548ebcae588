/* SPDX-License-Identifier: MIT */
/* columns.c - the columns of a report, and their values in a row. */
#include "walk/table/columns.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

const struct report_column_facts report_column_facts[COLUMN_COUNT] = {
	[COLUMN_FUNCTION] = { "function", "function", "FUNCTION", KIND_TEXT },
	[COLUMN_LIBRARY] = { "library", "library", "LIBRARY", KIND_TEXT },
	[COLUMN_CALLS] = { "calls", "calls", "CALLS", KIND_COUNT },
	[COLUMN_TOTAL] = { "total", "total_ns", "TOTAL", KIND_TIME },
	[COLUMN_SELF] = { "self", "self_ns", "SELF", KIND_TIME },
	[COLUMN_AVG] = { "avg", "avg_ns", "AVG", KIND_TIME },
	[COLUMN_MIN] = { "min", "min_ns", "MIN", KIND_TIME },
	[COLUMN_MAX] = { "max", "max_ns", "MAX", KIND_TIME },
	[COLUMN_STDDEV] = { "stddev", "stddev_ns", "STDDEV", KIND_TIME },
	[COLUMN_P50] = { "p50", "p50_ns", "P50", KIND_TIME },
	[COLUMN_P99] = { "p99", "p99_ns", "P99", KIND_TIME },
	[COLUMN_FILE] = { "file", "file", "FILE", KIND_TEXT },
	[COLUMN_LINE] = { "line", "line", "LINE", KIND_ID },
	[COLUMN_PROCESS] = { "process", "process", "PROCESS", KIND_ID },
	[COLUMN_THREAD] = { "thread", "thread", "THREAD", KIND_ID },
	[COLUMN_THREAD_NAME] = { "thread-name", "thread_name", "NAME", KIND_TEXT },
	[COLUMN_PROCESS_NAME] = { "process-name", "process_name", "PROGRAM", KIND_TEXT },
	[COLUMN_SHORT_NAME] = { "short-name", "short_name", "FUNCTION", KIND_TEXT },
	[COLUMN_PERCENT] = { "percent", "self_percent", "SELF%", KIND_PERCENT },
	[COLUMN_CPU] = { "cpu", "cpu_ns", "CPU", KIND_TIME },
	[COLUMN_WAIT] = { "wait", "wait_ns", "WAIT", KIND_TIME },
	[COLUMN_PREEMPTED] = { "preempted", "preempted_ns", "PREEMPTED", KIND_TIME },
	[COLUMN_FAULTS] = { "faults", "faults", "FAULTS", KIND_COUNT },
	[COLUMN_SELF_CPU] = { "self-cpu", "self_cpu_ns", "SELF-CPU", KIND_TIME },
	[COLUMN_SELF_WAIT] = { "self-wait", "self_wait_ns", "SELF-WAIT", KIND_TIME },
};

const char *const report_group_keys[GROUP_COUNT] = { "function", "library", "file", "thread", "process" };

report_columns report_group_columns(enum report_group group)
{
	static const report_columns own[GROUP_COUNT] = {
		[GROUP_FUNCTION] = COLUMN_BIT(COLUMN_FUNCTION) | COLUMN_BIT(COLUMN_LIBRARY) | COLUMN_BIT(COLUMN_FILE) |
				   COLUMN_BIT(COLUMN_LINE) | COLUMN_BIT(COLUMN_SHORT_NAME),
		[GROUP_LIBRARY] = COLUMN_BIT(COLUMN_LIBRARY),
		[GROUP_FILE] = COLUMN_BIT(COLUMN_FILE),
		[GROUP_THREAD] = COLUMN_BIT(COLUMN_PROCESS) | COLUMN_BIT(COLUMN_THREAD) | COLUMN_BIT(COLUMN_THREAD_NAME) |
				 COLUMN_BIT(COLUMN_PROCESS_NAME),
		[GROUP_PROCESS] = COLUMN_BIT(COLUMN_PROCESS) | COLUMN_BIT(COLUMN_PROCESS_NAME),
	};

	return own[group] | COLUMNS_NUMBERS | COLUMN_BIT(COLUMN_PERCENT);
}

report_columns report_group_default(enum report_group group)
{
	report_columns wide = COLUMN_BIT(COLUMN_STDDEV) | COLUMN_BIT(COLUMN_P50) | COLUMN_BIT(COLUMN_P99) | COLUMNS_SCHED;

	if (group == GROUP_FUNCTION)
		wide |= COLUMN_BIT(COLUMN_FILE) | COLUMN_BIT(COLUMN_LINE) | COLUMN_BIT(COLUMN_SHORT_NAME);
	else if (group == GROUP_THREAD)
		wide |= COLUMN_BIT(COLUMN_PROCESS_NAME);
	return report_group_columns(group) & ~wide;
}

enum report_column report_column_find(const char *key, size_t length)
{
	enum report_column column = COLUMN_FUNCTION;

	while (column < COLUMN_COUNT && (strncmp(report_column_facts[column].key, key, length) != 0 ||
					 report_column_facts[column].key[length]))
		column++;
	return column;
}

int report_columns_parse(const char *argument, report_columns standard, report_columns *columns)
{
	const char *at = argument + (*argument == '+');

	*columns = *argument == '+' ? standard : 0;
	for (;;) {
		size_t length = strcspn(at, ",");
		enum report_column column = report_column_find(at, length);

		if (length == 3 && strncmp(at, "all", 3) == 0)
			*columns = COLUMNS_ALL;
		else if (column == COLUMN_COUNT)
			return message_usage("--columns: unknown column '%.*s': 'spoor report --help' lists the "
					     "columns", (int)length, at);
		else
			*columns |= COLUMN_BIT(column);
		if (!at[length])
			return 0;
		at += length + 1;
	}
}

bool report_row_number(const struct report_row *row, enum report_column column, uint64_t *number)
{
	const struct report_statistics *statistics = &row->statistics;

	switch (column) {
	case COLUMN_CALLS:
		*number = statistics->calls + statistics->counted;
		return true;
	case COLUMN_TOTAL:
		*number = statistics->total_ns;
		return statistics->durations || statistics->roots;
	case COLUMN_SELF:
		*number = statistics->self_ns;
		return statistics->durations || statistics->roots;
	case COLUMN_PERCENT:
		*number = row->self_share;
		return statistics->durations || statistics->roots;
	case COLUMN_AVG:
		*number = report_statistics_average(statistics);
		return statistics->calls;
	case COLUMN_MIN:
		*number = statistics->min_ns;
		return statistics->durations;
	case COLUMN_MAX:
		*number = statistics->max_ns;
		return statistics->durations;
	case COLUMN_STDDEV:
		*number = report_statistics_deviation(statistics);
		return statistics->durations;
	case COLUMN_P50:
		*number = report_statistics_percentile(statistics, 50);
		return statistics->durations;
	case COLUMN_P99:
		*number = report_statistics_percentile(statistics, 99);
		return statistics->durations;
	case COLUMN_CPU:
		*number = statistics->has_spent ? sched_cpu_ns(&statistics->spent) : statistics->cpu_time_ns;
		return statistics->has_spent || report_statistics_has_cpu_time(statistics);
	case COLUMN_WAIT:
		*number = statistics->spent.wait_ns;
		return statistics->has_spent;
	case COLUMN_PREEMPTED:
		*number = statistics->spent.preempted_ns;
		return statistics->has_spent;
	case COLUMN_FAULTS:
		*number = statistics->spent.faults;
		return statistics->has_faults;
	case COLUMN_SELF_CPU:
		*number = sched_cpu_ns(&statistics->self_spent);
		return statistics->has_spent;
	case COLUMN_SELF_WAIT:
		*number = statistics->self_spent.wait_ns;
		return statistics->has_spent;
	case COLUMN_LINE:
		*number = row->line;
		return row->line;
	case COLUMN_PROCESS:
		*number = (uint64_t)row->process_id;
		return row->process_id || row->thread_id;
	case COLUMN_THREAD:
		*number = row->thread_id;
		return row->thread_id;
	default:
		return false;
	}
}

const char *report_percent_text(uint64_t number, char *text)
{
	snprintf(text, 24, "%" PRIu64 ".%02" PRIu64, number / 100, number % 100);
	return text;
}

const char *report_row_text(const struct report_row *row, enum report_column column)
{
	const char *text = column == COLUMN_FUNCTION     ? row->name :
			   column == COLUMN_SHORT_NAME   ? row->short_name :
			   column == COLUMN_LIBRARY      ? row->library :
			   column == COLUMN_FILE         ? row->file :
			   column == COLUMN_THREAD_NAME  ? row->thread_name :
			   column == COLUMN_PROCESS_NAME ? row->process_name : NULL;

	return text ? text : "";
}

void report_row_free(struct report_row *row)
{
	free(row->name);
	free(row->short_name);
	free(row->library);
	free(row->file);
	free(row->thread_name);
	free(row->process_name);
	histogram_free(&row->statistics.histogram);
}
