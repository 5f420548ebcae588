/* SPDX-License-Identifier: MIT */
/* walk.c - walks over processes, threads and calls of a trace. */
#include "walk/walk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/jobs.h"
#include "base/message.h"
#include "base/progress.h"
#include "walk/parts.h"
#include "walk/pattern_options.h"
#include "walk/pieces.h"
#include "walk/range_calls.h"

int walk_choice_open(const struct walk_choice *choice, struct timeline *timeline)
{
	return choice->trace_paths ? timeline_open(timeline, choice->trace_paths, choice->trace_count, choice->demangle) :
				     timeline_open(timeline, &choice->trace_path, 1, choice->demangle);
}

static bool chosen(const int64_t *ids, size_t count, int64_t id)
{
	for (size_t i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return count == 0;
}

/* Matches the shown ID, or the kernel's ID on its machine. */
static bool chosen_of_machine(const int64_t *ids, size_t count, int64_t id, uint32_t offset)
{
	return chosen(ids, count, id) || (offset && chosen(ids, count, id - offset));
}

/* Prints messages about unreadable data of a thread. */
void walk_complain(struct process *process, const struct thread_events *events)
{
	uint32_t thread_id = events->thread->thread_id;

	if (events->unreadable_slices) {
		message("%s: %" PRIu64 " slice%s of thread %" PRIu32 " cannot be unpacked; events are missing",
			process->path, events->unreadable_slices, events->unreadable_slices == 1 ? "" : "s", thread_id);
		process->damaged = true;
	}
	if (events->unknown_words) {
		message("%s: %" PRIu64 " words of thread %" PRIu32 " have an unknown kind and are skipped",
			process->path, events->unknown_words, thread_id);
		process->damaged = true;
	}
}

/* Returns @origin_ns + @ns, at most UINT64_MAX. */
static uint64_t since(uint64_t origin_ns, uint64_t ns)
{
	return ns < UINT64_MAX - origin_ns ? origin_ns + ns : UINT64_MAX;
}

int walk_begin(struct walk *walk, const struct walk_choice *choice)
{
	int error = jobs_check();

	if (error)
		return error;
	*walk = (struct walk){ .choice = choice };
	if (walk_choice_open(choice, &walk->timeline))
		return SPOOR_EXIT_BAD_TRACE;
	walk->damaged = walk->timeline.unopened;
	walk->origin_ns = timeline_begin_ns(&walk->timeline);
	/* A range from 0 includes everything before, because a program may read its clocks after its first event. */
	walk->range_in_trace.begin_ns = choice->range.begin_ns ? since(walk->origin_ns, choice->range.begin_ns) : 0;
	walk->range_in_trace.end_ns = since(walk->origin_ns, choice->range.end_ns);
	walk->range = choice->has_range ? &walk->range_in_trace : NULL;
	return 0;
}

bool walk_met_none(const struct walk *walk)
{
	const struct walk_choice *choice = walk->choice;

	return (choice->process_count && !walk->processes_met) || (choice->thread_count && !walk->threads_met);
}

/* The time from the first to the last call. */
struct span {
	uint64_t begin_ns, end_ns;
};

static void span_enter(void *context, const struct call *call, size_t depth)
{
	struct span *span = context;

	(void)depth;
	if (call->begin_ns < span->begin_ns)
		span->begin_ns = call->begin_ns;
}

static void span_leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	struct span *span = context;

	(void)call;
	(void)depth;
	(void)how;
	if (end_ns > span->end_ns)
		span->end_ns = end_ns;
}

static void ignore(const char *text)
{
	(void)text;
}

