/* SPDX-License-Identifier: MIT */
/* walk.c - the walk over processes, threads and calls of a trace. */
#include "walk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "progress.h"

void walk_choice_begin(struct walk_choice *choice)
{
	*choice = (struct walk_choice){ .trace_path = TRACE_DEFAULT_PATH, .demangle = true };
}

void walk_choice_end(struct walk_choice *choice)
{
	free(choice->processes);
	free(choice->threads);
}

static int add_id(int64_t **ids, size_t *count, const char *what, const char *argument)
{
	int64_t *more, id;
	char *end;

	errno = 0;
	id = strtoll(argument, &end, 10);
	if (errno || end == argument || *end || id <= 0)
		return message_usage("'%s' is no %s ID", argument, what);
	more = reallocarray(*ids, *count + 1, sizeof(**ids));
	if (!more)
		return message_usage("no memory for so many options");
	*ids = more;
	more[(*count)++] = id;
	return 0;
}

int walk_choice_option(struct walk_choice *choice, int option, const char *argument)
{
	switch (option) {
	case WALK_PROCESS:
		return add_id(&choice->processes, &choice->process_count, "process", argument);
	case WALK_THREAD:
		return add_id(&choice->threads, &choice->thread_count, "thread", argument);
	case WALK_NO_DEMANGLE:
		choice->demangle = false;
		return 0;
	default:	/* getopt has said what is wrong */
		return message_usage(NULL);
	}
}

int walk_choice_arguments(struct walk_choice *choice, int count, char **arguments)
{
	if (count > 1)
		return message_usage("one trace at a time: '%s' is too much", arguments[1]);
	if (count == 1)
		choice->trace_path = arguments[0];
	return 0;
}

static bool chosen(const int64_t *ids, size_t count, int64_t id)
{
	for (size_t i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return count == 0;
}

static int walk_thread(const struct walk_sink *sink, struct process *process, struct functions *functions,
		       const struct thread_slices *thread, struct call_tree *tree)
{
	struct thread_events events;
	int error = 0;

	if (sink->thread_begin)
		error = sink->thread_begin(sink->context, thread);
	if (error)
		return error;
	thread_events_begin(&events, process, functions, thread);
	if (sink->thread_events)
		error = sink->thread_events(sink->context, &events);
	else
		error = call_tree_walk(tree, &events, &sink->calls);
	if (events.unreadable_slices) {
		message("%s: %" PRIu64 " slice%s of thread %" PRIu32 " cannot be unpacked; events are missing",
			process->path, events.unreadable_slices, events.unreadable_slices == 1 ? "" : "s",
			thread->thread_id);
		process->damaged = true;
	}
	if (events.unknown_words) {
		message("%s: %" PRIu64 " words of thread %" PRIu32 " are of a kind that this spoor does not know",
			process->path, events.unknown_words, thread->thread_id);
		process->damaged = true;
	}
	thread_events_end(&events);
	if (!error && sink->thread_end)
		error = sink->thread_end(sink->context, tree);
	return error;
}

static int walk_process(const struct walk_choice *choice, const struct walk_sink *sink, struct process *process,
			size_t *threads_met)
{
	struct functions functions;
	struct call_tree tree = { 0 };
	int error = functions_begin(&functions, process);

	if (!error && sink->process_begin)
		error = sink->process_begin(sink->context, process, &functions);
	if (process->counts.calls && !sink->takes_counts)
		message("%s: %" PRIu64 " calls were counted, without time or order: there is nothing to show of them "
			"here; 'spoor report' says how often each function was called", process->path,
			process->counts.calls);
	if (process->order.count)
		message("%s: the order in which %" PRIu32 " functions were first executed was noted: there is nothing to show "
			"of them here; 'spoor order' writes it for linkers", process->path, process->order.count);
	progress_begin("walking", process->event_bytes);
	for (size_t i = 0; i < process->threads.count && !error; i++) {
		const struct thread_slices *thread = process->threads.threads[i];

		if (!chosen(choice->threads, choice->thread_count, thread->thread_id))
			continue;
		++*threads_met;
		error = walk_thread(sink, process, &functions, thread, &tree);
	}
	progress_begin("", 0);
	if (!error && sink->process_end)
		error = sink->process_end(sink->context);
	call_tree_free(&tree);
	functions_end(&functions);
	return error;
}

int walk_trace(const struct walk_choice *choice, const struct walk_sink *sink)
{
	struct trace trace;
	size_t processes_met = 0, threads_met = 0;
	bool damaged = false, none;
	int error = 0;

	if (trace_open(&trace, choice->trace_path, choice->demangle))
		return SPOOR_EXIT_BAD_TRACE;
	for (size_t i = 0; i < trace.count && !error; i++) {
		struct process process;

		if (trace_open_process(&trace, i, &process)) {
			damaged = true;
			continue;
		}
		if (chosen(choice->processes, choice->process_count, process.process_id)) {
			processes_met++;
			error = walk_process(choice, sink, &process, &threads_met);
		}
		damaged |= process.damaged;
		process_close(&process);
	}
	if (!error && sink->trace_end)
		error = sink->trace_end(sink->context);
	if (error && error != -EPIPE)
		message("%s: %s", choice->trace_path, strerror(-error));
	none = (choice->process_count && !processes_met) || (choice->thread_count && !threads_met);
	if (!error && none)
		message("%s: no such %s in it; 'spoor info' lists them", choice->trace_path,
			processes_met ? "thread" : "process");
	trace_close(&trace);
	if (error == -EPIPE)	/* whoever read has read enough */
		return SPOOR_EXIT_GOOD;
	return error || damaged || none ? SPOOR_EXIT_BAD_TRACE : SPOOR_EXIT_GOOD;
}
