/* SPDX-License-Identifier: MIT */
/* graph_text.c - writes a call graph as text: each function between its callers and its callees. */
#include "graph/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "walk/fitted_names.h"
#include "walk/lines/spent_columns.h"

/* The edges of each function: those of function f are [first[f], first[f + 1]) of @order. */
struct ends {
	uint32_t *first, *order;
};

static uint32_t end_of(const struct call_graph_edge *edge, bool callee)
{
	return callee ? edge->callee : edge->caller;
}

static int ends_make(struct ends *ends, const struct graph *graph, bool callee)
{
	uint32_t functions = graph->calls.function_count, count = graph->calls.edge_count ? graph->calls.edge_count - 1 : 0;

	ends->first = calloc(functions + 2, sizeof(*ends->first));
	ends->order = calloc(count + 1, sizeof(*ends->order));
	if (!ends->first || !ends->order)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		ends->first[end_of(&graph->edges[i], callee) + 1]++;
	for (uint32_t i = 0; i < functions; i++)
		ends->first[i + 1] += ends->first[i];
	/* From the last to the first edge, so that the edges of a function keep their order. */
	for (uint32_t i = count; i-- > 0;)
		ends->order[--ends->first[end_of(&graph->edges[i], callee) + 1]] = i;
	/* The loop above left each start one place too high. */
	for (uint32_t i = 0; i < functions; i++)
		ends->first[i] = ends->first[i + 1];
	ends->first[functions] = count;
	return 0;
}

static void ends_free(struct ends *ends)
{
	free(ends->first);
	free(ends->order);
}

/* Columns before the names, without CPU and WAIT. */
#define NUMBERS_WIDTH (2 * OUTPUT_DURATION_WIDTH + 2 + 15)
#define ARROW_WIDTH 9	/* of the longest arrow */

/* @self_ns: null in an edge */
static void write_line(struct graph *graph, struct fitted_names *fitted, uint64_t total_ns, const uint64_t *self_ns,
		       const struct stack_spent *spent, const struct stack_stored *stored, uint64_t calls,
		       const char *arrow, uint32_t name)
{
	struct output *out = &graph->out;
	char text[ELIDED_MAX + 1];
	bool has_library = false;

	output_duration(out, total_ns);
	output_spaces(out, 2);
	if (self_ns)
		output_duration(out, *self_ns);
	else
		output_spaces(out, OUTPUT_DURATION_WIDTH);
	spent_columns_write(out, &graph->stacks, spent, stored, total_ns);
	output_grouped(out, calls, 15);
	output_string(out, arrow);
	output_string(out, name ? fitted_name(fitted, name, strlen(arrow), false, text, &has_library) : "(no caller)");
	if (has_library) {
		output_string(out, "  (");
		output_string(out, graph->stacks.names.list[name].library);
		output_char(out, ')');
	}
	output_char(out, '\n');
}

static void write_edges(struct graph *graph, struct fitted_names *fitted, const struct ends *ends, uint32_t function, bool callers)
{
	for (uint32_t i = ends->first[function]; i < ends->first[function + 1]; i++) {
		const struct call_graph_edge *edge = &graph->edges[ends->order[i]];

		write_line(graph, fitted, edge->total_ns, NULL, &edge->spent, &edge->stored, edge->calls,
			   callers ? "      <- " : "      -> ", callers ? edge->caller : edge->callee);
	}
}

void graph_text(struct graph *graph)
{
	struct ends in = { 0 }, outward = { 0 };
	struct fitted_names fitted;
	size_t before = NUMBERS_WIDTH + spent_columns_width(&graph->stacks);
	size_t room = graph->width > before + ARROW_WIDTH + FITTED_NAME_LEAST ? graph->width - before :
										  ARROW_WIDTH + FITTED_NAME_LEAST;
	uint32_t count = graph->calls.function_count ? graph->calls.function_count - 1 : 0;

	fitted_names_begin(&fitted, &graph->stacks.names, graph->width ? room : 0);
	if (ends_make(&in, graph, true) < 0 || ends_make(&outward, graph, false) < 0) {
		graph->out.error = -ENOMEM;
		count = 0;
	} else {
		output_string(&graph->out, "     TOTAL        SELF");
		spent_columns_heading(&graph->out, &graph->stacks);
		output_string(&graph->out, "          CALLS  FUNCTION\n");
	}
	for (uint32_t i = 0; i < count && !output_failed(&graph->out); i++) {
		uint32_t name = graph->by_total[i];
		const struct call_graph_function *function = &graph->calls.functions[name];

		if (!function->shown)
			continue;
		output_char(&graph->out, '\n');
		write_edges(graph, &fitted, &in, name, true);
		write_line(graph, &fitted, function->total_ns, &function->self_ns, &function->spent, &function->stored,
			   function->calls, "  ", name);
		write_edges(graph, &fitted, &outward, name, false);
	}
	fitted_names_end(&fitted);
	ends_free(&in);
	ends_free(&outward);
}
