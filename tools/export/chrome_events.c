/* SPDX-License-Identifier: MIT */
/*
 * chrome_events.c - writes the events of Chrome's format that are not calls: instants with arguments, and counters.
 */
#include "export/chrome_events.h"

#include <math.h>

void chrome_event_begin(struct export *export, char phase)
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

/* Writes a user event's payloads. A number above 2^53 is a string: JavaScript's numbers are doubles. */
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

/* Writes a value of a counter. The counter of a single thread has the thread's ID as its own. */
static void write_counter(struct export *export, const struct event *event, const char *name, bool of_thread, uint64_t value)
{
	struct output *out = &export->out;

	chrome_event_begin(export, 'C');
	output_string(out, ",\"ts\":");
	output_microseconds(out, event->time_ns);
	if (of_thread) {
		output_string(out, ",\"id\":");
		output_number(out, export->thread->thread_id);
	}
	output_string(out, ",\"name\":\"");
	output_json_string(out, name);
	output_string(out, "\",\"args\":{\"value\":");
	if ((int64_t)value < 0)
		output_char(out, '-');
	output_number(out, (int64_t)value < 0 ? 0 - value : value);
	output_string(out, "}}");
}

/* Writes arguments. Pointers, and numbers that JSON or a double cannot represent, become strings. */
static void write_arguments(struct export *export, const struct spoor_tracepoint_event *tracepoint)
{
	struct output *out = &export->out;
	char number[TRACEPOINT_ARGUMENT_MAX];

	output_string(out, ",\"cat\":\"tracepoint\",\"args\":{");
	for (uint32_t i = 0; i < tracepoint->count; i++) {
		struct tracepoint_argument argument = tracepoint_argument(tracepoint, i);
		uint64_t size = argument.kind == TRACEPOINT_SIGNED && (int64_t)argument.value < 0 ? -argument.value :
												 argument.value;
		bool quoted = argument.kind == TRACEPOINT_POINTER ||
			      (argument.kind == TRACEPOINT_REAL ? !isfinite(tracepoint_argument_real(&argument)) : size > 1ull << 53);

		tracepoint_argument_text(&argument, number);
		output_string(out, i ? ",\"arg" : "\"arg");
		output_number(out, i + 1);
		output_string(out, quoted ? "\":\"" : "\":");
		output_string(out, number);
		if (quoted)
			output_char(out, '"');
	}
	output_char(out, '}');
}

void chrome_other(void *context, const struct event *event, size_t depth)
{
	struct export *export = context;
	struct output *out = &export->out;
	char text[EXPORT_TEXT_MAX];
	size_t type;

	(void)depth;
	if (event->kind == EVENT_USER && user_event_is_counter(export->process, event, &type)) {
		write_counter(export, event, export->process->event_types[type].name, false, event->user_payload_1);
		return;
	}
	if (event->kind == EVENT_LOST && event->cause < EVENT_LOST_SLICES) {
		export->lost += event->count;
		write_counter(export, event, "events lost", true, export->lost);
	}
	export_event_text(export, event, text, sizeof(text));
	chrome_event_begin(export, 'i');
	output_string(out, ",\"s\":\"t\",\"ts\":");
	output_microseconds(out, event->time_ns);
	output_string(out, ",\"name\":\"");
	output_json_string(out, text);
	output_char(out, '"');
	if (event->kind == EVENT_USER)
		write_payloads(export, event);
	else if (event->kind == EVENT_TRACEPOINT)
		write_arguments(export, event->tracepoint);
	output_char(out, '}');
}
