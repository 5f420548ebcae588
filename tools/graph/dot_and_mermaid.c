/* SPDX-License-Identifier: MIT */
/*
 * dot_and_mermaid.c - writes a call graph for the programs that draw it: Graphviz (its manual, "DOT
 * Language") and Mermaid (its manual, "Flowcharts").
 */
#include "graph/graph.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "walk/fitted_names.h"
#include "walk/lines/spent_columns.h"
#include "walk/table/columns.h"

/* Writes @ns as a percentage of the time in which any call was open. */
static void write_share(struct graph *graph, uint64_t ns)
{
	uint64_t whole = graph->calls.functions[0].total_ns;
	char text[32];

	report_percent_text(whole ? (uint64_t)((double)ns / (double)whole * 10000 + 0.5) : 0, text);
	output_string(&graph->out, text);
	output_char(&graph->out, '%');
}

static void write_time(struct graph *graph, uint64_t ns)
{
	char text[OUTPUT_DURATION_MAX], *at = text, *end = output_duration_at(text, ns);

	while (*at == ' ')
		at++;
	while (end[-1] == ' ')
		end--;
	output_put(&graph->out, at, (size_t)(end - at));
}

/* Bytes of a name. A box fits on a screen, and Graphviz accepts strings of at most 16 KiB. */
#define LABEL_MAX 100
#define TOOLTIP_MAX 4000

/* The default limits of Mermaid (maxEdges and maxTextSize in its configuration). */
#define MERMAID_EDGES 500
#define MERMAID_CHARACTERS 50000

/*
 * Returns the number of bytes of @text to write: all, or at most @most - 3, which leaves room for an
 * ellipsis and cuts no UTF-8 character.
 */
static size_t shortened_length(const char *text, size_t most)
{
	size_t length = strlen(text);

	if (length <= most)
		return length;
	for (length = most - 3; length && (text[length] & 0xc0) == 0x80;)
		length--;
	return length;
}

static void write_dot_text(struct output *out, const char *text, size_t most)
{
	size_t length = shortened_length(text, most);

	for (const char *end = text + length; text < end; text++) {
		if (*text == '"' || *text == '\\')
			output_char(out, '\\');
		output_char(out, *text);
	}
	if (*text)
		output_string(out, "...");
}

/* Writes the characters with a meaning in Mermaid as character codes. */
static void write_mermaid_text(struct output *out, const char *text, size_t most)
{
	size_t length = shortened_length(text, most);

	for (const char *end = text + length; text < end; text++) {
		if (strchr("\"#<>&;`\\", *text)) {
			output_char(out, '#');
			output_number(out, (unsigned char)*text);
			output_char(out, ';');
		} else {
			output_char(out, *text);
		}
	}
	if (*text)
		output_string(out, "...");
}

typedef void write_text(struct output *out, const char *text, size_t most);

static void write_label(struct graph *graph, struct fitted_names *fitted, uint32_t name, write_text *text, const char *line_end)
{
	const struct call_graph_function *function = &graph->calls.functions[name];
	const struct name_pair *pair = &graph->stacks.names.list[name];
	char shorter[ELIDED_MAX + 1];
	bool has_library;
	uint64_t cpu_ns;

	/* Names lose their middle, and the labels of different functions stay different. */
	text(&graph->out, fitted_name(fitted, name, 0, false, shorter, &has_library), LABEL_MAX);
	output_string(&graph->out, line_end);
	if (*pair->library) {
		text(&graph->out, pair->library, LABEL_MAX);
		output_string(&graph->out, line_end);
	}
	write_time(graph, function->total_ns);
	output_string(&graph->out, " (");
	write_share(graph, function->total_ns);
	output_string(&graph->out, "), self ");
	write_time(graph, function->self_ns);
	output_string(&graph->out, line_end);
	if (spent_columns_cpu(&graph->stacks, &function->spent, &function->stored, function->total_ns, &cpu_ns)) {
		output_string(&graph->out, "cpu ");
		write_time(graph, cpu_ns);
		if (graph->stacks.spent) {
			output_string(&graph->out, ", wait ");
			write_time(graph, function->spent.wait_ns);
		}
		output_string(&graph->out, line_end);
	}
	output_number(&graph->out, function->calls);
	output_string(&graph->out, function->calls == 1 ? " call" : " calls");
}

/* With --around an edge is shown if one of its ends is chosen, else if both are. */
static bool edge_is_shown(const struct graph *graph, const struct call_graph_edge *edge)
{
	const struct call_graph_function *functions = graph->calls.functions;

	if (!edge->caller)
		return false;
	if (graph->stacks.patterns)
		return functions[edge->caller].shown || functions[edge->callee].shown;
	return functions[edge->caller].shown && functions[edge->callee].shown;
}

