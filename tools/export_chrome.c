/* SPDX-License-Identifier: MIT */
/*
 * export_chrome.c - the JSON that about:tracing, speedscope and many others read.
 *
 * A call is one complete event ("X"): half the size of a pair, and no reader
 * has to find its end. Times are CLOCK_MONOTONIC's, in microseconds.
 */
#include "export.h"

static void begin_event(struct export *export, char phase)
{
	struct output *out = &export->out;

	output_string(out, export->began ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	export->began = true;
	output_char(out, phase);
	output_string(out, "\",\"pid\":");
	output_number(out, (uint64_t)export->process->process_id);
	if (export->thread) {
		output_string(out, ",\"tid\":");
		output_number(out, export->thread->thread_id);
	}
}

static void write_name(struct export *export, const char *kind, const char *name)
{
	struct output *out = &export->out;

	begin_event(export, 'M');
	output_string(out, ",\"name\":\"");
	output_string(out, kind);
	output_string(out, "\",\"args\":{\"name\":\"");
	output_json_string(out, name);
	output_string(out, "\"}}");
}

static int chrome_process_begin(void *context, struct process *process, struct functions *functions)
{
	struct export *export = context;

	if (!export->process_count)
		output_string(&export->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	export_process_begin(export, process, functions);
	export->thread = NULL;
	write_name(export, "process_name", process_title(process));
	return export->out.error;
}

static int chrome_thread_begin(void *context, const struct thread_slices *thread)
{
	struct export *export = context;

	export_thread_begin(export, thread);
	write_name(export, "thread_name", export_thread_name(export));
	return export->out.error;
}

static void chrome_enter(void *context, const struct call *call, size_t depth)
{
	(void)context, (void)call, (void)depth;
}

static void chrome_leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	static const char *const notes[] = {
		[CALL_EXIT] = "",
		[CALL_TAIL] = "\"end\":\"tail call\"",
		[CALL_UNWOUND] = "\"end\":\"unwound\"",
		[CALL_SET_ASIDE] = "\"end\":\"another stack goes on\"",
		[CALL_LEFT] = "\"end\":\"left without returning\"",
		[CALL_UNRECORDED] = "\"end\":\"still running when recording stopped\"",
		[CALL_UNFINISHED] = "\"end\":\"still running when the trace ends\"",
		[CALL_BEYOND] = "\"end\":\"behind the time that was exported\"",
	};
	struct export *export = context;
	struct output *out = &export->out;

	(void)depth;
	begin_event(export, 'X');
	output_string(out, ",\"ts\":");
	output_microseconds(out, call->begin_ns);
	output_string(out, ",\"dur\":");
	output_microseconds(out, call_duration(call, end_ns));
	output_string(out, ",\"name\":\"");
	output_json_string(out, function_name(export->functions, call->function));
	output_string(out, "\",\"cat\":\"");
	output_json_string(out, function_library(export->functions, call->function));
	output_char(out, '"');
	if (call->root || *notes[how]) {
		output_string(out, ",\"args\":{");
		if (call->root)
			output_string(out, call->early ? "\"begin\":\"before the time that was exported\"" :
						   "\"begin\":\"before recording\"");
		if (call->root && *notes[how])
			output_char(out, ',');
		output_string(out, notes[how]);
		output_char(out, '}');
	}
	output_char(out, '}');
}

/* Numbers that a double does not hold are strings: viewers are written in JavaScript. */
static void write_payloads(struct export *export, const struct event *event)
{
	const char *string = user_event_string(export->process, event);
	bool quoted = string || event->user_payload_1 > 1ull << 53;
	struct output *out = &export->out;

	output_string(out, ",\"cat\":\"user event\",\"args\":{\"type\":");
	output_number(out, event->user_type);
	output_string(out, quoted ? ",\"payload_1\":\"" : ",\"payload_1\":");
	if (string)
		output_json_string(out, string);
	else
		output_number(out, event->user_payload_1);
	output_string(out, quoted ? "\",\"payload_2\":" : ",\"payload_2\":");
	output_number(out, event->user_payload_2);
	output_char(out, '}');
}

static void chrome_other(void *context, const struct event *event, size_t depth)
{
	struct export *export = context;
	struct output *out = &export->out;
	char text[EXPORT_TEXT_MAX];

	(void)depth;
	export_event_text(export, event, text, sizeof(text));
	begin_event(export, 'i');
	output_string(out, ",\"s\":\"t\",\"ts\":");
	output_microseconds(out, event->time_ns);
	output_string(out, ",\"name\":\"");
	output_json_string(out, text);
	output_char(out, '"');
	if (event->kind == EVENT_USER)
		write_payloads(export, event);
	output_char(out, '}');
}

static int chrome_trace_end(void *context)
{
	struct export *export = context;

	if (!export->process_count)
		output_string(&export->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	output_string(&export->out, "\n]}\n");
	return export->out.error;
}

void export_chrome(struct walk_sink *sink)
{
	sink->process_begin = chrome_process_begin;
	sink->thread_begin = chrome_thread_begin;
	sink->trace_end = chrome_trace_end;
	sink->calls.enter = chrome_enter;
	sink->calls.leave = chrome_leave;
	sink->calls.other = chrome_other;
}
