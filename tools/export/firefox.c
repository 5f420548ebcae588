/* SPDX-License-Identifier: MIT */
/*
 * firefox.c - writes the profile that https://profiler.firefox.com reads: its "processed profile", in
 * the version with one table of functions and stacks for all threads.
 *
 * A sample is the time from one entry or exit to the next, and this time is its weight. So sums of weights
 * are the times of spoor report. An interval of 0 ns has no sample.
 *
 * In the format each column of a table is an array. The columns of a thread are written at the same
 * time, into temporary files. Stacks stay in memory and are written at the end.
 */
#include <errno.h>
#include <stdlib.h>

#include "export/firefox.h"
#include "base/message.h"

static void put_time(const struct export *export, struct output *out, uint64_t ns)
{
	if (ns < export->begin_ns)
		output_char(out, '-');
	output_milliseconds(out, ns < export->begin_ns ? export->begin_ns - ns : ns - export->begin_ns);
}

/* Writes the sample from the last entry or exit to @now_ns. */
static void end_sample(struct export *export, uint64_t now_ns)
{
	struct export_firefox *firefox = export->firefox;
	struct output *stack = &firefox->columns[SAMPLE_STACK];
	struct output *time = &firefox->columns[SAMPLE_TIME];
	struct output *weight = &firefox->columns[SAMPLE_WEIGHT];

	if (now_ns <= firefox->since_ns)
		return;
	if (firefox->samples++) {
		output_char(stack, ',');
		output_char(time, ',');
		output_char(weight, ',');
	}
	put_time(export, time, firefox->since_ns);
	if (firefox->node) {
		output_number(stack, firefox->node - 1);
		output_milliseconds(weight, now_ns - firefox->since_ns);
	} else {
		output_string(stack, "null");
		output_char(weight, '0');
	}
	firefox->since_ns = now_ns;
}

/* Returns the node of a call path, which is made if it is new, or 0 without memory. */
static uint32_t child_of(struct export_firefox *firefox, uint32_t prefix, uint32_t function)
{
	uint32_t *child = map64_at(&firefox->children, (uint64_t)prefix << 32 | function);

	if (!child || *child)
		return child ? *child : 0;
	if (firefox->node_count + 1 >= firefox->node_capacity) {
		uint32_t capacity = firefox->node_capacity ? 2 * firefox->node_capacity : 1024;
		struct path_node *nodes = reallocarray(firefox->nodes, capacity, sizeof(*nodes));

		if (!nodes || capacity < firefox->node_capacity)
			return 0;
		firefox->nodes = nodes;
		firefox->node_capacity = capacity;
	}
	firefox->nodes[++firefox->node_count] = (struct path_node){ prefix, function };
	return *child = firefox->node_count;
}

static void firefox_enter(void *context, const struct call *call, size_t depth)
{
	struct export *export = context;
	struct export_firefox *firefox = export->firefox;
	uint32_t function = trace_functions_number(&export->table, export->functions, call->function);

	if (depth + 2 > firefox->path_capacity) {
		uint32_t *path = reallocarray(firefox->path, 2 * (depth + 2), sizeof(*path));

		if (!path) {
			export->out.error = -ENOMEM;
			return;
		}
		firefox->path = path;
		firefox->path_capacity = 2 * (depth + 2);
	}
	end_sample(export, call->begin_ns);
	firefox->path[0] = 0;
	firefox->node = function ? child_of(firefox, firefox->path[depth], function) : 0;
	firefox->path[depth + 1] = firefox->node;
	if (!firefox->node)
		export->out.error = -ENOMEM;
}

static void firefox_leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	struct export *export = context;

	(void)call, (void)how;
	end_sample(export, end_ns);
	export->firefox->node = export->firefox->path[depth];
}