/* Prints when the calls are of which none is in the chosen range. The walk over all of them prints no message again. */
static void report_empty_range(const struct walk *walk)
{
	struct walk_choice whole = *walk->choice;
	struct span span = { UINT64_MAX, 0 };
	const struct walk_sink sink = {
		.context = &span, .calls = { .context = &span, .enter = span_enter, .leave = span_leave },
	};
	void (*receiver)(const char *text) = message_diverted();

	whole.has_range = false;
	whole.libraries = whole.functions = NULL;
	whole.least_ns = 0;
	whole.condition = NULL;
	message_divert(ignore);
	walk_trace(&whole, &sink);
	message_divert(receiver);
	if (span.begin_ns != UINT64_MAX) {
		span.begin_ns = span.begin_ns > walk->origin_ns ? span.begin_ns - walk->origin_ns : 0;
		span.end_ns = span.end_ns > walk->origin_ns ? span.end_ns - walk->origin_ns : 0;
	}
	range_calls_tell_none(span.begin_ns, span.end_ns);
}

int walk_end(struct walk *walk, int error)
{
	const struct walk_choice *choice = walk->choice;
	bool none = walk_met_none(walk);

	if (error && error != -EPIPE && error != -ENODATA)
		message("%s: %s", choice->trace_path, strerror(-error));
	if (!error && none) {
		message("%s: the trace has no such %s: 'spoor info' lists them", choice->trace_path,
			walk->processes_met ? "thread" : "process");
	} else if (!error && choice->has_range && range_calls_met_none()) {
		report_empty_range(walk);
		pattern_options_forget_unmatched();
	}
	if (!error && !none)
		none = pattern_options_report_unmatched_library(choice->libraries) |
		       pattern_options_report_unmatched_function(choice->functions);
	call_tree_free(&walk->tree);
	call_filter_free(&walk->filter);
	timeline_close(&walk->timeline);
	if (error == -EPIPE)	/* the reader of the output has closed it */
		return SPOOR_EXIT_GOOD;
	return error || walk->damaged || none ? SPOOR_EXIT_BAD_TRACE : SPOOR_EXIT_GOOD;
}

void walk_process_close(struct walk *walk, struct walk_process *process)
{
	if (!process)
		return;
	walk->damaged |= process->process.damaged;
	functions_end(&process->functions);
	call_choice_free(&process->libraries);
	process_close(&process->process);
	free(process);
}

int walk_process_open(struct walk *walk, size_t number, struct walk_process **result)
{
	struct walk_process *process = calloc(1, sizeof(*process));
	int error;

	*result = NULL;
	if (!process)
		return -ENOMEM;
	if (timeline_open_process(&walk->timeline, number, &process->process)) {
		walk->damaged = true;
		free(process);
		return 0;
	}
	if (!chosen_of_machine(walk->choice->processes, walk->choice->process_count, process->process.process_id,
			       process->process.id_offset)) {
		walk->damaged |= process->process.damaged;
		process_close(&process->process);
		free(process);
		return 0;
	}
	walk->processes_met++;
	process->libraries = (struct call_choice){
		.libraries = walk->choice->libraries, .roots = walk->choice->functions, .functions = &process->functions,
	};
	error = functions_begin(&process->functions, &process->process);
	functions_describe(&process->functions, &walk->choice->described, walk->choice->demangle);
	if (error)
		walk_process_close(walk, process);
	else
		*result = process;
	return error;
}

bool walk_thread_is_chosen(struct walk *walk, struct walk_process *process, const struct thread_slices *thread)
{
	uint64_t begin_ns;

	if (!chosen_of_machine(walk->choice->threads, walk->choice->thread_count, thread->thread_id,
			       process->process.id_offset))
		return false;
	walk->threads_met++;
	begin_ns = clock_ns(&process->process.clock, thread->first_counter);
	/* Later threads need not be read. */
	return !walk->range || begin_ns < walk->range->end_ns;
}

void walk_tell_what_is_not_shown(const struct process *process, const struct walk_sink *sink)
{
	/* Patterns may match these calls. */
	if (process->counts.calls || process->order.count)
		pattern_options_forget_unmatched();
	if (process->counts.calls && !sink->takes_counts)
		message("%s: omits %" PRIu64 " counted calls, which have neither time nor order: 'spoor report' shows "
			"the counts", process->path,
			process->counts.calls);
	if (process->order.count)
		message("%s: omits the order of %" PRIu32 " functions: 'spoor order' writes it for a linker",
			process->path, process->order.count);
}

