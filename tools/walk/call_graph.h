/* SPDX-License-Identifier: MIT */
/*
 * call_graph.h - which function calls which, how often, and the time in that.
 *
 * Made from call paths. A function's time is counted once while it is open, however often
 * it calls itself, and so is the time of one function in calls from another.
 */
#ifndef SPOOR_TOOLS_CALL_GRAPH_H
#define SPOOR_TOOLS_CALL_GRAPH_H

#include "walk/stacks.h"

struct call_graph_edge {
	uint32_t caller, callee;	/* names; caller 0: nobody, a thread's first calls */
	uint64_t calls, total_ns;
	uint32_t open;			/* while the graph is made */
};

struct call_graph_function {
	uint64_t calls, total_ns, self_ns;
	uint32_t open;			/* while the graph is made */
	bool shown;			/* for who draws it */
};

struct call_graph {
	const struct stacks *stacks;
	struct call_graph_function *functions;	/* by name in stacks->names; [0] is the whole */
	uint32_t function_count;
	struct call_graph_edge *edges;	/* in no order; [0] is none */
	uint32_t edge_count, edge_capacity;
	struct map64 edge_of;		/* caller and callee to edge */
};

/*
 * call_graph_make - @stacks: read, and there as long as the graph
 *
 * Return: 0 or -ENOMEM; to be freed in both cases.
 */
int call_graph_make(struct call_graph *graph, const struct stacks *stacks);
void call_graph_free(struct call_graph *graph);

/* Names by total time, the longest first; to be freed by the caller. Null without memory. */
uint32_t *call_graph_by_total(const struct call_graph *graph);

/* Edges by total time, the longest first, [0] being the first; to be freed by the caller. */
struct call_graph_edge *call_graph_edges_by_total(const struct call_graph *graph);

#endif
