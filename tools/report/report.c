/* SPDX-License-Identifier: MIT */
/*
 * report.c - spoor report: prints calls and times of each function.
 *
 * Columns
 *   calls  number of entries, plus the calls that mode 'count' counted, which have
 *          no times. A call that was open when recording began has no entry. Its
 *          time since then counts as total and self.
 *   total  time in the function and in all functions that it called. A recursive
 *          call on the same thread adds no time, because the outer call includes it.
 *   self   total minus the time in called functions. The sum over all functions of
 *          a thread is the time in which any call was open.
 *   avg, min, max, stddev, p50, p99
 *          statistics of the durations of single calls, recursive calls included
 *   cpu, wait, preempted, faults
 *          parts of total, from `spoor record --sched`: cpu + wait + preempted = total
 *   self-cpu, self-wait
 *          parts of self
 * The row of a library, file or thread has the sums over its functions.
 */
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/commands.h"
#include "base/message.h"
#include "base/terminal.h"
#include "report/by_value.h"
#include "report/system_call_rows.h"

struct report {
	struct totals totals;
	bool is_whole;		/* the walk reached the end of the trace */
};

static int report_process_begin(void *context, struct process *process, struct functions *functions)
{
	struct report *report = context;

	report_losses_add(&report->totals.table.lost, process);
	return totals_process_begin(&report->totals, process, functions);
}

static int report_process_end(void *context)
{
	struct report *report = context;

	totals_process_end(&report->totals);
	return 0;
}

static int report_thread_begin(void *context, const struct thread_slices *thread)
{
	struct report *report = context;

	return totals_thread_begin(&report->totals, thread);
}

static int report_thread_end(void *context, const struct call_tree *tree)
{
	struct report *report = context;

	totals_thread_end(&report->totals, tree);
	return 0;
}

static int report_part_begin(void *context, struct functions *functions, struct walk_sink *part)
{
	const struct report *whole = context;
	struct report *report = calloc(1, sizeof(*report));

	if (!report)
		return -ENOMEM;
	totals_part_begin(&whole->totals, &report->totals, functions);
	part->context = report;
	part->calls.context = &report->totals;
	return 0;
}

static void report_part_end(void *context, struct walk_sink *part, const uint32_t *numbers)
{
	struct report *report = context, *other = part->context;

	totals_part_end(&report->totals, &other->totals, numbers);
	free(other);
}

static void report_piece_begin(void *context, const struct call *open, size_t depth)
{
	struct report *report = context;

	totals_piece_begin(&report->totals, open, depth);
}

static void report_piece_end(void *context, const struct call *open, size_t depth)
{
	struct report *report = context;

	totals_piece_end(&report->totals, open, depth);
}

static int report_trace_end(void *context)
{
	struct report *report = context;

	report->is_whole = true;
	return 0;
}

/* Adds up the calls of a trace. Returns an enum spoor_exit. */
static int read_trace(const struct report_request *request, struct report *report)
{
	struct totals *totals = &report->totals;
	struct walk_sink sink = {
		.context = report,
		.takes_counts = true,
		.process_begin = report_process_begin,
		.process_end = report_process_end,
		.thread_begin = report_thread_begin,
		.thread_end = report_thread_end,
		.trace_end = report_trace_end,
	};
	int status;

	totals->table.look = request->look;
	totals->compensates = request->compensates;
	totals->given_event_ps = request->given_event_ps;
	totals->counts_unfit = request->choice.thread_count || request->choice.has_range || request->choice.least_ns ||
			       request->choice.condition;
	totals->libraries = request->choice.libraries;
	totals->counted_functions = request->choice.functions;
	/* Places tell functions of the same name apart. */
	totals->wants_places = request->is_diff || request->look.sort == COLUMN_FILE || request->look.sort == COLUMN_LINE ||
			       request->look.columns & (COLUMN_BIT(COLUMN_FILE) | COLUMN_BIT(COLUMN_LINE));
	totals->wants_sched = COLUMNS_SCHED & (request->look.columns | COLUMN_BIT(request->look.sort));
	sink.calls = totals_calls(totals);
	sink.calls.other = totals_other;
	sink.calls.other_has_no_place = true;
	if (totals_are_divisible(totals)) {
		sink.part_begin = report_part_begin;
		sink.part_end = report_part_end;
	}
	if (totals_have_pieces(totals)) {
		sink.piece_begin = report_piece_begin;
		sink.piece_end = report_piece_end;
	}
	status = walk_trace(&request->choice, &sink);
	return status;
}

/* Adds the column if the trace has processor times of some functions, and the user chose no columns. */
static void show_cpu_times(const struct report_request *request, struct report_table *table)
{
	if (request->look.format != REPORT_TEXT || request->has_columns)
		return;
	for (size_t i = 0; i < table->row_count; i++)
		if (report_statistics_has_cpu_time(&table->rows[i].statistics))
			table->look.columns |= COLUMN_BIT(COLUMN_CPU) & report_group_columns(request->look.group);
}

static int show_report(struct report_request *request, struct output *out)
{
	struct report report = { 0 };
	int status = read_trace(request, &report);

	show_cpu_times(request, &report.totals.table);
	if (report.is_whole)
		report_table_write(&report.totals.table, out);
	totals_free(&report.totals);
	return status;
}

static int show_difference(struct report_request *request, struct output *out)
{
	struct report reports[2] = { 0 };
	int status[2] = { SPOOR_EXIT_GOOD, SPOOR_EXIT_GOOD };

	for (int i = 0; i < 2; i++) {
		request->choice.trace_path = request->paths[i];
		status[i] = read_trace(request, &reports[i]);
		if (!reports[i].is_whole)
			break;
	}
	if (reports[1].is_whole)
		report_diff_write(&(struct report_diff){
			.look = &request->look,
			.threshold = &request->threshold,
			.tables = { &reports[0].totals.table, &reports[1].totals.table },
			.paths = { request->paths[0], request->paths[1] },
		}, out);
	totals_free(&reports[0].totals);
	totals_free(&reports[1].totals);
	return status[0] ? status[0] : status[1];
}

int report_main(int argc, char **argv)
{
	struct report_request request;
	int status = report_request_parse(&request, argc, argv), error, paged;
	struct output out;

	if (!status) {
		if (!request.no_pager && request.look.format == REPORT_TEXT)
			terminal_pager_begin();
		error = output_begin(&out, NULL);
		if (!error) {
			status = (request.has_syscalls ? report_system_calls : request.is_diff ? show_difference :
				  request.by ? report_by_value : show_report)(&request, &out);
			error = output_end(&out);
		}
		paged = terminal_pager_end();
		if (error) {
			message("cannot write: %s", strerror(-error));
			status = SPOOR_EXIT_BAD_TRACE;
		}
		status = status ? status : paged;
	}
	report_request_end(&request);
	return status;
}
