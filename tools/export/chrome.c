/* SPDX-License-Identifier: MIT */
/*
 * chrome.c - writes the JSON that about:tracing, speedscope and many other viewers read.
 *
 * A call is one complete event ("X"): half the size of a begin and an end, and a reader need not match
 * them. Times are CLOCK_MONOTONIC, in microseconds.
 *
 * The place of a function in the source is written once, at the end, as a stack frame to which its calls
 * refer. speedscope shows arguments as a part of a call's name, so for most calls no arguments are written.
 */
#include "export/chrome_events.h"
#include "export/wait_states.h"
#include "reader/types/shown_values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void write_name(struct export *export, const char *kind, const char *name)
{
	struct output *out = &export->out;

	chrome_event_begin(export, 'M');
	output_string(out, ",\"name\":\"");
	output_string(out, kind);
	output_string(out, "\",\"args\":{\"name\":\"");
	output_json_string(out, name);
	output_string(out, "\"}}");
}

/* Writes labels that distinguish a process from others of the same name. */
static void write_labels(struct export *export)
{
	const struct process *process = export->process;
	const char *host = process_fact(process, "host");
	struct output *out = &export->out;

	chrome_event_begin(export, 'M');
	output_string(out, ",\"name\":\"process_labels\",\"args\":{\"labels\":\"session ");
	output_hex(out, process->session_id, 16);
	if (host) {
		output_string(out, ", host ");
		output_json_string(out, host);
	}
	if (process->id_offset) {
		output_string(out, ", process ");
		output_number(out, (uint64_t)process->process_id - process->id_offset);
		output_string(out, " there");
	}
	output_string(out, "\"}}");
}

/* The part of a call that differs from the thread's other calls. */
struct chrome_call {
	uint64_t begin_ns, duration_ns;
	uint32_t function;		/* a function whose text is in call_texts */
	uint8_t how;			/* enum call_end */
	bool root, early;
};

static const char *const end_notes[] = {
	[CALL_EXIT] = "",
	[CALL_TAIL] = "",
	[CALL_UNWOUND] = "\"end\":\"unwound\"",
	[CALL_SET_ASIDE] = "\"end\":\"another stack continues\"",
	[CALL_LEFT] = "\"end\":\"left without returning\"",
	[CALL_UNRECORDED] = "\"end\":\"still running when recording stopped\"",
	[CALL_UNFINISHED] = "\"end\":\"still running when the trace ends\"",
	[CALL_BEYOND] = "\"end\":\"after the exported time\"",
};

static inline void write_call_begin(const struct export *export, const struct chrome_call *call, struct output *out)
{
	output_put(out, export->call_head, export->call_head_length);
	output_microseconds(out, call->begin_ns);
	output_string(out, ",\"dur\":");
	output_microseconds(out, call->duration_ns);
}

/* Writes each value as a string: "arg1":"3". Returns whether there was any. */
static bool write_values(const struct call_values *values, bool is_first, struct output *out)
{
	struct shown_values shown;
	struct shown_value value;

	if (!values)
		return !is_first;
	shown_values_begin(&shown, values);
	for (; shown_values_next(&shown, &value); is_first = false) {
		output_string(out, is_first ? "\"" : ",\"");
		output_json_string(out, value.name);
		output_string(out, "\":\"");
		output_json_string(out, value.text);
		output_char(out, '"');
	}
	return !is_first;
}

/* The end of a call that has values. */
static void write_values_end(const struct chrome_call *call, const struct call_values *arguments,
			     const struct call_values *result, struct output *out)
{
	const char *note = end_notes[call->how];
	bool any;

	output_string(out, ",\"args\":{");
	any = write_values(result, !write_values(arguments, true, out), out);
	if (call->root)
		output_string(out, any ? ",\"begin\":\"before recording\"" : "\"begin\":\"before recording\"");
	if (*note && (any || call->root))
		output_char(out, ',');
	output_string(out, note);
	output_string(out, "}}");
}

static inline void write_call_end(const struct chrome_call *call, struct output *out)
{
	const char *note = end_notes[call->how];

	if (call->root || *note) {
		output_string(out, ",\"args\":{");
		if (call->root)
			output_string(out, call->early ? "\"begin\":\"before the exported time\"" :
						   "\"begin\":\"before recording\"");
		if (call->root && *note)
			output_char(out, ',');
		output_string(out, note);
		output_char(out, '}');
	}
	output_char(out, '}');
}

static inline void write_call(const struct export *export, const struct chrome_call *call, struct output *out)
{
	const struct export_text *text = &export->call_texts[call->function];

	write_call_begin(export, call, out);
	output_put(out, text->text, text->length);
	write_call_end(call, out);
}

static void write_calls(const void *context, const void *items, size_t count, struct output *out)
{
	for (const struct chrome_call *call = items, *end = call + count; call < end; call++)
		write_call(context, call, out);
}