static void put_user_event(struct export *export, const struct event *event, struct output *data)
{
	const char *text = user_event_string(export->process, event);
	size_t type;

	output_string(data, "{\"type\":\"user event\"");
	export_firefox_put_number(data, "number", event->user_type);
	if (user_event_is_counter(export->process, event, &type))
		export_firefox_put_signed(data, "payload_1", (int64_t)event->user_payload_1);
	else
		export_firefox_put_number(data, "payload_1", event->user_payload_1);
	export_firefox_put_number(data, "payload_2", event->user_payload_2);
	if (text)
		export_firefox_put_text(data, "string", text);
}

static void put_tracepoint(const struct event *event, struct output *data)
{
	char text[TRACEPOINT_TEXT_MAX];

	tracepoint_text(event->tracepoint, true, text);
	output_string(data, "{\"type\":\"tracepoint\"");
	export_firefox_put_text(data, "arguments", text);
}

static void firefox_other(void *context, const struct event *event, size_t depth)
{
	struct export *export = context;
	struct export_firefox *firefox = export->firefox;
	struct output *name = &firefox->columns[MARKER_NAME];
	struct output *time = &firefox->columns[MARKER_TIME];
	struct output *data = &firefox->columns[MARKER_DATA];
	char text[EXPORT_TEXT_MAX];

	(void)depth;
	if (firefox->markers++) {
		output_char(name, ',');
		output_char(time, ',');
		output_char(data, ',');
	}
	if (!(event->kind == EVENT_USER && event->own_time))
		firefox->last_ns = event->time_ns;
	export_event_text(export, event, text, sizeof(text));
	put_time(export, time, event->time_ns);
	/* Names stay in memory. So a loss has one of a few words, not its text. */
	output_number(name, export_firefox_string(export, event->kind == EVENT_USER ? text :
							   event->kind == EVENT_TRACEPOINT ?
							   function_name(export->functions, event->function) :
							   export_event_word(event)));
	if (event->kind == EVENT_USER) {
		put_user_event(export, event, data);
	} else if (event->kind == EVENT_TRACEPOINT) {
		put_tracepoint(event, data);
	} else {
		output_string(data, event->kind == EVENT_LOST ? "{\"type\":\"loss\"" : "{\"type\":\"return\"");
		export_firefox_put_text(data, "text", text);
		if (event->kind == EVENT_LOST)
			export_firefox_put_number(data, "count", event->count);
	}
	output_char(data, '}');
}

static int firefox_process_begin(void *context, struct process *process, struct functions *functions)
{
	struct export *export = context;

	if (!export->process_count) {
		export->begin_ns = (uint64_t)process->begin_steady_ns;
		export_firefox_head(&export->out, process_title(process), process->begin_system_ns, export->begin_ns);
	}
	export_process_begin(export, process, functions);
	return export->out.error;
}

static int firefox_thread_begin(void *context, const struct thread_slices *thread)
{
	struct export *export = context;
	struct export_firefox *firefox = export->firefox;

	export_thread_begin(export, thread);
	firefox->samples = firefox->markers = 0;
	firefox->node = 0;
	firefox->since_ns = firefox->last_ns = clock_ns(&export->process->clock, thread->first_counter);
	return export->out.error;
}

/* Writes a column that repeats one value. */
static void put_repeated(struct output *out, const char *name, const char *value, uint64_t count)
{
	output_string(out, ",\"");
	output_string(out, name);
	output_string(out, "\":[");
	for (uint64_t i = 0; i < count; i++) {
		if (i)
			output_char(out, ',');
		output_string(out, value);
	}
	output_char(out, ']');
}

static void put_column(struct export *export, const char *name, enum column column)
{
	struct output *from = &export->firefox->columns[column];

	output_string(&export->out, ",\"");
	output_string(&export->out, name);
	output_string(&export->out, "\":[");
	output_append(&export->out, from);
	output_char(&export->out, ']');
	if (from->error)
		message("cannot write a temporary file in TMPDIR or /tmp");
}

