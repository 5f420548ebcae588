/* SPDX-License-Identifier: MIT */
/*
 * speedscope.c - writes the JSON that https://www.speedscope.app reads: its wiki, "Importing from custom
 * sources", has a schema. Each thread is a profile of type "evented".
 *
 * The file of a frame is the function's source file, with a line, or its library if the source is unknown.
 * Times are nanoseconds since the trace began, because JavaScript's numbers are exact only up to 2^53.
 */
#include "export/export.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static void write_time(struct export *export, uint64_t ns)
{
	if (ns < export->begin_ns)
		output_char(&export->out, '-');
	output_number(&export->out, ns < export->begin_ns ? export->begin_ns - ns : ns - export->begin_ns);
}

static int speedscope_process_begin(void *context, struct process *process, struct functions *functions)
{
	struct export *export = context;

	if (!export->process_count) {
		export->begin_ns = export->walk->origin_ns;
		output_string(&export->out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
					    "\"exporter\":\"spoor\",\"profiles\":[");
	}
	export_process_begin(export, process, functions);
	export_clear_notes(export);
	return export->out.error;
}

static int speedscope_thread_begin(void *context, const struct thread_slices *thread)
{
	struct export *export = context;
	struct output *out = &export->out;
	char number[48];

	output_string(out, export->thread_count ? ",\n" : "\n");
	export_thread_begin(export, thread);
	output_string(out, "{\"type\":\"evented\",\"unit\":\"nanoseconds\",\"name\":\"");
	output_json_string(out, export_thread_name(export));
	snprintf(number, sizeof(number), " (%lld, %llu)", (long long)export->process->process_id,
		 (unsigned long long)thread->thread_id);
	output_string(out, number);
	output_string(out, "\",\"events\":[");
	export->began = false;
	export->last_ns = 0;
	return out->error;
}

/* Returns the number of a frame, from 1, or 0 without memory. */
static uint32_t add_frame(struct export *export, uint32_t function)
{
	const char *library = function_library(export->functions, function), *name = function_name(export->functions, function);
	struct symbol_place place = function_place(export->functions, function);
	uint32_t frame = name_table_add(&export->names, name, place.path ? place.path : library);
	bool has_place = place.path;

	free(place.path);
	if (!has_place)
		return frame;
	if (frame >= export->line_count) {
		uint32_t count = 2 * frame + 64, *larger = reallocarray(export->lines, count, sizeof(*larger));

		if (!larger)
			return 0;
		memset(larger + export->line_count, 0, (count - export->line_count) * sizeof(*larger));
		export->lines = larger;
		export->line_count = count;
	}
	export->lines[frame] = place.line;
	return frame;
}

/* Writes an event. The times of a profile must never decrease. */
static void write_event(struct export *export, const struct call *call, char type, uint64_t ns)
{
	uint32_t *note = export_note(export, call->function), frame = 0;
	struct output *out = &export->out;

	if (note && !*note)
		*note = add_frame(export, call->function);
	if (note)
		frame = *note;
	if (!frame)
		out->error = -ENOMEM;
	output_string(out, export->began ? ",\n{\"type\":\"" : "\n{\"type\":\"");
	if (!export->began || ns > export->last_ns)
		export->last_ns = ns;
	export->began = true;
	output_char(out, type);
	output_string(out, "\",\"frame\":");
	output_number(out, frame - 1);
	output_string(out, ",\"at\":");
	write_time(export, export->last_ns);
	output_char(out, '}');
}

static void speedscope_enter(void *context, const struct call *call, size_t depth)
{
	(void)depth;
	((struct export *)context)->calls++;
	write_event(context, call, 'O', call->begin_ns);
}

static void speedscope_leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	(void)depth, (void)how;
	write_event(context, call, 'C', end_ns > call->begin_ns ? end_ns : call->begin_ns);
}

static int speedscope_thread_end(void *context, const struct call_tree *tree)
{
	struct export *export = context;
	struct output *out = &export->out;

	(void)tree;
	/* A main thread that waits has a call all the time and few calls, so calls tell who works. */
	if (export->calls > export->most_calls) {
		export->most_calls = export->calls;
		export->busiest = export->thread_count - 1;
	}
	export->calls = 0;
	output_string(out, "],\"startValue\":0,\"endValue\":");
	if (export->began && export->last_ns > export->begin_ns)
		write_time(export, export->last_ns);
	else
		output_char(out, '0');
	output_char(out, '}');
	return out->error;
}

static int speedscope_trace_end(void *context)
{
	struct export *export = context;
	struct output *out = &export->out;

	if (!export->process_count)
		output_string(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
				   "\"exporter\":\"spoor\",\"profiles\":[");
	output_string(out, "],\n\"activeProfileIndex\":");
	output_number(out, export->busiest);
	output_string(out, ",\n\"shared\":{\"frames\":[");
	for (uint32_t i = 1; i < export->names.count; i++) {
		output_string(out, i > 1 ? ",\n{\"name\":\"" : "\n{\"name\":\"");
		output_json_string(out, export->names.list[i].function);
		output_string(out, "\",\"file\":\"");
		output_json_string(out, export->names.list[i].library);
		output_char(out, '"');
		if (i < export->line_count && export->lines[i]) {
			output_string(out, ",\"line\":");
			output_number(out, export->lines[i]);
		}
		output_char(out, '}');
	}
	output_string(out, "]}}\n");
	return out->error;
}

void export_speedscope(struct walk_sink *sink)
{
	sink->process_begin = speedscope_process_begin;
	sink->thread_begin = speedscope_thread_begin;
	sink->thread_end = speedscope_thread_end;
	sink->trace_end = speedscope_trace_end;
	sink->calls.enter = speedscope_enter;
	sink->calls.leave = speedscope_leave;
}
