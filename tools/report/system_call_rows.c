/* SPDX-License-Identifier: MIT */
/*
 * system_call_rows.c - adds up the system calls of all threads of traces, by name.
 *
 * Includes children that run programs without sleds: the file sched.spoor has them, and no folder of a process does.
 * A call without an end in the trace counts and has no time.
 */
#include "report/system_call_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/message.h"
#include "reader/files/trace_reader.h"
#include "reader/sched/thread_calls.h"

struct row {
	char *name;
	int64_t group;			/* the process or the thread; 0: all */
	uint64_t calls, ended, errors;
	uint64_t total_ns, max_ns;
};

struct rows {
	struct row *list;
	size_t count, room;
	struct map64 at;		/* position + 1, by the hash of group and name */
	uint64_t without_end, lost;
};

static void no_memory(void)
{
	message("out of memory for the report");
	exit(SPOOR_EXIT_BAD_TRACE);
}

int report_system_calls_check(const struct report_request *request, bool has_columns)
{
	const struct walk_choice *choice = &request->choice;
	enum report_column sort = request->look.sort;

	if (request->is_diff || request->by || request->by_caller || request->compensates || has_columns ||
	    request->look.histograms || request->threshold.kind)
		return message_usage("--syscalls does not allow --diff, --by, --callers, --compensate, --columns, --histogram or "
				     "--threshold");
	if (choice->functions || choice->libraries || choice->has_range || choice->least_ns || choice->condition)
		return message_usage("--syscalls does not allow --function, --module, --time, --min-duration or --where");
	if (request->look.group == GROUP_LIBRARY || request->look.group == GROUP_FILE)
		return message_usage("--syscalls: cannot group by %s: use thread or process", report_group_keys[request->look.group]);
	if (sort != COLUMN_COUNT && sort != COLUMN_CALLS && sort != COLUMN_TOTAL && sort != COLUMN_AVG && sort != COLUMN_MAX)
		return message_usage("--syscalls: cannot sort by %s: use calls, total, avg or max", report_column_facts[sort].key);
	return 0;
}

static struct row *find_row(struct rows *rows, int64_t group, const char *name)
{
	uint32_t *at = map64_at(&rows->at, XXH3_64bits_withSeed(name, strlen(name), (uint64_t)group));

	if (!at)
		no_memory();
	if (*at)
		return &rows->list[*at - 1];
	if (rows->count == rows->room) {
		size_t room = rows->room ? 2 * rows->room : 64;
		struct row *list = reallocarray(rows->list, room, sizeof(*list));

		if (!list)
			no_memory();
		rows->list = list;
		rows->room = room;
	}
	rows->list[rows->count] = (struct row){ .name = strdup(name), .group = group };
	if (!rows->list[rows->count].name)
		no_memory();
	*at = (uint32_t)++rows->count;
	return &rows->list[rows->count - 1];
}

static void add_call(struct rows *rows, int64_t group, const struct sched_file *file, const struct thread_call *call)
{
	char buffer[THREAD_CALL_NAME_MAX];
	struct row *row = find_row(rows, group, thread_call_name(file, call->number, buffer));
	uint64_t duration_ns = call->end_ns - call->begin_ns;

	row->calls++;
	if (call->end_ns == UINT64_MAX) {
		rows->without_end++;
		return;
	}
	row->ended++;
	row->errors += thread_call_has_failed(call);
	row->total_ns += duration_ns;
	row->max_ns = duration_ns > row->max_ns ? duration_ns : row->max_ns;
}

