/* SPDX-License-Identifier: MIT */
/* call_range.c - cuts the calls of a tree at the ends of the requested time range. */
#include "reader/events/call_tree_parts.h"

void call_tree_forget_counts(struct call_tree *tree)
{
	tree->repaired = tree->orphans = tree->losses = tree->gaps = tree->roots = 0;
}

/* At the beginning of the range, reports the open calls as entered there. */
static void begin_range(struct call_tree *tree, const struct call_sink *sink)
{
	tree->before_range = false;
	call_tree_forget_counts(tree);
	call_tree_resume(tree, sink, tree->range->begin_ns);
}

/* Takes an event of a tree that has a range and may be before or after it. Returns the same as call_tree_take. */
int call_tree_take_in_range(struct call_tree *tree, const struct event *event, const struct call_sink *sink)
{
	bool has_place = event->kind != EVENT_USER || !event->own_time;
	uint64_t time_ns = has_place ? event->time_ns : tree->last_ns;

	if (tree->before_range && time_ns < tree->range->begin_ns)
		return call_tree_take_one(tree, event, &call_sink_ignoring);
	/* Calls that ended with the previous event do not reach the range. */
	if ((event->kind == EVENT_LOST && event->cause == EVENT_LOST_UNRECORDED) ||
	    (event->kind == EVENT_ROOT && event->count == 0))
		call_tree_forget_open(tree, tree->before_range ? &call_sink_ignoring : sink, tree->last_ns);
	if (tree->before_range)
		begin_range(tree, sink);
	if (time_ns < tree->range->end_ns)
		return call_tree_take_one(tree, event, sink);
	while (tree->depth)
		call_tree_pop(tree, sink, tree->range->end_ns, CALL_BEYOND);
	return 1;
}

int call_tree_take(struct call_tree *tree, const struct event *event, const struct call_sink *sink)
{
	return tree->range ? call_tree_take_in_range(tree, event, sink) : call_tree_take_one(tree, event, sink);
}
