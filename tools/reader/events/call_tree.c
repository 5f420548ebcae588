/* SPDX-License-Identifier: MIT */
/* call_tree.c - the events of one thread as calls that nest. */
#include "reader/events/call_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int make_room(struct call_tree *tree, size_t depth)
{
	size_t capacity = tree->capacity ? tree->capacity : 64;
	struct call *calls;

	if (depth <= tree->capacity)
		return 0;
	while (capacity < depth)
		capacity *= 2;
	calls = reallocarray(tree->calls, capacity, sizeof(*calls));
	if (!calls)
		return -ENOMEM;
	tree->calls = calls;
	tree->capacity = capacity;
	return 0;
}

/* Room in `open` for this function. */
static int make_open(struct call_tree *tree, uint32_t function)
{
	size_t count = tree->open_count ? tree->open_count : 256;
	uint32_t *open;

	if (function < tree->open_count)
		return 0;
	while (count <= function)
		count *= 2;
	open = reallocarray(tree->open, count, sizeof(*open));
	if (!open)
		return -ENOMEM;
	memset(open + tree->open_count, 0, (count - tree->open_count) * sizeof(*open));
	tree->open = open;
	tree->open_count = count;
	return 0;
}

/* One more open call has the frame. */
static int frame_opens(struct call_tree *tree, uint32_t frame)
{
	uint32_t *number = map64_at(&tree->frames, frame);

	if (!number)
		return -ENOMEM;
	*number += *number ? 1 : 2;
	return 0;
}

static bool has_frame(const struct call_tree *tree, uint32_t frame)
{
	return map64_find(&tree->frames, frame) > 1;
}

static int push(struct call_tree *tree, const struct call_sink *sink, const struct event *event)
{
	struct call *call;

	if (make_room(tree, tree->depth + 1) || (tree->counting && make_open(tree, event->function)))
		return -ENOMEM;
	call = &tree->calls[tree->depth];
	*call = (struct call){ .function = event->function, .begin_ns = event->time_ns, .marks = (uint32_t)tree->marks };
	if (tree->counting)
		tree->open[call->function]++;
	if (__builtin_expect(event->kind == EVENT_ROOT, 0)) {
		if (event->frame && frame_opens(tree, event->frame))
			return -ENOMEM;
		call->frame = event->frame;
		call->root = call->resumed = true;
		tree->roots++;
	}
	sink->enter(sink->context, call, tree->depth++);
	return 0;
}

void call_tree_pop(struct call_tree *tree, const struct call_sink *sink, uint64_t end_ns, enum call_end how)
{
	struct call *call = &tree->calls[--tree->depth];

	if (tree->counting)
		tree->open[call->function]--;
	if (__builtin_expect(tree->dormant != 0, 0))
		tree->dormant -= call->dormant;
	if (call->frame)
		--*map64_at(&tree->frames, call->frame);
	call->unreliable |= call->marks != (uint32_t)tree->marks;
	if (tree->depth)
		tree->calls[tree->depth - 1].inner_ns += call_duration(call, end_ns);
	sink->leave(sink->context, call, tree->depth, end_ns, how);
}

/* From here on it is known which functions are open. */
static int count_open(struct call_tree *tree)
{
	for (size_t i = 0; i < tree->depth; i++) {
		if (make_open(tree, tree->calls[i].function)) {
			while (i--)
				tree->open[tree->calls[i].function]--;
			return -ENOMEM;
		}
		tree->open[tree->calls[i].function]++;
	}
	tree->counting = true;
	return 0;
}

/* An exit of what is not the innermost call. */
static int mend(struct call_tree *tree, const struct call_sink *sink, const struct event *event)
{
	size_t at;

	if (tree->depth && !tree->counting && count_open(tree))
		return -ENOMEM;
	at = event->function < tree->open_count && tree->open[event->function] ? tree->depth : 0;
	while (at && tree->calls[at - 1].function != event->function)
		at--;
	if (!at) {
		tree->orphans++;
		if (sink->other)
			sink->other(sink->context, event, tree->depth);
		return 0;
	}
	while (tree->depth > at) {
		tree->repaired++;
		call_tree_pop(tree, sink, event->time_ns, CALL_LEFT);
	}
	call_tree_pop(tree, sink, event->time_ns, event->kind == EVENT_EXIT ? CALL_EXIT : CALL_TAIL);
	if (tree->dormant)
		call_tree_pop_dormant(tree, sink, event->time_ns);
	return 0;
}

/* Something has arrived in the call with this frame. One that is not there was
 * entered before tracing began, or is not traced: what it called cannot be told.
 * Its own named scopes are still open; an exception says itself where it leaves them. */
static void unwind(struct call_tree *tree, const struct call_sink *sink, const struct event *event)
{
	size_t at = event->frame ? tree->depth : 0;

	if (event->frame && !has_frame(tree, event->frame))
		return;
	while (at && tree->calls[at - 1].frame != event->frame)
		at--;
	while (at < tree->depth && tree->functions->list[tree->calls[at].function].is_scope)
		at++;
	while (tree->depth > at)
		call_tree_pop(tree, sink, event->time_ns, CALL_UNWOUND);
}

