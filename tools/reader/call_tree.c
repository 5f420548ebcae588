/* SPDX-License-Identifier: MIT */
/* call_tree.c - the events of one thread as calls that nest. */
#include "call_tree.h"

#include <errno.h>
#include <stdlib.h>

static int push(struct call_tree *tree, const struct call_sink *sink, const struct event *event)
{
	struct call *call;

	if (tree->depth == tree->capacity) {
		size_t capacity = tree->capacity ? 2 * tree->capacity : 64;
		struct call *calls = reallocarray(tree->calls, capacity, sizeof(*calls));

		if (!calls)
			return -ENOMEM;
		tree->calls = calls;
		tree->capacity = capacity;
	}
	call = &tree->calls[tree->depth];
	*call = (struct call){ .function = event->function, .begin_ns = event->time_ns };
	sink->enter(sink->context, call, tree->depth++);
	return 0;
}

static void pop(struct call_tree *tree, const struct call_sink *sink, uint64_t end_ns, enum call_end how)
{
	struct call *call = &tree->calls[--tree->depth];

	if (tree->depth)
		tree->calls[tree->depth - 1].inner_ns += call_duration(call, end_ns);
	sink->leave(sink->context, call, tree->depth, end_ns, how);
}

/* An exit of what is not the innermost call. */
static void mend(struct call_tree *tree, const struct call_sink *sink, const struct event *event)
{
	size_t at = tree->depth;

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

	while (at && tree->calls[at - 1].frame != event->frame)
		at--;
	if (!at && event->frame)
		return;
	while (tree->depth > at)
		pop(tree, sink, event->time_ns, CALL_UNWOUND);
}

static void note(struct call_tree *tree, const struct call_sink *sink, const struct event *event)
{
	if (event->kind == EVENT_LOST) {
		tree->losses++;
		for (size_t i = 0; i < tree->depth; i++)
			tree->calls[i].unreliable = true;
	}
	if (sink->other)
		sink->other(sink->context, event, tree->depth);
}

int call_tree_walk(struct call_tree *tree, struct thread_events *events, const struct call_sink *sink)
{
	struct event event;
	int more;

	tree->depth = 0;
	tree->last_ns = 0;
	tree->repaired = tree->orphans = tree->losses = 0;
	while ((more = thread_events_next(events, &event)) > 0) {
		tree->last_ns = event.time_ns;
		if (event.kind == EVENT_ENTRY) {
			int error = push(tree, sink, &event);

			if (error)
				return error;
		} else if (event.kind == EVENT_FRAME) {
			if (tree->depth && !tree->calls[tree->depth - 1].frame)
				tree->calls[tree->depth - 1].frame = event.frame;
		} else if (event.kind == EVENT_UNWIND) {
			unwind(tree, sink, &event);
		} else if (event.kind > EVENT_TAIL_EXIT) {
			note(tree, sink, &event);
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
	free(tree->calls);
	*tree = (struct call_tree){ 0 };
}
