/* SPDX-License-Identifier: MIT */
/* call_tree.c - the events of one thread as calls that nest. */
#include "call_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What was open on a stack when it was left by the call with this frame. */
struct call_stack {
	uint64_t losses;	/* until then */
	size_t depth;
	struct call calls[];
};

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

	if (make_room(tree, tree->depth + 1) || make_open(tree, event->function))
		return -ENOMEM;
	call = &tree->calls[tree->depth];
	*call = (struct call){ .function = event->function, .begin_ns = event->time_ns, .losses = (uint32_t)tree->losses };
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

static void pop(struct call_tree *tree, const struct call_sink *sink, uint64_t end_ns, enum call_end how)
{
	struct call *call = &tree->calls[--tree->depth];

	tree->open[call->function]--;
	if (call->frame)
		--*map64_at(&tree->frames, call->frame);
	call->unreliable |= call->losses != (uint32_t)tree->losses;
	if (tree->depth)
		tree->calls[tree->depth - 1].inner_ns += call_duration(call, end_ns);
	sink->leave(sink->context, call, tree->depth, end_ns, how);
}

/* An exit of what is not the innermost call. */
static void mend(struct call_tree *tree, const struct call_sink *sink, const struct event *event)
{
	size_t at = event->function < tree->open_count && tree->open[event->function] ? tree->depth : 0;

	while (at && tree->calls[at - 1].function != event->function)
		at--;
	if (!at) {
		tree->orphans++;
		if (sink->other)
			sink->other(sink->context, event, tree->depth);
		return;
	}
	while (tree->depth > at) {
		tree->repaired++;
		pop(tree, sink, event->time_ns, CALL_LEFT);
	}
	pop(tree, sink, event->time_ns, event->kind == EVENT_EXIT ? CALL_EXIT : CALL_TAIL);
}

/* Something has arrived in the call with this frame. One that is not there was
 * entered before tracing began, or is not traced: what it called cannot be told. */
static void unwind(struct call_tree *tree, const struct call_sink *sink, const struct event *event)
{
	size_t at = event->frame ? tree->depth : 0;

	if (event->frame && !has_frame(tree, event->frame))
		return;
	while (at && tree->calls[at - 1].frame != event->frame)
		at--;
	while (tree->depth > at)
		pop(tree, sink, event->time_ns, CALL_UNWOUND);
}

/* Takes the stack that was left by this frame from those that are set aside. */
static struct call_stack *take_aside(struct call_tree *tree, uint32_t frame)
{
	uint32_t at = map64_find(&tree->aside_at, frame);
	struct call_stack *stack;

	if (!at)
		return NULL;
	stack = tree->aside[at - 1];
	tree->aside[at - 1] = NULL;
	return stack;
}

/* Where that stack is to be put. Return: null without memory. */
static struct call_stack **place_aside(struct call_tree *tree, uint32_t frame)
{
	uint32_t *at;

	if (tree->aside_count == tree->aside_capacity) {
		uint32_t capacity = tree->aside_capacity ? 2 * tree->aside_capacity : 16;
		struct call_stack **aside = reallocarray(tree->aside, capacity, sizeof(struct call_stack *));

		if (!aside)
			return NULL;
		tree->aside = aside;
		tree->aside_capacity = capacity;
	}
	at = map64_at(&tree->aside_at, frame);
	if (!at)
		return NULL;
	if (!*at)
		*at = ++tree->aside_count;
	return &tree->aside[*at - 1];
}

/* The calls of one stack make room for another one's. */
static int leave_stack(struct call_tree *tree, const struct call_sink *sink, const struct event *event)
{
	struct call_stack *stack, **place;

	/* One that it left earlier, and has never come back to. */
	free(take_aside(tree, event->frame));
	place = place_aside(tree, event->frame);
	stack = place ? malloc(sizeof(*stack) + tree->depth * sizeof(stack->calls[0])) : NULL;
	if (place)
		*place = stack;
	if (!stack)
		return -ENOMEM;
	stack->losses = tree->losses;
	stack->depth = tree->depth;
	if (tree->depth)
		memcpy(stack->calls, tree->calls, tree->depth * sizeof(stack->calls[0]));
	while (tree->depth)
		pop(tree, sink, event->time_ns, CALL_SET_ASIDE);
	return 0;
}

/* A stack goes on. Where that is not known, it has been left before tracing began, or
 * in another thread. */
