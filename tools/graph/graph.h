/* SPDX-License-Identifier: MIT */
/* graph.h - what spoor graph draws, and how. */
#ifndef SPOOR_TOOLS_GRAPH_H
#define SPOOR_TOOLS_GRAPH_H

#include "walk/call_graph.h"
#include "base/output.h"

struct graph {
	struct output out;
	struct stacks stacks;
	struct call_graph calls;
	uint32_t *by_total;		/* names, `calls.function_count - 1` of them */
	struct call_graph_edge *edges;	/* the longest first, `calls.edge_count - 1` of them */
	uint32_t left_out;		/* functions that are not shown */
};

/* Each function with its callers above and its callees below. */
void graph_text(struct graph *graph);

/* For Graphviz's dot; for Mermaid, as Markdown viewers draw it. */
void graph_dot(struct graph *graph);
void graph_mermaid(struct graph *graph);

#endif