static int firefox_thread_end(void *context, const struct call_tree *tree)
{
	struct export *export = context;
	struct export_firefox *firefox = export->firefox;
	struct output *out = &export->out;

	(void)tree;
	/* The profiler does not show the time after the last sample, so the last one is 1 ns long. */
	end_sample(export, firefox->last_ns);
	end_sample(export, firefox->since_ns + 1);
	output_string(out, export->began ? ",\n" : "\n");
	export->began = true;
	output_string(out, "{\"processType\":\"default\",\"processShutdownTime\":null,\"unregisterTime\":null,\"pausedRanges\":[]"
			   ",\"processStartupTime\":");
	put_time(export, out, (uint64_t)export->process->begin_steady_ns);
	output_string(out, ",\"registerTime\":");
	put_time(export, out, clock_ns(&export->process->clock, export->thread->first_counter));
	output_string(out, export->thread->thread_id == export->process->process_id ? ",\"isMainThread\":true" :
										       ",\"isMainThread\":false");
	export_firefox_put_text(out, "name", export_thread_name(export));
	export_firefox_put_text(out, "processName", process_title(export->process));
	output_string(out, ",\"pid\":\"");
	output_number(out, (uint64_t)export->process->process_id);
	output_string(out, "\",\"tid\":");
	output_number(out, export->thread->thread_id);
	output_string(out, ",\n\"samples\":{\"weightType\":\"tracing-ms\"");
	export_firefox_put_number(out, "length", firefox->samples);
	put_column(export, "stack", SAMPLE_STACK);
	put_column(export, "time", SAMPLE_TIME);
	put_column(export, "weight", SAMPLE_WEIGHT);
	output_string(out, "},\n\"markers\":{\"length\":");
	output_number(out, firefox->markers);
	put_column(export, "name", MARKER_NAME);
	put_column(export, "startTime", MARKER_TIME);
	put_column(export, "data", MARKER_DATA);
	put_repeated(out, "endTime", "null", firefox->markers);
	put_repeated(out, "phase", "0", firefox->markers);
	put_repeated(out, "category", "0", firefox->markers);
	output_string(out, "}}");
	return out->error;
}

static int firefox_trace_end(void *context)
{
	struct export *export = context;

	if (!export->process_count)
		export_firefox_head(&export->out, "", 0, 0);
	export_firefox_tables(export);
	return export->out.error;
}

void export_firefox(struct walk_sink *sink)
{
	sink->process_begin = firefox_process_begin;
	sink->thread_begin = firefox_thread_begin;
	sink->thread_end = firefox_thread_end;
	sink->trace_end = firefox_trace_end;
	sink->calls.enter = firefox_enter;
	sink->calls.leave = firefox_leave;
	sink->calls.other = firefox_other;
	sink->calls.other_has_no_place = true;
}

int export_firefox_begin(struct export *export, const char *path)
{
	int error = output_begin(&export->out, path);

	if (error)
		return error;
	export->firefox = calloc(1, sizeof(*export->firefox));
	if (!export->firefox)
		return -ENOMEM;
	for (size_t i = 0; i < COLUMNS && !error; i++) {
		error = output_begin_temporary(&export->firefox->columns[i]);
		if (error) {
			message("cannot create a temporary file in TMPDIR or /tmp: %s", strerror(-error));
			error = -ECANCELED;
		}
	}
	return error;
}

int export_firefox_end(struct export *export)
{
	struct export_firefox *firefox = export->firefox;

	for (size_t i = 0; firefox && i < COLUMNS; i++)
		output_end(&firefox->columns[i]);
	if (firefox) {
		free(firefox->nodes);
		map64_free(&firefox->children);
		free(firefox->path);
		name_table_free(&firefox->files);
		name_table_free(&firefox->libraries);
	}
	free(firefox);
	export->firefox = NULL;
	return output_end_with(&export->out, export->status);
}