/* Sets @drawn, by name, for each function that is drawn: chosen ones and the ends of shown edges. */
static void find_drawn(const struct graph *graph, bool *drawn)
{
	for (uint32_t i = 1; i < graph->calls.function_count; i++)
		drawn[i] = graph->calls.functions[i].shown;
	for (uint32_t i = 0; i + 1 < graph->calls.edge_count; i++)
		if (edge_is_shown(graph, &graph->edges[i]))
			drawn[graph->edges[i].caller] = drawn[graph->edges[i].callee] = true;
}

static bool *drawn_functions(struct graph *graph)
{
	bool *drawn = calloc(graph->calls.function_count + 1, sizeof(*drawn));

	if (drawn)
		find_drawn(graph, drawn);
	else
		graph->out.error = -ENOMEM;
	return drawn;
}

static void write_dot_edge(struct graph *graph, const struct call_graph_edge *edge)
{
	uint64_t whole = graph->calls.functions[0].total_ns;
	char text[96];

	snprintf(text, sizeof(text), "\tn%u -> n%u [penwidth=%.2f, label=\"", edge->caller, edge->callee,
		 0.5 + (whole ? 4.5 * (double)edge->total_ns / (double)whole : 0));
	output_string(&graph->out, text);
	output_number(&graph->out, edge->calls);
	output_string(&graph->out, "\\n");
	write_time(graph, edge->total_ns);
	output_string(&graph->out, "\"]\n");
}

void graph_dot(struct graph *graph)
{
	struct output *out = &graph->out;
	bool *drawn = drawn_functions(graph);
	uint64_t whole = graph->calls.functions[0].total_ns;
	struct fitted_names fitted;
	char text[96];

	if (!drawn)
		return;
	fitted_names_begin(&fitted, &graph->stacks.names, LABEL_MAX);
	output_string(out, "digraph spoor {\n\tnode [shape=box, style=filled, fontname=\"sans-serif\", fontsize=10]\n"
			   "\tedge [fontname=\"sans-serif\", fontsize=9]\n");
	for (uint32_t i = 1; i < graph->calls.function_count; i++) {
		double share = whole ? (double)graph->calls.functions[i].self_ns / (double)whole : 0;

		if (!drawn[i])
			continue;
		/* The colour goes from white to orange with the share of self time. */
		snprintf(text, sizeof(text), "\tn%u [fillcolor=\"0.08 %.3f 1.0\", label=\"", i, share < 0.02 ? 0.0 : 0.15 + 0.7 * share);
		output_string(out, text);
		write_label(graph, &fitted, i, write_dot_text, "\\n");
		output_string(out, "\", tooltip=\"");
		write_dot_text(out, graph->stacks.names.list[i].function, TOOLTIP_MAX);
		output_string(out, "\"]\n");
	}
	for (uint32_t i = 0; i + 1 < graph->calls.edge_count; i++)
		if (edge_is_shown(graph, &graph->edges[i]))
			write_dot_edge(graph, &graph->edges[i]);
	output_string(out, "}\n");
	fitted_names_end(&fitted);
	free(drawn);
}

void graph_mermaid(struct graph *graph)
{
	struct output *out = &graph->out;
	bool *drawn = drawn_functions(graph);
	struct fitted_names fitted;
	uint32_t arrows = 0;
	char text[64];

	if (!drawn)
		return;
	fitted_names_begin(&fitted, &graph->stacks.names, LABEL_MAX);
	output_string(out, "flowchart TD\n");
	for (uint32_t i = 1; i < graph->calls.function_count; i++) {
		if (!drawn[i])
			continue;
		snprintf(text, sizeof(text), "    n%u[\"", i);
		output_string(out, text);
		write_label(graph, &fitted, i, write_mermaid_text, "<br/>");
		output_string(out, "\"]\n");
	}
	for (uint32_t i = 0; i + 1 < graph->calls.edge_count; i++) {
		const struct call_graph_edge *edge = &graph->edges[i];

		if (!edge_is_shown(graph, edge))
			continue;
		snprintf(text, sizeof(text), "    n%u -->|\"", edge->caller);
		output_string(out, text);
		output_number(out, edge->calls);
		output_string(out, "<br/>");
		write_time(graph, edge->total_ns);
		snprintf(text, sizeof(text), "\"| n%u\n", edge->callee);
		output_string(out, text);
		arrows++;
	}
	output_flush(out);
	if (arrows > MERMAID_EDGES || out->written > MERMAID_CHARACTERS)
		message("the graph has %" PRIu32 " arrows and %" PRIu64 " characters, but Mermaid draws at most %d "
			"and %d "
			"by default: raise its maxEdges and maxTextSize, or use --limit or --around", arrows,
			out->written, MERMAID_EDGES, MERMAID_CHARACTERS);
	fitted_names_end(&fitted);
	free(drawn);
}
