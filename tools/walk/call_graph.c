/* SPDX-License-Identifier: MIT */
/* call_graph.c - computes which function calls which, in one walk through the tree of call paths. */
#include "walk/call_graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The tree in the form that the walk needs, by node. */
struct links {
	uint32_t *child, *sibling;	/* the first child, the next sibling; 0: none */
	uint64_t *total_ns;
	struct stack_spent *spent;	/* of total_ns; null: unknown */
	uint32_t *edge;			/* the edge from the parent's function */
};

static int links_make(struct links *links, const struct stacks *stacks)
{
	uint32_t count = stacks->count + 1;

	links->child = calloc(count, sizeof(*links->child));
	links->sibling = calloc(count, sizeof(*links->sibling));
	links->total_ns = calloc(count, sizeof(*links->total_ns));
	links->edge = calloc(count, sizeof(*links->edge));
	links->spent = stacks->spent ? calloc(count, sizeof(*links->spent)) : NULL;
	if (!links->child || !links->sibling || !links->total_ns || !links->edge || !links->spent != !stacks->spent)
		return -ENOMEM;
	for (uint32_t i = stacks->count; i-- > 1;) {
		uint32_t parent = stacks->nodes[i].parent;

		links->sibling[i] = links->child[parent];
		links->child[parent] = i;
		links->total_ns[i] += stacks->nodes[i].self_ns;
		links->total_ns[parent] += links->total_ns[i];
		if (links->spent) {
			stack_spent_add(&links->spent[i], &stacks->spent[i]);
			stack_spent_add(&links->spent[parent], &links->spent[i]);
		}
	}
	return 0;
}

static void links_free(struct links *links)
{
	free(links->child);
	free(links->sibling);
	free(links->total_ns);
	free(links->spent);
	free(links->edge);
}

/* Returns the number of the edge, or 0 if memory runs out. */
static uint32_t edge_between(struct call_graph *graph, uint32_t caller, uint32_t callee)
{
	uint32_t *number = map64_at(&graph->edge_of, (uint64_t)caller << 32 | callee);

	if (!number || *number)
		return number ? *number : 0;
	if (graph->edge_count == graph->edge_capacity) {
		uint32_t capacity = graph->edge_capacity ? 2 * graph->edge_capacity : 256;
		struct call_graph_edge *edges = reallocarray(graph->edges, capacity, sizeof(*edges));

		if (!edges)
			return 0;
		graph->edges = edges;
		graph->edge_capacity = capacity;
	}
	if (!graph->edge_count)
		graph->edges[graph->edge_count++] = (struct call_graph_edge){ 0 };
	*number = graph->edge_count;
	graph->edges[graph->edge_count++] = (struct call_graph_edge){ .caller = caller, .callee = callee };
	return *number;
}

/* Enters a node, and adds its calls and self time to its function. Returns 0 or -ENOMEM. */
static int enter(struct call_graph *graph, struct links *links, uint32_t at)
{
	const struct stack_node *node = &graph->stacks->nodes[at];
	struct call_graph_function *function = &graph->functions[node->name];
	const struct stack_stored stored = stacks_stored(graph->stacks, at);
	struct call_graph_edge *edge;

	links->edge[at] = edge_between(graph, graph->stacks->nodes[node->parent].name, node->name);
	if (!links->edge[at])
		return -ENOMEM;
	edge = &graph->edges[links->edge[at]];
	function->calls += node->calls;
	function->self_ns += node->self_ns;
	edge->calls += node->calls;
	if (function->open++ == 0) {
		function->total_ns += links->total_ns[at];
		if (links->spent)
			stack_spent_add(&function->spent, &links->spent[at]);
		stack_stored_add(&function->stored, &stored);
	}
	if (edge->open++ == 0) {
		edge->total_ns += links->total_ns[at];
		if (links->spent)
			stack_spent_add(&edge->spent, &links->spent[at]);
		stack_stored_add(&edge->stored, &stored);
	}
	return 0;
}

static void leave(struct call_graph *graph, const struct links *links, uint32_t at)
{
	graph->functions[graph->stacks->nodes[at].name].open--;
	graph->edges[links->edge[at]].open--;
}

/* Walks depth first, without recursion, because paths are as deep as the program's calls. */
static int walk(struct call_graph *graph, struct links *links)
{
	uint32_t at = links->child[0];
	int error = 0;

	while (at && !error) {
		error = enter(graph, links, at);
		if (links->child[at]) {
			at = links->child[at];
			continue;
		}
		while (at && !error) {
			leave(graph, links, at);
			if (links->sibling[at]) {
				at = links->sibling[at];
				break;
			}
			at = graph->stacks->nodes[at].parent;
		}
	}
	graph->functions[0].total_ns = links->total_ns[0];
	return error;
}

int call_graph_make(struct call_graph *graph, const struct stacks *stacks)
{
	struct links links = { 0 };
	int error;

	*graph = (struct call_graph){ .stacks = stacks, .function_count = stacks->names.count };
	graph->functions = calloc(graph->function_count + 1, sizeof(*graph->functions));
	error = graph->functions && stacks->count ? links_make(&links, stacks) : -ENOMEM;
	if (!error)
		error = walk(graph, &links);
	links_free(&links);
	return error;
}

void call_graph_free(struct call_graph *graph)
{
	free(graph->functions);
	free(graph->edges);
	map64_free(&graph->edge_of);
	*graph = (struct call_graph){ 0 };
}

static int compare_functions(const void *left, const void *right, void *context)
{
	const struct call_graph *graph = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	uint64_t a_ns = graph->functions[a].total_ns, b_ns = graph->functions[b].total_ns;

	return a_ns != b_ns ? a_ns < b_ns ? 1 : -1 :
	       strcmp(graph->stacks->names.list[a].function, graph->stacks->names.list[b].function);
}

uint32_t *call_graph_by_total(const struct call_graph *graph)
{
	uint32_t *names = calloc(graph->function_count + 1, sizeof(*names));

	for (uint32_t i = 1; names && i < graph->function_count; i++)
		names[i - 1] = i;
	if (names && graph->function_count > 1)
		qsort_r(names, graph->function_count - 1, sizeof(*names), compare_functions, (void *)graph);
	return names;
}

static int compare_edges(const void *left, const void *right)
{
	const struct call_graph_edge *a = left, *b = right;

	if (a->total_ns != b->total_ns)
		return a->total_ns < b->total_ns ? 1 : -1;
	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	return a->callee < b->callee ? -1 : a->callee > b->callee;
}

struct call_graph_edge *call_graph_edges_by_total(const struct call_graph *graph)
{
	uint32_t count = graph->edge_count ? graph->edge_count - 1 : 0;
	struct call_graph_edge *edges = calloc(count + 1, sizeof(*edges));

	if (edges && count) {
		memcpy(edges, graph->edges + 1, count * sizeof(*edges));
		qsort(edges, count, sizeof(*edges), compare_edges);
	}
	return edges;
}
