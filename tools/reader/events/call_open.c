/* SPDX-License-Identifier: MIT */
/* call_open.c - handles open calls when reporting pauses, when another tree takes over, or when no exit will come. */
#include "reader/events/call_tree_parts.h"

#include <errno.h>

static void ignore_enter(void *context, const struct call *call, size_t depth)
{
	(void)context, (void)call, (void)depth;
}

static void ignore_leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	(void)context, (void)call, (void)depth, (void)end_ns, (void)how;
}

const struct call_sink call_sink_ignoring = { .enter = ignore_enter, .leave = ignore_leave };

void call_tree_resume(struct call_tree *tree, const struct call_sink *sink, uint64_t time_ns)
{
	for (size_t i = 0; i < tree->depth; i++) {
		struct call *call = &tree->calls[i];

		call->begin_ns = time_ns;
		call->inner_ns = 0;
		call->early = call->root = call->resumed = true;
		sink->enter(sink->context, call, i);
	}
}

void call_tree_pause(struct call_tree *tree, const struct call_sink *sink, uint64_t time_ns)
{
	for (size_t i = tree->depth; i-- > 0;) {
		struct call *call = &tree->calls[i];

		if (i)
			call[-1].inner_ns += call_duration(call, time_ns);
		sink->leave(sink->context, call, i, time_ns, CALL_BEYOND);
	}
}

int call_tree_take_over(struct call_tree *tree, struct functions *functions, const struct call_tree *other,
			const struct functions *others)
{
	for (size_t i = 0; i < other->depth; i++) {
		const struct call *call = &other->calls[i];
		struct event entry = { .kind = EVENT_ENTRY, .function = functions_adopt(functions, others, call->function) };
		struct event frame = { .kind = EVENT_FRAME, .frame = call->frame };

		if (!entry.function || call_tree_take(tree, &entry, &call_sink_ignoring) ||
		    call_tree_take(tree, &frame, &call_sink_ignoring))
			return -ENOMEM;
		tree->calls[i] = *call;
		call_values_keep(call->arguments);
		tree->calls[i].function = entry.function;
	}
	tree->last_ns = other->last_ns;
	tree->marks = other->marks;
	return 0;
}

void call_tree_pop_dormant(struct call_tree *tree, const struct call_sink *sink, uint64_t end_ns)
{
	while (tree->depth && tree->calls[tree->depth - 1].dormant)
		call_tree_pop(tree, sink, end_ns, CALL_UNRECORDED);
}

/* Returns the number of calls that it newly marks. */
static size_t mark_dormant(const struct call_tree *tree, struct call *calls, size_t depth, const struct disabling *disabled)
{
	size_t marked = 0;

	for (size_t i = 0; i < depth; i++) {
		const struct function *function = &tree->functions->list[calls[i].function];

		if (calls[i].dormant || !function->has_index || !disabling_has(disabled, function->index))
			continue;
		calls[i].dormant = true;
		marked++;
	}
	return marked;
}

void call_tree_go_dormant(struct call_tree *tree, const struct call_sink *sink, const struct disabling *disabled,
			  uint64_t time_ns)
{
	tree->dormant += mark_dormant(tree, tree->calls, tree->depth, disabled);
	/* The calls of other stacks are counted when their stack resumes. */
	for (uint32_t i = 0; i < tree->aside.count; i++)
		if (tree->aside.stacks[i])
			mark_dormant(tree, tree->aside.stacks[i]->calls, tree->aside.stacks[i]->depth, disabled);
	if (tree->dormant)
		call_tree_pop_dormant(tree, sink, time_ns);
}