static int chrome_process_begin(void *context, struct process *process, struct functions *functions)
{
	struct export *export = context;

	if (!export->process_count) {
		output_string(&export->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
		formatting_begin(&export->formatting, &export->out, sizeof(struct chrome_call), write_calls, export);
	}
	export_process_begin(export, process, functions);
	export->thread = NULL;
	write_name(export, "process_name", process_title(process));
	write_labels(export);
	return export->out.error;
}

/* Makes the text with which every call of the thread begins. */
static void make_head(struct export *export)
{
	export->call_head_length =
		(size_t)snprintf(export->call_head, sizeof(export->call_head),
				 ",\n{\"ph\":\"X\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu32 ",\"ts\":",
				 (uint64_t)export->process->process_id, export->thread->thread_id);
}

static int chrome_thread_begin(void *context, const struct thread_slices *thread)
{
	struct export *export = context;

	/* The calls that wait for formatting use the head of the previous thread. */
	formatting_finish(&export->formatting);
	export_thread_begin(export, thread);
	export->lost = 0;
	make_head(export);
	write_name(export, "thread_name", export_thread_name(export));
	return export_chrome_states(export);
}

void export_chrome_end(struct export *export)
{
	for (uint32_t i = 0; i < export->call_text_count; i++)
		free(export->call_texts[i].text);
	free(export->call_texts);
	export->call_texts = NULL;
	export->call_text_count = 0;
}

static int chrome_process_end(void *context)
{
	struct export *export = context;

	formatting_finish(&export->formatting);
	export_chrome_end(export);
	return 0;
}

/* Returns the number of a function's place in the source, or 0 if the place is unknown. */
static uint32_t place_number(struct export *export, uint32_t function)
{
	struct symbol_place place = function_place(export->functions, function);
	uint32_t number = 0;
	char *text;

	if (!place.path)
		return 0;
	if (asprintf(&text, "%s:%" PRIu32, place.path, place.line) < 0)
		text = NULL;
	free(place.path);
	if (!text)
		return 0;
	number = name_table_add(&export->names, text, function_library(export->functions, function));
	free(text);
	return number;
}

/* Writes the part that all calls of a function share. */
static void write_function(struct export *export, struct output *out, uint32_t function)
{
	uint32_t place = place_number(export, function);

	output_string(out, ",\"name\":\"");
	output_json_string(out, function_name(export->functions, function));
	output_string(out, "\",\"cat\":\"");
	output_json_string(out, function_library(export->functions, function));
	output_char(out, '"');
	if (!place)
		return;
	output_string(out, ",\"sf\":");
	output_number(out, place);
}

/* Stores the text of write_function, because escaping a name is slow. Returns NULL without memory. */
static const struct export_text *make_text(struct export *export, uint32_t function)
{
	struct output memory = { .fd = -1 };
	struct export_text *text;

	if (function >= export->call_text_count) {
		uint32_t count = function < 512 ? 1024 : 2 * function;
		struct export_text *larger;

		/* The formatting threads may be reading the array. */
		formatting_finish(&export->formatting);
		larger = reallocarray(export->call_texts, count, sizeof(*larger));
		if (!larger)
			return NULL;
		memset(larger + export->call_text_count, 0, (count - export->call_text_count) * sizeof(*larger));
		export->call_texts = larger;
		export->call_text_count = count;
	}
	text = &export->call_texts[function];
	memory.buffer = malloc(OUTPUT_BYTES);
	if (!memory.buffer)
		return NULL;
	write_function(export, &memory, function);
	text->is_made = true;
	/* Without a file the output has an error if the text exceeds its buffer. */
	if (!memory.error)
		text->text = malloc(memory.used);
	if (text->text) {
		memcpy(text->text, memory.buffer, memory.used);
		text->length = memory.used;
	}
	free(memory.buffer);
	return text;
}

static inline const struct export_text *find_text(struct export *export, uint32_t function)
{
	if (__builtin_expect(function < export->call_text_count && export->call_texts[function].is_made, 1))
		return &export->call_texts[function];
	return make_text(export, function);
}

static void chrome_enter(void *context, const struct call *call, size_t depth)
{
	(void)context, (void)call, (void)depth;
}

static void chrome_leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	struct export *export = context;
	const struct export_text *text = find_text(export, call->function);
	struct chrome_call item = {
		.begin_ns = call->begin_ns,
		.duration_ns = call_duration(call, end_ns),
		.function = call->function,
		.how = (uint8_t)how,
		.root = call->root,
		.early = call->early,
	};

	(void)depth;
	if (call->arguments || call->result) {
		/* Calls that wait for formatting come first. */
		formatting_finish(&export->formatting);
		write_call_begin(export, &item, &export->out);
		write_function(export, &export->out, call->function);
		write_values_end(&item, call->arguments, call->result, &export->out);
	} else if (!text || !text->text) {
		write_call_begin(export, &item, &export->out);
		write_function(export, &export->out, call->function);
		write_call_end(&item, &export->out);
	} else if (formatting_is_on(&export->formatting)) {
		*(struct chrome_call *)formatting_item(&export->formatting, &export->out) = item;
	} else {
		write_call(export, &item, &export->out);
	}
}

static int chrome_trace_end(void *context)
{
	struct export *export = context;

	if (!export->process_count)
		output_string(&export->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	output_string(&export->out, "\n],\n\"stackFrames\":{");
	for (uint32_t i = 1; i < export->names.count; i++) {
		output_string(&export->out, i > 1 ? ",\n\"" : "\n\"");
		output_number(&export->out, i);
		output_string(&export->out, "\":{\"category\":\"");
		output_json_string(&export->out, export->names.list[i].library);
		output_string(&export->out, "\",\"name\":\"");
		output_json_string(&export->out, export->names.list[i].function);
		output_string(&export->out, "\"}");
	}
	output_string(&export->out, "\n}}\n");
	return export->out.error;
}

void export_chrome(struct walk_sink *sink)
{
	sink->process_begin = chrome_process_begin;
	sink->process_end = chrome_process_end;
	sink->thread_begin = chrome_thread_begin;
	sink->trace_end = chrome_trace_end;
	sink->is_formatted = true;
	sink->calls.enter = chrome_enter;
	sink->calls.leave = chrome_leave;
	sink->calls.other = chrome_other;
}
