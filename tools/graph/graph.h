/* SPDX-License-Identifier: MIT */
/* graph.h - the call graph that spoor graph draws, and its three formats. */
#ifndef SPOOR_TOOLS_GRAPH_H
#define SPOOR_TOOLS_GRAPH_H

#include "walk/call_graph.h"
#include "base/output.h"

struct graph {
	struct output out;
	struct stacks stacks;
	struct call_graph calls;
	uint32_t *by_total;		/* names with the longest total time first: `calls.function_count - 1` */
	struct call_graph_edge *edges;	/* longest total time first: `calls.edge_count - 1` */
	size_t width;			/* characters of a line; 0: no limit */
	uint32_t left_out;		/* number of functions that --limit hides */
};

/* Writes each function with its callers above and its callees below. */
void graph_text(struct graph *graph);

/* Write the graph for Graphviz's dot, and for Mermaid, which Markdown viewers draw. */
void graph_dot(struct graph *graph);
void graph_mermaid(struct graph *graph);

#endif