static int resume_stack(struct call_tree *tree, const struct call_sink *sink, const struct event *event)
{
	struct call_stack *stack = take_aside(tree, event->frame);
	int error = stack ? make_room(tree, stack->depth) : 0;

	while (tree->depth) {
		tree->repaired++;
		pop(tree, sink, event->time_ns, CALL_LEFT);
	}
	for (size_t i = 0; stack && !error && i < stack->depth; i++) {
		struct call *call = &tree->calls[i];

		*call = stack->calls[i];
		if (call->frame)
			error = frame_opens(tree, call->frame);
		if (error)
			break;
		tree->open[call->function]++;
		call->unreliable |= stack->losses != tree->losses || call->losses != (uint32_t)stack->losses;
		call->losses = (uint32_t)tree->losses;
		call->resumed = true;
		call->begin_ns = event->time_ns;
		call->inner_ns = 0;
		sink->enter(sink->context, call, tree->depth++);
	}
	free(stack);
	return error;
}

static void forget_aside(struct call_tree *tree)
{
	while (tree->aside_count)
		free(tree->aside[--tree->aside_count]);
	map64_free(&tree->aside_at);
}

/* Nobody knows what of this goes on, on no stack. */
static void forget_open(struct call_tree *tree, const struct call_sink *sink, uint64_t last_ns)
{
	while (tree->depth)
		pop(tree, sink, last_ns, CALL_UNRECORDED);
	forget_aside(tree);
}

static void note(struct call_tree *tree, const struct call_sink *sink, const struct event *event, uint64_t last_ns)
{
	if (event->kind == EVENT_LOST && event->cause == EVENT_LOST_UNRECORDED) {
		tree->gaps++;
		forget_open(tree, sink, last_ns);
	} else if (event->kind == EVENT_LOST) {
		tree->losses++;
	}
	if (sink->other)
		sink->other(sink->context, event, tree->depth);
}

int call_tree_walk(struct call_tree *tree, struct thread_events *events, const struct call_sink *sink)
{
	struct event event;
	int more;

	/* What a walk that was stopped has left. */
	while (tree->depth)
		tree->open[tree->calls[--tree->depth].function] = 0;
	map64_free(&tree->frames);
	forget_aside(tree);
	tree->last_ns = 0;
	tree->repaired = tree->orphans = tree->losses = tree->gaps = tree->roots = 0;
	while ((more = thread_events_next(events, &event)) > 0) {
		uint64_t last_ns = tree->last_ns;

		tree->last_ns = event.time_ns;
		if (event.kind == EVENT_ENTRY) {
			int error = push(tree, sink, &event);

			if (error)
				return error;
		} else if (event.kind == EVENT_ROOT) {
			int error;

			if (event.count == 0)
				forget_open(tree, sink, last_ns);
			error = push(tree, sink, &event);
			if (error)
				return error;
		} else if (event.kind == EVENT_FRAME) {
			struct call *call = tree->depth ? &tree->calls[tree->depth - 1] : NULL;

			if (call && !call->frame && event.frame) {
				if (frame_opens(tree, event.frame))
					return -ENOMEM;
				call->frame = event.frame;
			}
		} else if (event.kind == EVENT_UNWIND) {
			unwind(tree, sink, &event);
		} else if (event.kind == EVENT_SWITCH) {
			int error = event.goes_on ? resume_stack(tree, sink, &event) : leave_stack(tree, sink, &event);

			if (error)
				return error;
		} else if (event.kind > EVENT_TAIL_EXIT) {
			note(tree, sink, &event, last_ns);
		} else if (tree->depth && tree->calls[tree->depth - 1].function == event.function) {
			pop(tree, sink, event.time_ns, event.kind == EVENT_EXIT ? CALL_EXIT : CALL_TAIL);
		} else {
			mend(tree, sink, &event);
		}
		if (events->word == events->end && sink->stop && sink->stop(sink->context))
			break;
	}
	while (tree->depth)
		pop(tree, sink, tree->last_ns, CALL_UNFINISHED);
	return more < 0 ? more : 0;
}

void call_tree_free(struct call_tree *tree)
{
	forget_aside(tree);
	free(tree->aside);
	map64_free(&tree->frames);
	free(tree->open);
	free(tree->calls);
	*tree = (struct call_tree){ 0 };
}
