/* SPDX-License-Identifier: MIT */
/*
 * json.c - writes all events as recorded: an array with one object a line.
 * spoor-export(1) describes the schema.
 */
#include "export/export.h"
#include "reader/types/shown_values.h"
#include "export/wait_states.h"

static void put_key(struct output *out, const char *key)
{
	output_string(out, ",\"");
	output_string(out, key);
	output_string(out, "\":");
}

static void put_text(struct output *out, const char *key, const char *text)
{
	put_key(out, key);
	output_char(out, '"');
	output_json_string(out, text);
	output_char(out, '"');
}

static void put_number(struct output *out, const char *key, uint64_t number)
{
	put_key(out, key);
	output_number(out, number);
}

static int json_process_begin(void *context, struct process *process, struct functions *functions)
{
	export_process_begin(context, process, functions);
	return 0;
}

static int json_thread_begin(void *context, const struct thread_slices *thread)
{
	export_thread_begin(context, thread);
	return 0;
}

static void write_user_event(struct export *export, const struct event *event)
{
	const char *name = user_event_name(export->process, event->user_type);
	const char *string = user_event_string(export->process, event);
	struct output *out = &export->out;

	put_number(out, "type", event->user_type);
	if (name)
		put_text(out, "type_name", name);
	/* A string, because JavaScript cannot represent all 64-bit numbers. */
	put_key(out, "payload_1");
	output_char(out, '"');
	output_number(out, event->user_payload_1);
	output_char(out, '"');
	put_number(out, "payload_2", event->user_payload_2);
	if (string)
		put_text(out, "string", string);
}

static void write_hit(struct export *export, const struct event *event)
{
	const struct tracepoint *tracepoint = process_tracepoint(export->process, event->tracepoint->number);
	struct output *out = &export->out;
	char number[TRACEPOINT_ARGUMENT_MAX];

	put_text(out, "tracepoint", function_name(export->functions, event->function));
	if (tracepoint)
		put_text(out, "module", tracepoint->path);
	put_key(out, "arguments");
	output_char(out, '[');
	for (uint32_t i = 0; i < event->tracepoint->count; i++) {
		struct tracepoint_argument argument = tracepoint_argument(event->tracepoint, i);

		/* A string for the same reason. */
		tracepoint_argument_text(&argument, number);
		output_string(out, i ? ",{\"type\":\"" : "{\"type\":\"");
		output_string(out, argument.type);
		output_string(out, "\",\"value\":\"");
		output_string(out, number);
		output_string(out, "\"}");
	}
	output_char(out, ']');
}

/* Writes the arguments or the result, if the trace has them. Values are strings, for the same reason. */
static void write_values(struct export *export)
{
	struct output *out = &export->out;
	struct shown_values shown;
	struct shown_value value;
	bool is_first = true;

	if (!export->values)
		return;
	put_key(out, export->values->is_result ? "result" : "arguments");
	output_char(out, '[');
	shown_values_begin(&shown, export->values);
	while (shown_values_next(&shown, &value)) {
		output_string(out, is_first ? "{\"name\":\"" : ",{\"name\":\"");
		output_json_string(out, value.name);
		output_string(out, "\",\"value\":\"");
		output_json_string(out, value.text);
		output_string(out, "\"}");
		is_first = false;
	}
	output_char(out, ']');
}

/* Version 1 has the names of a function in each event, version 2 in the first one. */
static void write_head(struct export *export)
{
	output_string(&export->out, "{\"schema\":\"spoor.events/");
	output_string(&export->out, export->flat ? "1\",\"events\":[" : "2\",\"events\":[");
	export->began = true;
}

static void begin_object(struct export *export, uint64_t time_ns)
{
	struct output *out = &export->out;

	if (export->began)
		output_char(out, ',');
	else
		write_head(export);
	output_string(out, "\n{\"time_ns\":");
	output_number(out, time_ns);
	put_number(out, "process", (uint64_t)export->process->process_id);
	put_number(out, "thread", export->thread->thread_id);
}

static void write_event(struct export *export, const struct event *event)
{
	struct output *out = &export->out;

	begin_object(export, event->time_ns);
	put_text(out, "event", export_event_word(event));
	if (event->kind <= EVENT_TAIL_EXIT || event->kind == EVENT_ROOT) {
		if (export_needs_names(export, event->function)) {
			put_text(out, "function", function_name(export->functions, event->function));
			put_text(out, "library", function_library(export->functions, event->function));
		}
		put_key(out, "function_id");
		output_char(out, '"');
		output_hex(out, function_id(export->functions, event->function), 16);
		output_char(out, '"');
		write_values(export);
	} else if (event->kind == EVENT_LOST) {
		put_number(out, "count", event->count);
	} else if (event->kind == EVENT_USER) {
		write_user_event(export, event);
	} else if (event->kind == EVENT_TRACEPOINT) {
		write_hit(export, event);
	} else {
		put_number(out, "frame", event->frame);
	}
	output_char(out, '}');
}

static void write_state(struct export *export, const struct wait_state *state)
{
	struct output *out = &export->out;

	begin_object(export, state->begin_ns);
	put_text(out, "event", state->is_call ? "syscall" : state->is_preempted ? "preempted" : "wait");
	if (state->end_ns != UINT64_MAX)
		put_number(out, "duration_ns", state->end_ns - state->begin_ns);
	if (*state->reason)
		put_text(out, state->is_call ? "call" : "reason", state->reason);
	output_char(out, '}');
}

static int json_thread_events(void *context, struct thread_events *events)
{
	return export_events(context, events, write_event, write_state);
}

static int json_trace_end(void *context)
{
	struct export *export = context;

	if (export->began)
		output_char(&export->out, '\n');
	else
		write_head(export);
	output_string(&export->out, "]}\n");
	return export->out.error;
}

void export_json(struct walk_sink *sink)
{
	sink->process_begin = json_process_begin;
	sink->thread_begin = json_thread_begin;
	sink->thread_events = json_thread_events;
	sink->trace_end = json_trace_end;
}
