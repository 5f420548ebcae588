/* SPDX-License-Identifier: MIT */
/* call_open.c - calls that are open where telling stops for a while, or where no exit will come. */
#include "call_tree.h"

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

void call_tree_pop_dormant(struct call_tree *tree, const struct call_sink *sink, uint64_t end_ns)
{
	while (tree->depth && tree->calls[tree->depth - 1].dormant)
		call_tree_pop(tree, sink, end_ns, CALL_UNRECORDED);
}

void call_tree_go_dormant(struct call_tree *tree, const struct call_sink *sink, uint32_t function, uint64_t last_ns)
{
	for (size_t i = 0; i < tree->depth; i++) {
		struct call *call = &tree->calls[i];

		tree->dormant += call->function == function && !call->dormant;
		call->dormant |= call->function == function;
	}
	if (tree->dormant)
		call_tree_pop_dormant(tree, sink, last_ns);
}