/* The calls of one stack make room for another one's. */
static int leave_stack(struct call_tree *tree, const struct call_sink *sink, const struct event *event)
{
	struct call_stack *stack, **place;

	/* One that it left earlier, and has never come back to. */
	free(call_aside_take(&tree->aside, event->frame));
	place = call_aside_place(&tree->aside, event->frame);
	stack = place ? malloc(sizeof(*stack) + tree->depth * sizeof(stack->calls[0])) : NULL;
	if (place)
		*place = stack;
	if (!stack)
		return -ENOMEM;
	stack->marks = tree->marks;
	stack->depth = tree->depth;
	if (tree->depth)
		memcpy(stack->calls, tree->calls, tree->depth * sizeof(stack->calls[0]));
	for (size_t i = 0; i < stack->depth && tree->before_range; i++)
		stack->calls[i].early = stack->calls[i].root = true;
	while (tree->depth)
		call_tree_pop(tree, sink, event->time_ns, CALL_SET_ASIDE);
	return 0;
}

/* How many calls are open up to that with this frame, as far as switches tell it; 0 where it is not among them. */
static size_t depth_to(const struct call_tree *tree, uint32_t frame)
{
	size_t at = frame ? tree->depth : 0;

	while (at && (tree->calls[at - 1].frame & (SPOOR_SWITCH_GOES_ON - 1)) != frame)
		at--;
	return at;
}

/* A stack goes on. Where that is not known, it has been left before tracing began, or in another
 * thread; roots that were read as it came back are its own. */
static int resume_stack(struct call_tree *tree, const struct call_sink *sink, const struct event *event)
{
	struct call_stack *stack = call_aside_take(&tree->aside, event->frame);
	size_t kept = stack ? 0 : depth_to(tree, event->frame);
	int error = stack ? make_room(tree, stack->depth) : 0;

	while (tree->depth > kept) {
		tree->repaired++;
		call_tree_pop(tree, sink, event->time_ns, CALL_LEFT);
	}
	for (size_t i = 0; stack && !error && i < stack->depth; i++) {
		struct call *call = &tree->calls[i];

		*call = stack->calls[i];
		if (call->frame)
			error = frame_opens(tree, call->frame);
		if (error)
			break;
		if (tree->counting) {
			error = make_open(tree, call->function);
			if (error)
				break;
			tree->open[call->function]++;
		}
		call->unreliable |= stack->marks != tree->marks || call->marks != (uint32_t)stack->marks;
		call->marks = (uint32_t)tree->marks;
		call->resumed = true;
		tree->dormant += call->dormant;
		call->begin_ns = event->time_ns;
		call->inner_ns = 0;
		sink->enter(sink->context, call, tree->depth++);
	}
	free(stack);
	if (tree->dormant)
		call_tree_pop_dormant(tree, sink, event->time_ns);
	return error;
}

/* Nobody knows what of this goes on, on no stack. */
static void forget_open(struct call_tree *tree, const struct call_sink *sink, uint64_t last_ns)
{
	while (tree->depth)
		call_tree_pop(tree, sink, last_ns, CALL_UNRECORDED);
	call_aside_forget(&tree->aside);
}

static void note(struct call_tree *tree, const struct call_sink *sink, const struct event *event, uint64_t last_ns)
{
	if (event->kind == EVENT_DORMANT) {
		/* A record that is damaged may be one of before. */
		if (tree->last_ns < last_ns)
			tree->last_ns = last_ns;
		call_tree_go_dormant(tree, sink, event->disabled, tree->last_ns);
		return;
	}
	if (event->kind == EVENT_SEEN) {
		if (!tree->depth)
			tree->last_ns = last_ns;
		return;
	}
	if (event->kind == EVENT_LOST && event->cause == EVENT_LOST_UNRECORDED) {
		tree->gaps++;
		forget_open(tree, sink, last_ns);
	} else if (event->kind == EVENT_LOST) {
		tree->losses++;
		tree->marks++;
	} else if (event->kind == EVENT_USER && event->own_time) {
		tree->last_ns = last_ns;
	}
	if (sink->other)
		sink->other(sink->context, event, tree->depth);
}

