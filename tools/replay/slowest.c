/* SPDX-License-Identifier: MIT */
/*
 * slowest.c - shows the longest calls, each with the calls below it.
 *
 * One pass over the trace finds the calls. A second pass for each of them reads its thread again, up
 * to the end of the call. A call may contain nearly all calls of the trace, so the pass stores no calls:
 * memory grows with the number of calls found and with the depth of the stack.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/message.h"
#include "replay/replay.h"

/* A process of which calls were found. The process stays open until the last of them is dropped. */
struct slow_process {
	struct walk_process *walked;
	struct replay_process shown;
	size_t number, calls;	/* position in the trace, from 0; how many of its calls are in the heap */
};

struct slow_call {
	struct slow_process *process;
	const struct thread_slices *thread;
	uint64_t duration_ns, begin_ns;
	uint64_t number;		/* position among the calls that the walk reports for the thread, from 0 */
};

struct slowest {
	struct replay *replay;
	struct walk walk;
	struct slow_call *heap;		/* the shortest call is first */
	size_t count, capacity;
	struct slow_process *process;	/* the current one */
	size_t process_count;
	const struct thread_slices *thread;	/* the current one */
	uint64_t number;		/* of the thread's next call */
	uint64_t *numbers;		/* of the open calls, by depth */
	size_t number_capacity;

	const struct slow_call *shown;	/* in the second pass: the call to show */
	bool inside, done;		/* the walk is in this call, or after it */
	size_t depth;			/* of this call */
};

static void exit_without_memory(void)
{
	message("out of memory for the calls: use a smaller --slowest");
	exit(SPOOR_EXIT_BAD_TRACE);
}

/* Orders longer calls first, and calls of the same duration as in the trace. */
static int compare_calls(const void *left, const void *right)
{
	const struct slow_call *a = left, *b = right;

	if (a->duration_ns != b->duration_ns)
		return a->duration_ns > b->duration_ns ? -1 : 1;
	if (a->process->number != b->process->number)
		return a->process->number < b->process->number ? -1 : 1;
	if (a->thread->serial != b->thread->serial)
		return a->thread->serial < b->thread->serial ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Puts @call at position @at of the heap, or below. */
static void sink_down(struct slowest *slowest, size_t at, struct slow_call call)
{
	struct slow_call *heap = slowest->heap;
	size_t below;

	while ((below = 2 * at + 1) < slowest->count) {
		if (below + 1 < slowest->count && compare_calls(&heap[below + 1], &heap[below]) > 0)
			below++;
		if (compare_calls(&call, &heap[below]) > 0)
			break;
		heap[at] = heap[below];
		at = below;
	}
	heap[at] = call;
}

static void float_up(struct slowest *slowest, struct slow_call call)
{
	struct slow_call *heap = slowest->heap;
	size_t at = slowest->count++;

	for (; at && compare_calls(&call, &heap[(at - 1) / 2]) > 0; at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = call;
}

static void close_process(struct slowest *slowest, struct slow_process *process)
{
	replay_texts_free(&process->shown.texts);
	walk_process_close(&slowest->walk, process->walked);
	free(process);
}

static void release_call(struct slowest *slowest, struct slow_process *process)
{
	if (!--process->calls && process != slowest->process)
		close_process(slowest, process);
}

static void add_call(struct slowest *slowest, const struct slow_call *call)
{
	if (slowest->count == slowest->replay->slowest) {
		struct slow_process *before = slowest->heap[0].process;

		if (compare_calls(call, &slowest->heap[0]) > 0)
			return;
		call->process->calls++;
		sink_down(slowest, 0, *call);
		release_call(slowest, before);
		return;
	}
	if (slowest->count == slowest->capacity) {
		size_t capacity = slowest->capacity ? 2 * slowest->capacity : 16;
		struct slow_call *heap = reallocarray(slowest->heap, capacity, sizeof(*heap));

		if (!heap)
			exit_without_memory();
		slowest->heap = heap;
		slowest->capacity = capacity;
	}
	call->process->calls++;
	float_up(slowest, *call);
}

static void find_enter(void *context, const struct call *call, size_t depth)
{
	struct slowest *slowest = context;

	(void)call;
	if (depth >= slowest->number_capacity) {
		size_t capacity = 2 * depth + 64;
		uint64_t *numbers = reallocarray(slowest->numbers, capacity, sizeof(*numbers));

		if (!numbers)
			exit_without_memory();
		slowest->numbers = numbers;
		slowest->number_capacity = capacity;
	}
	slowest->numbers[depth] = slowest->number++;
}

static void find_leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	struct slowest *slowest = context;
	const struct slow_call found = {
		slowest->process, slowest->thread, call_duration(call, end_ns), call->begin_ns, slowest->numbers[depth],
	};

	(void)how;
	if (slowest->count == slowest->replay->slowest && found.duration_ns < slowest->heap[0].duration_ns)
		return;
	if (replay_text(&slowest->process->shown.texts, call->function)->matches)
		add_call(slowest, &found);
}

/* With this function the walk reports calls around other events, however short, as in the second pass. */
static void find_other(void *context, const struct event *event, size_t depth)
{
	(void)context, (void)event, (void)depth;
}

static int process_begin(void *context, struct process *process, struct functions *functions)
{
	struct slowest *slowest = context;
	struct replay *replay = slowest->replay;

	slowest->process = calloc(1, sizeof(*slowest->process));
	if (!slowest->process)
		return -ENOMEM;
	slowest->process->walked = slowest->walk.process;
	slowest->process->number = slowest->process_count++;
	slowest->process->shown.process = process;
	slowest->process->shown.texts = (struct replay_texts){
		.functions = functions, .patterns = replay->patterns, .colored = replay->lines.colored,
	};
	return 0;
}

/* Takes the process away from the walk, so that it stays open while one of its calls is in the heap. */
static int process_end(void *context)
{
	struct slowest *slowest = context;
	struct slow_process *process = slowest->process;

	slowest->process = NULL;
	slowest->walk.process = NULL;
	if (!process->calls)
		close_process(slowest, process);
	return 0;
}

static int thread_begin(void *context, const struct thread_slices *thread)
{
	struct slowest *slowest = context;

	slowest->thread = thread;
	slowest->number = 0;
	return 0;
}

static void show_enter(void *context, const struct call *call, size_t depth)
{
	struct slowest *slowest = context;
	struct replay *replay = slowest->replay;

	if (slowest->number++ == slowest->shown->number) {
		replay_triggers(replay, call->begin_ns);
		replay->thread->root_depth = slowest->depth = depth;
		slowest->inside = true;
	}
	if (slowest->inside)
		replay_enter(replay, call, depth);
}

static void show_leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	struct slowest *slowest = context;

	if (!slowest->inside)
		return;
	replay_leave(slowest->replay, call, depth, end_ns, how);
	if (depth == slowest->depth) {
		slowest->inside = false;
		slowest->done = true;
	}
}

