/* SPDX-License-Identifier: MIT */
/*
 * dot_and_mermaid.c - a call graph for programs that draw it: Graphviz (its manual, "DOT Language")
 * and Mermaid (its manual, "Flowcharts").
 */
#include "graph/graph.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

/* As a whole number of per cent and one decimal, of all that was open. */
static void write_share(struct graph *graph, uint64_t ns)
{
	uint64_t whole = graph->calls.functions[0].total_ns;
	char text[32];

	snprintf(text, sizeof(text), "%.1f%%", whole ? 100.0 * (double)ns / (double)whole : 0.0);
	output_string(&graph->out, text);
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

/* Of a name, in bytes: a box is no wider than a screen, and Graphviz takes no string of more than 16 KiB. */
#define LABEL_MAX 100
#define TOOLTIP_MAX 4000

/* What Mermaid draws, by default (its configuration, maxEdges and maxTextSize). */
#define MERMAID_EDGES 500
#define MERMAID_CHARACTERS 50000

/* How much of a text is written: all, or what leaves room for an ellipsis; whole characters. */
static size_t shortened(const char *text, size_t most)
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
	size_t length = shortened(text, most);

	for (const char *end = text + length; text < end; text++) {
		if (*text == '"' || *text == '\\')
			output_char(out, '\\');
		output_char(out, *text);
	}
	if (*text)
		output_string(out, "...");
}

/* Mermaid takes what it would understand as its own by its code. */
static void write_mermaid_text(struct output *out, const char *text, size_t most)
{
	size_t length = shortened(text, most);

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

static void write_label(struct graph *graph, uint32_t name, write_text *text, const char *line_end)
{
	const struct call_graph_function *function = &graph->calls.functions[name];
	const struct name_pair *pair = &graph->stacks.names.list[name];

	text(&graph->out, pair->function, LABEL_MAX);
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
	output_number(&graph->out, function->calls);
	output_string(&graph->out, function->calls == 1 ? " call" : " calls");
}

/* Around what was asked for stand the callers and callees as well; else both ends are shown. */
static bool edge_is_shown(const struct graph *graph, const struct call_graph_edge *edge)
{
	const struct call_graph_function *functions = graph->calls.functions;

	if (!edge->caller)
		return false;
	if (graph->stacks.patterns)
		return functions[edge->caller].shown || functions[edge->callee].shown;
	return functions[edge->caller].shown && functions[edge->callee].shown;
}

/* Whether a function is to be drawn; @drawn: by name. */
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
	char text[96];

	if (!drawn)
		return;
	output_string(out, "digraph spoor {\n\tnode [shape=box, style=filled, fontname=\"sans-serif\", fontsize=10]\n"
			   "\tedge [fontname=\"sans-serif\", fontsize=9]\n");
	for (uint32_t i = 1; i < graph->calls.function_count; i++) {
		double share = whole ? (double)graph->calls.functions[i].self_ns / (double)whole : 0;

		if (!drawn[i])
			continue;
		/* From white to orange by own time. */
		snprintf(text, sizeof(text), "\tn%u [fillcolor=\"0.08 %.3f 1.0\", label=\"", i, share < 0.02 ? 0.0 : 0.15 + 0.7 * share);
		output_string(out, text);
		write_label(graph, i, write_dot_text, "\\n");
		output_string(out, "\", tooltip=\"");
		write_dot_text(out, graph->stacks.names.list[i].function, TOOLTIP_MAX);
		output_string(out, "\"]\n");
	}
	for (uint32_t i = 0; i + 1 < graph->calls.edge_count; i++)
		if (edge_is_shown(graph, &graph->edges[i]))
			write_dot_edge(graph, &graph->edges[i]);
	output_string(out, "}\n");
	free(drawn);
}

void graph_mermaid(struct graph *graph)
{
	struct output *out = &graph->out;
	bool *drawn = drawn_functions(graph);
	uint32_t arrows = 0;
	char text[64];

	if (!drawn)
		return;
	output_string(out, "flowchart TD\n");
	for (uint32_t i = 1; i < graph->calls.function_count; i++) {
		if (!drawn[i])
			continue;
		snprintf(text, sizeof(text), "    n%u[\"", i);
		output_string(out, text);
		write_label(graph, i, write_mermaid_text, "<br/>");
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
		message("%" PRIu32 " arrows, %" PRIu64 " characters: Mermaid draws %d and %d where its maxEdges and "
			"maxTextSize say nothing else; --limit and --function choose fewer functions", arrows, out->written,
			MERMAID_EDGES, MERMAID_CHARACTERS);
	free(drawn);
}
