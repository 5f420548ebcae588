/* SPDX-License-Identifier: MIT */
/*
 * rowbinary.c - writes rows for ClickHouse, in its format RowBinary.
 *
 * One stream has the rows of all tables. clickhouse/create.sql defines the meaning of each column and copies
 * the rows to their tables. A call becomes a row when it ends, with all that a report needs, so a sum over
 * rows is a sum over calls.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "walk/loss_cause.h"
#include "export/row_stream.h"
#include "export/wait_states.h"
#include "base/message.h"
#include "walk/pattern_options.h"
#include "reader/types/shown_values.h"

_Static_assert(CALL_EXIT == 0 && CALL_TAIL == 1 && CALL_UNWOUND == 2 && CALL_SET_ASIDE == 3 && CALL_LEFT == 4 &&
	       CALL_UNRECORDED == 5 && CALL_UNFINISHED == 6 && CALL_BEYOND == 7, "calls.ending in create.sql");

/* Adds a call to the paths. The call becomes a row when it ends, unless --min-duration excludes it. */
static void rows_around(void *context, const struct call *call, size_t depth)
{
	struct export *export = context;
	struct export_rows *rows = export->rows;
	uint32_t node;

	stacks_enter(&rows->stacks, call, depth);
	node = rows->stacks.path[depth + 1];
	if (__builtin_expect(node >= rows->path_count, 0))
		rows_path(export, node);
}

static void rows_enter(void *context, const struct call *call, size_t depth)
{
	struct export *export = context;
	struct row_function *function;

	rows_around(context, call, depth);
	function = rows_function(export, call->function);
	if (function)
		function->open++;
}

/* Writes a call whose values are in the trace. */
static void put_call_with_values(struct export *export, const struct row *row, const struct call *call)
{
	char *arguments = call->arguments ? shown_values_text(call->arguments, true) : NULL;
	char *result = call->result ? shown_values_text(call->result, true) : NULL;

	if ((call->arguments && !arguments) || (call->result && !result))
		export->out.error = -ENOMEM;
	rows_put(export, row, arguments ? arguments : "", result ? result : "");
	free(arguments);
	free(result);
}

static void rows_leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	struct export *export = context;
	struct export_rows *rows = export->rows;
	uint32_t node = rows->stacks.path[depth + 1];
	uint64_t duration_ns = call_duration(call, end_ns);
	struct row_function *function;
	struct {
		struct row row;
		uint8_t no_strings[2];
	} __attribute__((packed)) one = { .row = rows_new(export, ROW_CALL) };

	if (call->function >= rows->list_count || node >= rows->path_count)
		return;		/* rows_enter ran out of memory for it */
	function = &rows->list[call->function];
	one.row.thread = export->thread->thread_id;
	one.row.function = function->key;
	one.row.path = rows->paths[node];
	one.row.depth = (uint32_t)depth;
	one.row.flags = (uint8_t)((--function->open ? 0 : ROW_OUTERMOST) | (call->root ? ROW_IS_ROOT : 0) |
				  (call->resumed ? ROW_RESUMED : 0) | (call->unreliable ? ROW_UNRELIABLE : 0));
	one.row.what = (int8_t)how;
	one.row.numbers[0] = call->begin_ns;
	one.row.numbers[1] = duration_ns;
	one.row.numbers[2] = duration_ns > call->inner_ns ? duration_ns - call->inner_ns : 0;
	if (call->arguments || call->result)
		put_call_with_values(export, &one.row, call);
	else
		output_put(&export->out, &one, sizeof(one));
}

static enum row_event row_event_of(const struct event *event)
{
	if (event->kind == EVENT_USER)
		return ROW_USER;
	if (event->kind == EVENT_TRACEPOINT)
		return ROW_TRACEPOINT;
	if (event->kind != EVENT_LOST)
		return event->kind == EVENT_EXIT ? ROW_EXIT : ROW_TAIL_EXIT;
	if (event->cause < EVENT_LOST_SLICES)
		return ROW_LOST;
	return event->cause == EVENT_LOST_UNRECORDED ? ROW_UNRECORDED :
	       event->cause == EVENT_LOST_OVERWRITTEN ? ROW_LOST_OVERWRITTEN : ROW_LOST_SLICES;
}

static void rows_other(void *context, const struct event *event, size_t depth)
{
	struct export *export = context;
	const char *name = NULL, *string = NULL;
	struct row row = rows_new(export, ROW_EVENT);
	uint32_t node = export->rows->stacks.path[depth];
	char arguments[TRACEPOINT_TEXT_MAX];

	row.thread = export->thread->thread_id;
	row.path = node < export->rows->path_count ? export->rows->paths[node] : 0;
	row.depth = (uint32_t)depth;
	row.what = (int8_t)row_event_of(event);
	row.numbers[0] = event->time_ns;
	if (event->kind == EVENT_USER) {
		name = user_event_name(export->process, event->user_type);
		string = user_event_string(export->process, event);
		row.numbers[1] = event->user_payload_1;
		row.numbers[2] = (uint64_t)event->user_type << 32 | event->user_payload_2;
	} else if (event->kind == EVENT_TRACEPOINT) {
		tracepoint_text(event->tracepoint, true, arguments);
		name = function_name(export->functions, event->function);
		string = arguments;
	} else if (event->kind == EVENT_LOST) {
		row.numbers[1] = event->count;
	} else {
		struct row_function *function = rows_function(export, event->function);

		row.function = function ? function->key : 0;
	}
	rows_put(export, &row, name ? name : "", string ? string : "");
}