int walk_calls(struct walk *walk, struct walk_process *process, struct thread_events *events, const struct call_sink *calls)
{
	struct range_calls met;

	walk->filter.libraries = &process->libraries;
	walk->filter.least_ns = walk->choice->least_ns;
	walk->filter.condition = walk->choice->condition;
	calls = call_filter_thread(&walk->filter, calls);
	return call_tree_walk(&walk->tree, events, walk->range ? range_calls_thread(&met, calls) : calls);
}

int walk_thread(struct walk *walk, const struct walk_sink *sink, struct walk_process *process,
		const struct thread_slices *thread, bool ahead, struct thread_events *events)
{
	int error = 0;

	thread_events_begin(events, &process->process, &process->functions, thread);
	if (sink->thread_begin)
		error = sink->thread_begin(sink->context, thread);
	if (error)
		return error;
	events->range = walk->range;
	/* If one thread formats, two processors are already busy. */
	if (ahead && (!sink->is_formatted || jobs_count() > 2))
		thread_events_read_ahead(events);
	if (sink->thread_events) {
		range_calls_pass();
		error = sink->thread_events(sink->context, events);
	} else {
		error = walk_calls(walk, process, events, &sink->calls);
	}
	thread_events_end(events);
	if (!error && sink->thread_end)
		error = sink->thread_end(sink->context, &walk->tree);
	return error;
}

static int walk_threads(struct walk *walk, const struct walk_sink *sink, struct walk_process *process,
			const struct thread_slices *const *threads, size_t count)
{
	int error = walk_parts(walk, sink, process, threads, count);

	if (error != -ENOTSUP)
		return error;
	error = 0;
	for (size_t i = 0; i < count && !error; i++) {
		struct thread_events events;

		error = walk_pieces(walk, sink, process, threads[i], &events);
		if (error == -ENOTSUP)
			error = walk_thread(walk, sink, process, threads[i], true, &events);
		walk_complain(&process->process, &events);
	}
	return error;
}

static int walk_process(struct walk *walk, const struct walk_sink *sink, struct walk_process *process)
{
	const struct thread_index *index = &process->process.threads;
	const struct thread_slices **threads = calloc(index->count + 1, sizeof(*threads));
	size_t count = 0;
	int error = threads ? 0 : -ENOMEM;

	if (!error && sink->process_begin)
		error = sink->process_begin(sink->context, &process->process, &process->functions);
	walk_tell_what_is_not_shown(&process->process, sink);
	progress_begin("walking", process->process.event_bytes);
	for (size_t i = 0; i < index->count && !error; i++)
		if (walk_thread_is_chosen(walk, process, index->threads[i]))
			threads[count++] = index->threads[i];
	if (!error)
		error = walk_threads(walk, sink, process, threads, count);
	free(threads);
	progress_begin("", 0);
	if (!error && sink->process_end)
		error = sink->process_end(sink->context);
	return error;
}

int walk_for_each_process(struct walk *walk, const struct walk_sink *sink)
{
	int error = 0;

	for (size_t i = 0; i < walk->timeline.count && !error; i++) {
		error = walk_process_open(walk, i, &walk->process);
		if (walk->process)
			error = walk_process(walk, sink, walk->process);
		walk_process_close(walk, walk->process);
		walk->process = NULL;
	}
	return error;
}

int walk_ended_by(const struct walk_sink *sink, int error)
{
	return error && sink->calls.stop && sink->calls.stop(sink->calls.context) ? -EPIPE : error;
}

int walk_trace(const struct walk_choice *choice, const struct walk_sink *sink)
{
	struct walk walk;
	int error = walk_begin(&walk, choice);

	if (error)
		return error;
	if (sink->trace_begin)
		sink->trace_begin(sink->context, &walk);
	error = walk_for_each_process(&walk, sink);
	if (!error && sink->trace_end)
		error = sink->trace_end(sink->context);
	return walk_end(&walk, walk_ended_by(sink, error));
}