/* In the loop of a walk, where a call of it would be a tenth of a report. */
static inline __attribute__((always_inline)) int take(struct call_tree *tree, const struct event *event,
						       const struct call_sink *sink)
{
	uint64_t last_ns = tree->last_ns;

	tree->last_ns = event->time_ns;
	if (event->kind == EVENT_ENTRY)
		return push(tree, sink, event);
	if (event->kind == EVENT_ROOT) {
		if (event->count == 0)
			forget_open(tree, sink, last_ns);
		return push(tree, sink, event);
	}
	if (event->kind == EVENT_FRAME) {
		struct call *call = tree->depth ? &tree->calls[tree->depth - 1] : NULL;

		if (call && !call->frame && event->frame) {
			if (frame_opens(tree, event->frame))
				return -ENOMEM;
			call->frame = event->frame;
		}
	} else if (event->kind == EVENT_UNWIND) {
		unwind(tree, sink, event);
	} else if (event->kind == EVENT_SWITCH) {
		return event->goes_on ? resume_stack(tree, sink, event) : leave_stack(tree, sink, event);
	} else if (event->kind > EVENT_TAIL_EXIT) {
		note(tree, sink, event, last_ns);
	} else if (tree->depth && tree->calls[tree->depth - 1].function == event->function) {
		call_tree_pop(tree, sink, event->time_ns, event->kind == EVENT_EXIT ? CALL_EXIT : CALL_TAIL);
		if (__builtin_expect(tree->dormant != 0, 0))
			call_tree_pop_dormant(tree, sink, event->time_ns);
	} else {
		return mend(tree, sink, event);
	}
	return 0;
}

static __attribute__((noinline)) int take_one(struct call_tree *tree, const struct event *event, const struct call_sink *sink)
{
	return take(tree, event, sink);
}

static void forget_counts(struct call_tree *tree)
{
	tree->repaired = tree->orphans = tree->losses = tree->gaps = tree->roots = 0;
}

/* The range begins: what is open is told from there on. */
static void begin_range(struct call_tree *tree, const struct call_sink *sink)
{
	tree->before_range = false;
	forget_counts(tree);
	call_tree_resume(tree, sink, tree->range->begin_ns);
}

/* Where the event lies is not within the range, or was not until now. Return: as call_tree_take. */
static int take_in_range(struct call_tree *tree, const struct event *event, const struct call_sink *sink)
{
	bool has_place = event->kind != EVENT_USER || !event->own_time;
	uint64_t time_ns = has_place ? event->time_ns : tree->last_ns;

	if (tree->before_range && time_ns < tree->range->begin_ns)
		return take_one(tree, event, &call_tree_nobody);
	/* What ended with the event before has not reached this one. */
	if ((event->kind == EVENT_LOST && event->cause == EVENT_LOST_UNRECORDED) ||
	    (event->kind == EVENT_ROOT && event->count == 0))
		forget_open(tree, tree->before_range ? &call_tree_nobody : sink, tree->last_ns);
	if (tree->before_range)
		begin_range(tree, sink);
	if (time_ns < tree->range->end_ns)
		return take_one(tree, event, sink);
	while (tree->depth)
		call_tree_pop(tree, sink, tree->range->end_ns, CALL_BEYOND);
	return 1;
}

int call_tree_take(struct call_tree *tree, const struct event *event, const struct call_sink *sink)
{
	return tree->range ? take_in_range(tree, event, sink) : take_one(tree, event, sink);
}

void call_tree_begin(struct call_tree *tree, const struct functions *functions, const struct time_range *range)
{
	/* What a walk that was stopped has left. */
	while (tree->depth--)
		if (tree->counting)
			tree->open[tree->calls[tree->depth].function] = 0;
	tree->depth = 0;
	tree->dormant = 0;
	tree->counting = false;
	map64_free(&tree->frames);
	call_aside_forget(&tree->aside);
	forget_counts(tree);
	tree->last_ns = 0;
	tree->marks = 0;
	tree->functions = functions;
	tree->range = range;
	tree->before_range = range;
}

void call_tree_end(struct call_tree *tree, const struct call_sink *sink)
{
	/* It has not begun for this thread. */
	if (tree->before_range) {
		sink = &call_tree_nobody;
		forget_counts(tree);
	}
	while (tree->depth)
		call_tree_pop(tree, sink, tree->last_ns, CALL_UNFINISHED);
}

int call_tree_follow(struct call_tree *tree, struct thread_events *events, const struct call_sink *sink)
{
	struct event event;
	int more, error = 0;

	events->tells_dormant = true;
	while ((more = thread_events_next(events, &event)) > 0) {
		error = __builtin_expect(tree->range != NULL, 0) ? take_in_range(tree, &event, sink) :
								   take(tree, &event, sink);
		if (error < 0)
			return error;
		if (error)
			break;
		if (events->word == events->end && sink->stop && sink->stop(sink->context))
			break;
	}
	return more < 0 ? more : 0;
}

int call_tree_walk(struct call_tree *tree, struct thread_events *events, const struct call_sink *sink)
{
	int error;

	call_tree_begin(tree, events->functions, events->range);
	error = call_tree_follow(tree, events, sink);
	if (!error)
		call_tree_end(tree, sink);
	return error;
}

void call_tree_free(struct call_tree *tree)
{
	call_aside_free(&tree->aside);
	map64_free(&tree->frames);
	free(tree->open);
	free(tree->calls);
	*tree = (struct call_tree){ 0 };
}
