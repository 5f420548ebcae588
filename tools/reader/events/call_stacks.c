/* SPDX-License-Identifier: MIT */
/* call_stacks.c - sets the open calls of a stack aside when its thread switches stacks, and restores them later. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/events/call_tree_parts.h"

/* Sets the calls of the current stack aside. */
static int leave_stack(struct call_tree *tree, const struct call_sink *sink, const struct event *event)
{
	struct call_stack *stack, **place;

	/* An earlier switch left a stack by the same frame, and never returned to it. */
	set_aside_calls_free(set_aside_calls_take(&tree->aside, event->frame));
	place = set_aside_calls_place(&tree->aside, event->frame);
	stack = place ? malloc(sizeof(*stack) + tree->depth * sizeof(stack->calls[0])) : NULL;
	if (place)
		*place = stack;
	if (!stack)
		return -ENOMEM;
	stack->marks = tree->marks;
	stack->depth = tree->depth;
	if (tree->depth)
		memcpy(stack->calls, tree->calls, tree->depth * sizeof(stack->calls[0]));
	for (size_t i = 0; i < stack->depth; i++)
		call_values_keep(stack->calls[i].arguments);
	for (size_t i = 0; i < stack->depth && tree->before_range; i++)
		stack->calls[i].early = stack->calls[i].root = true;
	call_tree_close_to(tree, sink, 0, event->time_ns, SPOOR_CALL_SET_ASIDE);
	return 0;
}

/* Returns the number of open calls up to the one with this frame, as far as switches recorded it; 0 if none has
 * it. */
static size_t depth_to(const struct call_tree *tree, uint32_t frame)
{
	size_t at = frame ? tree->depth : 0;

	while (at && (tree->calls[at - 1].frame & (SPOOR_SWITCH_GOES_ON - 1)) != frame)
		at--;
	return at;
}

/* Resumes a stack. An unknown stack was left before tracing began, or in another thread; roots that were read as
 * the thread returned to the stack are its open calls. */
static int resume_stack(struct call_tree *tree, const struct call_sink *sink, const struct event *event)
{
	struct call_stack *stack = set_aside_calls_take(&tree->aside, event->frame);
	size_t kept = stack ? 0 : depth_to(tree, event->frame);
	int error = stack ? call_tree_make_room(tree, stack->depth) : 0;

	call_tree_close_to(tree, sink, kept, event->time_ns, SPOOR_CALL_LEFT);
	for (size_t i = 0; stack && !error && i < stack->depth; i++) {
		struct call *call = &tree->calls[i];

		*call = stack->calls[i];
		if (call->frame)
			error = call_tree_frame_opens(tree, call->frame);
		if (error)
			break;
		if (tree->counting) {
			error = call_tree_make_open(tree, call->function);
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

int call_tree_switch_stack(struct call_tree *tree, const struct call_sink *sink, const struct event *event)
{
	return event->goes_on ? resume_stack(tree, sink, event) : leave_stack(tree, sink, event);
}