static void show_other(void *context, const struct event *event, size_t depth)
{
	struct slowest *slowest = context;

	if (slowest->inside)
		replay_other(slowest->replay, event, depth);
}

static bool show_stop(void *context)
{
	const struct slowest *slowest = context;

	return slowest->done || replay_stop(slowest->replay);
}

static void write_place(const struct slowest *slowest, const struct slow_call *call)
{
	const struct process *process = &call->process->walked->process;
	struct output *out = &slowest->replay->out;
	uint64_t origin_ns = slowest->walk.origin_ns;

	output_string(out, call == slowest->heap ? "# slowest call 1 of " : "\n# slowest call ");
	if (call != slowest->heap) {
		output_number(out, (uint64_t)(call - slowest->heap) + 1);
		output_string(out, " of ");
	}
	output_number(out, slowest->count);
	output_string(out, ": process ");
	output_number(out, (uint64_t)process->process_id);
	output_string(out, "  ");
	output_string(out, process_title(process));
	output_string(out, ", thread ");
	output_number(out, call->thread->thread_id);
	if (call->thread->name) {
		output_string(out, "  ");
		output_string(out, call->thread->name);
	}
	output_string(out, ", at ");
	output_microseconds(out, call->begin_ns > origin_ns ? call->begin_ns - origin_ns : 0);
	output_string(out, " us\n");
	replay_columns(slowest->replay);
}

static int show_call(struct slowest *slowest, const struct slow_call *call)
{
	const struct call_sink sink = { .context = slowest, .enter = show_enter, .leave = show_leave, .other = show_other,
					.stop = show_stop };
	struct walk_process *process = call->process->walked;
	struct replay *replay = slowest->replay;
	struct thread_events events;
	int error;

	replay->own = (struct replay_thread){
		.process = &call->process->shown, .slices = call->thread, .root_depth = SIZE_MAX,
	};
	replay->thread = &replay->own;
	replay->trigger_ns = 0;
	replay_waits_begin(replay, &replay->own);
	slowest->shown = call;
	slowest->number = 0;
	slowest->inside = slowest->done = false;
	write_place(slowest, call);
	thread_events_begin(&events, &process->process, &process->functions, call->thread);
	events.range = slowest->walk.range;
	error = walk_calls(&slowest->walk, process, &events, &sink);
	thread_events_end(&events);
	replay_waits_end(&replay->own);
	return error ? error : replay->out.error;
}

static int show_calls(struct slowest *slowest)
{
	int error = 0;

	if (slowest->count)
		qsort(slowest->heap, slowest->count, sizeof(*slowest->heap), compare_calls);
	else
		output_string(&slowest->replay->out, "# no calls\n");
	for (size_t i = 0; i < slowest->count && !error; i++)
		error = show_call(slowest, &slowest->heap[i]);
	return error;
}

int replay_slowest(struct replay *replay)
{
	struct slowest slowest = { .replay = replay };
	const struct walk_sink sink = {
		.context = &slowest,
		.process_begin = process_begin,
		.process_end = process_end,
		.thread_begin = thread_begin,
		.calls = { .context = &slowest, .enter = find_enter, .leave = find_leave, .other = find_other },
	};
	int error = walk_begin(&slowest.walk, &replay->choice);

	if (error)
		return error;
	replay_trace_begin(replay, &slowest.walk);
	error = walk_for_each_process(&slowest.walk, &sink);
	if (!error)
		error = show_calls(&slowest);
	for (size_t i = 0; i < slowest.count; i++)
		release_call(&slowest, slowest.heap[i].process);
	/* A walk that ended early did not call process_end, and has closed the process. */
	if (slowest.process)
		replay_texts_free(&slowest.process->shown.texts);
	free(slowest.process);
	free(slowest.heap);
	free(slowest.numbers);
	return walk_end(&slowest.walk, error && replay_stop(slowest.replay) ? -EPIPE : error);
}
