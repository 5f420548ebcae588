/* SPDX-License-Identifier: MIT */
/* merged.c - walks over all threads of a trace at once, by time. */
#include "walk/merged.h"

#include <errno.h>
#include <stdlib.h>

#include "walk/call_stream.h"
#include "base/progress.h"

/* Bytes to read ahead in each process's file, small because threads take turns in the file. */
#define WINDOW_BYTES (32u * 1024)

struct merged_thread {
	struct walk_process *process;
	const struct thread_slices *thread;
	struct call_stream *stream;	/* null: not begun */
};

/* The time of a thread's next item, or an earlier time. */
struct due {
	uint64_t time_ns;
	size_t thread;
};

struct merged {
	struct walk walk;
	const struct walk_sink *sink;
	struct walk_process **processes;
	size_t process_count;
	struct merged_thread *threads;
	size_t thread_count, thread_capacity;
	struct due *heap;		/* the earliest item first */
	size_t heap_count;
	uint64_t told;
};

static bool is_before(const struct due *a, const struct due *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->thread < b->thread;
}

/* Restores the order of the heap after the first element's time has increased. */
static void sink_first(struct merged *merged)
{
	struct due *heap = merged->heap, moved = heap[0];
	size_t at = 0, below;

	while ((below = 2 * at + 1) < merged->heap_count) {
		if (below + 1 < merged->heap_count && is_before(&heap[below + 1], &heap[below]))
			below++;
		if (is_before(&moved, &heap[below]))
			break;
		heap[at] = heap[below];
		at = below;
	}
	heap[at] = moved;
}

static int compare_due(const void *left, const void *right)
{
	return is_before(left, right) ? -1 : is_before(right, left);
}

static int add_thread(struct merged *merged, struct walk_process *process, const struct thread_slices *thread)
{
	if (merged->thread_count == merged->thread_capacity) {
		size_t capacity = merged->thread_capacity ? 2 * merged->thread_capacity : 64;
		struct merged_thread *threads = reallocarray(merged->threads, capacity, sizeof(*threads));

		if (!threads)
			return -ENOMEM;
		merged->threads = threads;
		merged->thread_capacity = capacity;
	}
	merged->threads[merged->thread_count++] = (struct merged_thread){ process, thread, NULL };
	return merged->sink->thread_begin ? merged->sink->thread_begin(merged->sink->context, thread) : 0;
}

static int add_process(struct merged *merged, struct walk_process *process)
{
	const struct thread_index *threads = &process->process.threads;
	const struct walk_sink *sink = merged->sink;
	int error = 0;

	merged->processes[merged->process_count++] = process;
	file_window_read_ahead(&process->process.events.window, WINDOW_BYTES);
	if (sink->process_begin)
		error = sink->process_begin(sink->context, &process->process, &process->functions);
	walk_tell_what_is_not_shown(&process->process, sink);
	for (size_t i = 0; i < threads->count && !error; i++)
		if (walk_thread_is_chosen(&merged->walk, process, threads->threads[i]))
			error = add_thread(merged, process, threads->threads[i]);
	return error;
}

static int add_all(struct merged *merged)
{
	uint64_t bytes = 0;
	int error = 0;

	merged->processes = calloc(merged->walk.timeline.count, sizeof(struct walk_process *));
	if (!merged->processes)
		return -ENOMEM;
	for (size_t i = 0; i < merged->walk.timeline.count && !error; i++) {
		struct walk_process *process;

		error = walk_process_open(&merged->walk, i, &process);
		if (process) {
			bytes += process->process.event_bytes;
			error = add_process(merged, process);
		}
	}
	progress_begin("walking", bytes);
	merged->heap = error ? NULL : calloc(merged->thread_count + 1, sizeof(*merged->heap));
	if (!merged->heap)
		return error ? error : -ENOMEM;
	for (size_t i = 0; i < merged->thread_count; i++) {
		struct merged_thread *thread = &merged->threads[i];

		merged->heap[i] = (struct due){
			clock_ns(&thread->process->process.clock, thread->thread->first_counter), i };
	}
	merged->heap_count = merged->thread_count;
	qsort(merged->heap, merged->heap_count, sizeof(*merged->heap), compare_due);
	return 0;
}

static int begin_stream(struct merged *merged, struct merged_thread *thread)
{
	struct thread_events events;

	thread->stream = malloc(sizeof(*thread->stream));
	if (!thread->stream)
		return -ENOMEM;
	thread_events_begin(&events, &thread->process->process, &thread->process->functions, thread->thread);
	events.range = merged->walk.range;
	call_stream_begin(thread->stream, &events, &thread->process->libraries, merged->walk.choice->least_ns,
			  merged->walk.choice->condition);
	return 0;
}

static void end_stream(struct merged_thread *thread)
{
	if (!thread->stream)
		return;
	walk_complain(&thread->process->process, &thread->stream->events);
	call_stream_end(thread->stream);
	free(thread->stream);
	thread->stream = NULL;
}

/* Reports the items of the first thread of the heap until another thread's turn. */
static int take_turn(struct merged *merged, void (*turn)(void *context, size_t thread))
{
	struct due *first = &merged->heap[0];
	struct merged_thread *thread = &merged->threads[first->thread];
	const struct due *others[] = { &merged->heap[1], &merged->heap[2] };
	const struct call_sink *calls = &merged->sink->calls;
	const struct call_item *item;
	bool told = false;
	int more = 0;

	if (!thread->stream)
		more = begin_stream(merged, thread);
	while (!more && (more = call_stream_look(thread->stream, &item)) > 0) {
		first->time_ns = item->time_ns;
		if ((merged->heap_count > 1 && is_before(others[0], first)) ||
		    (merged->heap_count > 2 && is_before(others[1], first)))
			break;
		if (!told)
			turn(merged->sink->context, first->thread);
		told = true;
		call_stream_emit(thread->stream, calls);
		if (!(++merged->told % 1024) && calls->stop && calls->stop(calls->context))
			return -EPIPE;
		more = 0;
	}
	if (more < 0)
		return more;
	if (!more) {
		end_stream(thread);
		*first = merged->heap[--merged->heap_count];
	}
	sink_first(merged);
	return 0;
}

static void end_all(struct merged *merged)
{
	for (size_t i = 0; i < merged->thread_count; i++)
		end_stream(&merged->threads[i]);
	for (size_t i = 0; i < merged->process_count; i++)
		walk_process_close(&merged->walk, merged->processes[i]);
	free(merged->threads);
	free(merged->processes);
	free(merged->heap);
}

int walk_merged(const struct walk_choice *choice, const struct walk_sink *sink,
		void (*turn)(void *context, size_t thread))
{
	struct merged merged = { .sink = sink };
	int error = walk_begin(&merged.walk, choice);

	if (error)
		return error;
	if (sink->trace_begin)
		sink->trace_begin(sink->context, &merged.walk);
	error = add_all(&merged);
	while (!error && merged.heap_count)
		error = take_turn(&merged, turn);
	progress_begin("", 0);
	if (!error && sink->trace_end)
		error = sink->trace_end(sink->context);
	end_all(&merged);
	return walk_end(&merged.walk, walk_ended_by(sink, error));
}