static bool is_chosen(const int64_t *ids, size_t count, int64_t id)
{
	for (size_t i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return !count;
}

static void add_trace(struct rows *rows, const struct report_request *request, struct sched_file *file)
{
	const struct walk_choice *choice = &request->choice;
	struct thread_calls calls = { 0 };

	for (size_t i = 0; i < file->thread_count; i++) {
		const struct sched_thread_places *thread = &file->threads[i];
		int64_t group = request->look.group == GROUP_PROCESS ? thread->process_id :
				request->look.group == GROUP_THREAD  ? thread->thread_id : 0;

		if (!is_chosen(choice->processes, choice->process_count, thread->process_id) ||
		    !is_chosen(choice->threads, choice->thread_count, thread->thread_id))
			continue;
		if (thread_calls_read(&calls, file, thread->thread_id, 0))
			no_memory();
		for (size_t j = 0; j < calls.count; j++)
			add_call(rows, group, file, &calls.list[j]);
	}
	thread_calls_free(&calls);
	rows->lost += file->lost_calls;
}

/* Returns an enum spoor_exit. */
static int read_trace(struct rows *rows, const struct report_request *request, const char *path)
{
	struct trace trace;
	int status = SPOOR_EXIT_BAD_TRACE;

	if (trace_open(&trace, path, false))
		return status;
	if (!trace.sched.is_read && sched_file_open(&trace.sched, trace.directory, trace.path)) {
		no_memory();
	} else if (!(trace.sched.begin.flags & SPOOR_SCHED_HAS_CALLS)) {
		message("%s: the trace has no system calls: record it with --sched=syscalls", path);
	} else {
		add_trace(rows, request, &trace.sched);
		status = trace.sched.damaged ? SPOOR_EXIT_BAD_TRACE : SPOOR_EXIT_GOOD;
	}
	trace_close(&trace);
	return status;
}

static uint64_t average(const struct row *row)
{
	return row->ended ? row->total_ns / row->ended : 0;
}

/* Rows with the same number have the order of their names. */
#define COMPARE(name_, value)                                                                \
	static int name_(const void *left, const void *right)                                \
	{                                                                                    \
		const struct row *one = left, *other = right;                                \
                                                                                             \
		if (value(one) != value(other))                                              \
			return value(one) < value(other) ? 1 : -1;                           \
		if (strcmp(one->name, other->name) != 0)                                     \
			return strcmp(one->name, other->name);                               \
		return one->group < other->group ? -1 : one->group > other->group;           \
	}
#define CALLS(row) ((row)->calls)
#define TOTAL(row) ((row)->total_ns)
#define MAX(row) ((row)->max_ns)
COMPARE(compare_calls, CALLS)
COMPARE(compare_totals, TOTAL)
COMPARE(compare_averages, average)
COMPARE(compare_maxima, MAX)

static void sort(struct rows *rows, enum report_column column)
{
	if (rows->count)
		qsort(rows->list, rows->count, sizeof(*rows->list),
		      column == COLUMN_CALLS ? compare_calls : column == COLUMN_AVG ? compare_averages :
		      column == COLUMN_MAX   ? compare_maxima : compare_totals);
}

static void write_text(const struct rows *rows, const struct report_look *look, struct output *out)
{
	bool has_group = look->group != GROUP_FUNCTION;
	char line[160];

	output_string(out, "       CALLS      ERRORS       TOTAL         AVG         MAX");
	if (has_group)
		output_string(out, look->group == GROUP_THREAD ? "      THREAD" : "     PROCESS");
	output_string(out, "  SYSTEM CALL\n");
	for (size_t i = 0; i < rows->count && i < look->limit; i++) {
		const struct row *row = &rows->list[i];
		uint64_t times[] = { row->total_ns, average(row), row->max_ns };

		output_grouped(out, row->calls, 12);
		output_grouped(out, row->errors, 12);
		for (size_t k = 0; k < sizeof(times) / sizeof(*times); k++) {
			output_string(out, "  ");
			output_duration(out, times[k]);
		}
		if (has_group) {
			snprintf(line, sizeof(line), "  %10" PRId64, row->group);
			output_string(out, line);
		}
		output_string(out, "  ");
		output_string(out, row->name);
		output_char(out, '\n');
	}
	if (rows->count > look->limit) {
		snprintf(line, sizeof(line), "# %zu more rows are not shown: use --limit\n", rows->count - look->limit);
		output_string(out, line);
	}
	if (rows->without_end) {
		snprintf(line, sizeof(line), "# %" PRIu64 " %s no end in the trace, and no time\n", rows->without_end,
			 rows->without_end == 1 ? "call has" : "calls have");
		output_string(out, line);
	}
	if (rows->lost) {
		snprintf(line, sizeof(line), "# %" PRIu64 " begins and ends of system calls were lost\n", rows->lost);
		output_string(out, line);
	}
}

static void write_csv(const struct rows *rows, const struct report_look *look, struct output *out)
{
	output_string(out, "system_call,process,thread,calls,errors,total_ns,avg_ns,max_ns\r\n");
	for (size_t i = 0; i < rows->count && i < look->limit; i++) {
		const struct row *row = &rows->list[i];
		uint64_t fields[] = { row->calls, row->errors, row->total_ns, average(row), row->max_ns };

		output_csv_field(out, row->name);
		output_char(out, ',');
		if (look->group == GROUP_PROCESS)
			output_number(out, (uint64_t)row->group);
		output_char(out, ',');
		if (look->group == GROUP_THREAD)
			output_number(out, (uint64_t)row->group);
		for (size_t k = 0; k < sizeof(fields) / sizeof(*fields); k++) {
			output_char(out, ',');
			output_number(out, fields[k]);
		}
		output_string(out, "\r\n");
	}
}

static void write_json(const struct rows *rows, const struct report_look *look, struct output *out)
{
	static const char *const keys[] = { "calls", "errors", "total_ns", "avg_ns", "max_ns" };

	output_string(out, "{\"schema\": \"spoor.report-syscalls/1\", \"lost\": ");
	output_number(out, rows->lost);
	output_string(out, ", \"without_end\": ");
	output_number(out, rows->without_end);
	output_string(out, ", \"rows\": [");
	for (size_t i = 0; i < rows->count && i < look->limit; i++) {
		const struct row *row = &rows->list[i];
		uint64_t fields[] = { row->calls, row->errors, row->total_ns, average(row), row->max_ns };

		output_string(out, i ? ",\n{\"system_call\": \"" : "\n{\"system_call\": \"");
		output_json_string(out, row->name);
		output_char(out, '"');
		if (look->group != GROUP_FUNCTION) {
			output_string(out, look->group == GROUP_THREAD ? ", \"thread\": " : ", \"process\": ");
			output_number(out, (uint64_t)row->group);
		}
		for (size_t k = 0; k < sizeof(fields) / sizeof(*fields); k++) {
			output_string(out, ", \"");
			output_string(out, keys[k]);
			output_string(out, "\": ");
			output_number(out, fields[k]);
		}
		output_char(out, '}');
	}
	output_string(out, "\n]}\n");
}

int report_system_calls(struct report_request *request, struct output *out)
{
	const struct walk_choice *choice = &request->choice;
	struct rows rows = { 0 };
	int status = SPOOR_EXIT_GOOD, got;

	for (size_t i = 0; i < (choice->trace_paths ? choice->trace_count : 1); i++) {
		got = read_trace(&rows, request, choice->trace_paths ? choice->trace_paths[i] : choice->trace_path);
		status = status ? status : got;
	}
	sort(&rows, request->look.sort);
	if (rows.count || !status)
		(request->look.format == REPORT_CSV ? write_csv : request->look.format == REPORT_JSON ? write_json : write_text)(
			&rows, &request->look, out);
	for (size_t i = 0; i < rows.count; i++)
		free(rows.list[i].name);
	free(rows.list);
	map64_free(&rows.at);
	return status;
}
