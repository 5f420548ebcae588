/* SPDX-License-Identifier: MIT */
/*
 * call_graph.h - which function calls which, how often, and how much time the calls took.
 *
 * Computed from call paths. The times of nested calls of a recursive function are counted once. The
 * same holds for nested calls of one function from another one.
 */
#ifndef SPOOR_TOOLS_CALL_GRAPH_H
#define SPOOR_TOOLS_CALL_GRAPH_H

#include "walk/stacks/stacks.h"

struct call_graph_edge {
	uint32_t caller, callee;	/* names; caller 0: none, for a thread's first calls */
	uint64_t calls, total_ns;
	struct stack_spent spent;	/* of total_ns, if the stacks have it */
	struct stack_stored stored;	/* the same */
	uint32_t open;			/* used while the graph is computed */
};

struct call_graph_function {
	uint64_t calls, total_ns, self_ns;
	struct stack_spent spent;	/* of total_ns, if the stacks have it */
	struct stack_stored stored;	/* the same */
	uint32_t open;			/* used while the graph is computed */
	bool shown;			/* set by the code that draws it */
};

struct call_graph {
	const struct stacks *stacks;
	struct call_graph_function *functions;	/* by name in stacks->names; [0] stands for the whole trace */
	uint32_t function_count;
	struct call_graph_edge *edges;	/* unsorted; [0] is unused */
	uint32_t edge_count, edge_capacity;
	struct map64 edge_of;		/* edge by caller and callee */
};

/*
 * call_graph_make - computes the graph.
 * @stacks: filled by stacks_read; must stay valid as long as the graph
 *
 * Returns 0 or -ENOMEM. Call call_graph_free in both cases.
 */
int call_graph_make(struct call_graph *graph, const struct stacks *stacks);
void call_graph_free(struct call_graph *graph);

/* Returns names by total time, the longest first, which the caller frees. Null if memory runs out. */
uint32_t *call_graph_by_total(const struct call_graph *graph);

/* Returns edges by total time, the longest first, from [0] on. The caller frees them. */
struct call_graph_edge *call_graph_edges_by_total(const struct call_graph *graph);

#endif