/* Writes a note, unless @number is 0. @thread: 0: the whole process */
static void write_note(struct export *export, uint32_t thread, uint64_t number, const char *account, const char *what)
{
	struct row row = rows_new(export, ROW_NOTE);

	if (!number)
		return;
	row.thread = thread;
	row.numbers[0] = number;
	rows_put(export, &row, account, what);
}

/* Writes the counts of mode 'count', which have neither thread nor time. */
static void write_counts(struct export *export)
{
	const struct count_file *counts = &export->process->counts;
	const struct walk_choice *choice = &export->choice;

	if (choice->thread_count || choice->has_range || choice->least_ns || choice->condition) {
		if (counts->calls)
			message("%s: leaves out %" PRIu64 " counted calls: counts have neither thread nor time, so "
				"--thread, --time and --min-duration exclude them", export->process->path,
				counts->calls);
		return;
	}
	for (uint32_t index = 0; index < counts->end; index++) {
		struct row row = rows_new(export, ROW_COUNT);
		struct row_function *function;
		uint32_t number;

		if (!counts->counts[index])
			continue;
		number = functions_number(export->functions, index, UINT64_MAX);
		if (number && choice->libraries && !library_matches(export->functions, number, choice->libraries))
			continue;
		if (number && choice->functions && !function_matches(export->functions, number, choice->functions))
			continue;
		function = number ? rows_function(export, number) : NULL;
		if (!function) {
			export->out.error = -ENOMEM;
			return;
		}
		row.function = function->key;
		row.numbers[0] = counts->counts[index];
		rows_put(export, &row, "", "");
	}
	write_note(export, 0, counts->lost, "calls", "could not be counted");
}

static void write_process(struct export *export)
{
	const struct process *process = export->process;
	struct row row = rows_new(export, ROW_PROCESS);
	size_t bytes = 0;

	row.numbers[0] = (uint64_t)process->process_id;
	row.numbers[1] = (uint64_t)process->begin_steady_ns;
	row.numbers[2] = (uint64_t)process->begin_system_ns;
	output_put(&export->out, &row, sizeof(row));
	rows_put_string(&export->out, process_title(process));
	for (size_t i = 0; i < process->fact_count; i++)
		bytes += strlen(process->facts[i]) + 1;
	output_varint(&export->out, bytes);
	for (size_t i = 0; i < process->fact_count; i++) {
		output_string(&export->out, process->facts[i]);
		output_char(&export->out, '\n');
	}
}

static int rows_process_begin(void *context, struct process *process, struct functions *functions)
{
	struct export *export = context;

	if (!export->rows && rows_begin(export) < 0)
		return -ENOMEM;
	rows_process(export, process, functions);
	write_process(export);
	for (size_t i = 0; i < process->loss_count; i++)
		write_note(export, process->losses[i].thread_id, process->losses[i].events, "cause",
			   loss_cause_text(process->losses[i].cause));
	for (size_t i = 0; i < process->threads.count; i++)
		write_note(export, process->threads.threads[i]->thread_id, process->threads.threads[i]->lost, "thread",
			   "events lost in all");
	write_counts(export);
	return export->out.error;
}

static int rows_thread_begin(void *context, const struct thread_slices *thread)
{
	struct export *export = context;
	struct row row = rows_new(export, ROW_THREAD);

	export_thread_begin(export, thread);
	row.thread = thread->thread_id;
	rows_put(export, &row, export_thread_name(export), "");
	stacks_thread_begin(&export->rows->stacks, thread);
	return export->out.error;
}

/* Writes a time in which the thread had no processor. A wait without an end has the largest length. */
static void write_state(struct export *export, const struct wait_state *state)
{
	struct row row = rows_new(export, ROW_EVENT);

	row.thread = export->thread->thread_id;
	row.what = state->is_call ? ROW_SYSCALL : state->is_preempted ? ROW_PREEMPTED : ROW_WAIT;
	row.numbers[0] = state->begin_ns;
	row.numbers[1] = state->end_ns == UINT64_MAX ? UINT64_MAX : state->end_ns - state->begin_ns;
	rows_put(export, &row, "", state->reason);
}

static int rows_thread_end(void *context, const struct call_tree *tree)
{
	struct export *export = context;
	uint32_t thread = export->thread->thread_id;

	if (wait_states_for_each(export, write_state))
		export->out.error = -ENOMEM;
	write_note(export, thread, tree->losses, "calls", "places where events are missing");
	write_note(export, thread, tree->repaired, "calls", "left without returning");
	write_note(export, thread, tree->gaps, "calls", "places where calls are missing for a time");
	write_note(export, thread, tree->roots, "calls", "were open before recording began");
	write_note(export, thread, tree->orphans, "calls", "returns without an entry");
	return export->out.error;
}

void export_rowbinary(struct walk_sink *sink)
{
	sink->takes_counts = true;
	sink->process_begin = rows_process_begin;
	sink->thread_begin = rows_thread_begin;
	sink->thread_end = rows_thread_end;
	sink->calls.enter = rows_enter;
	sink->calls.leave = rows_leave;
	sink->calls.other = rows_other;
	sink->calls.other_has_no_place = true;
	sink->calls.around = rows_around;
}
