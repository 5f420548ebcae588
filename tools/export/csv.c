/* SPDX-License-Identifier: MIT */
/*
 * csv.c - writes one line for each event as recorded, without repairs.
 *
 * The format is RFC 4180, except that lines end in LF. Times are CLOCK_MONOTONIC. Only the first event of a function
 * has its names; the others have its ID.
 */
#include "export/export.h"
#include "reader/types/shown_values.h"
#include "export/wait_states.h"

#include <stdlib.h>

static int csv_process_begin(void *context, struct process *process, struct functions *functions)
{
	struct export *export = context;

	export_process_begin(export, process, functions);
	if (!export->began)
		output_string(&export->out, "time_ns,process,thread,event,function,library,function_id,count,"
			      "type,type_name,payload_1,payload_2,string\n");
	export->began = true;
	return export->out.error;
}

static int csv_thread_begin(void *context, const struct thread_slices *thread)
{
	export_thread_begin(context, thread);
	return 0;
}

/* Writes the columns from `function` on. */
static void write_user_event(struct export *export, const struct event *event)
{
	const char *name = user_event_name(export->process, event->user_type);
	const char *string = user_event_string(export->process, event);
	struct output *out = &export->out;

	output_string(out, ",,,,");
	output_number(out, event->user_type);
	output_char(out, ',');
	output_csv_field(out, name ? name : "");
	output_char(out, ',');
	output_number(out, event->user_payload_1);
	output_char(out, ',');
	output_number(out, event->user_payload_2);
	output_char(out, ',');
	output_csv_field(out, string ? string : "");
	output_char(out, '\n');
}

static void write_hit(struct export *export, const struct event *event)
{
	struct output *out = &export->out;
	char arguments[TRACEPOINT_TEXT_MAX];

	tracepoint_text(event->tracepoint, true, arguments);
	output_csv_field(out, function_name(export->functions, event->function));
	output_char(out, ',');
	output_string(out, function_library(export->functions, event->function));
	output_string(out, ",,,,,,,");
	output_csv_field(out, arguments);
	output_char(out, '\n');
}

/* Writes the arguments or the result, if the trace has them. */
static void write_values(struct export *export)
{
	char *text = export->values ? shown_values_text(export->values, true) : NULL;

	if (text)
		output_csv_field(&export->out, text);
	free(text);
}

static void write_event(struct export *export, const struct event *event)
{
	struct output *out = &export->out;

	output_number(out, event->time_ns);
	output_char(out, ',');
	output_number(out, (uint64_t)export->process->process_id);
	output_char(out, ',');
	output_number(out, export->thread->thread_id);
	output_char(out, ',');
	output_string(out, export_event_word(event));
	output_char(out, ',');
	if (event->kind <= EVENT_TAIL_EXIT || event->kind == EVENT_ROOT) {
		if (export_needs_names(export, event->function)) {
			output_csv_field(out, function_name(export->functions, event->function));
			output_char(out, ',');
			output_csv_field(out, function_library(export->functions, event->function));
		} else {
			output_char(out, ',');
		}
		output_char(out, ',');
		output_hex(out, function_id(export->functions, event->function), 16);
		output_string(out, ",,,,,,");
		write_values(export);
		output_char(out, '\n');
	} else if (event->kind == EVENT_LOST) {
		output_string(out, ",,,");
		output_number(out, event->count);
		output_string(out, ",,,,,\n");
	} else if (event->kind == EVENT_USER) {
		write_user_event(export, event);
	} else if (event->kind == EVENT_TRACEPOINT) {
		write_hit(export, event);
	} else {
		output_string(out, ",,,");
		output_number(out, event->frame);
		output_string(out, ",,,,,\n");
	}
}

/* `count` has the length in nanoseconds, `string` what the thread waited for, or the system call. */
static void write_state(struct export *export, const struct wait_state *state)
{
	struct output *out = &export->out;

	output_number(out, state->begin_ns);
	output_char(out, ',');
	output_number(out, (uint64_t)export->process->process_id);
	output_char(out, ',');
	output_number(out, export->thread->thread_id);
	output_string(out, state->is_call ? ",syscall,,,," : state->is_preempted ? ",preempted,,,," : ",wait,,,,");
	if (state->end_ns != UINT64_MAX)
		output_number(out, state->end_ns - state->begin_ns);
	output_string(out, ",,,,,");
	output_csv_field(out, state->reason);
	output_char(out, '\n');
}

static int csv_thread_events(void *context, struct thread_events *events)
{
	return export_events(context, events, write_event, write_state);
}

void export_csv(struct walk_sink *sink)
{
	sink->process_begin = csv_process_begin;
	sink->thread_begin = csv_thread_begin;
	sink->thread_events = csv_thread_events;
}
