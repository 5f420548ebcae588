/* SPDX-License-Identifier: MIT */
/*
 * callgrind.c - writes the profile that KCachegrind and callgrind_annotate read. Valgrind's manual
 * describes it ("Callgrind Format Specification").
 *
 * The cost is time in nanoseconds. A trace does not say where in a function time is spent, so the whole
 * cost is at the line where the function begins. A function without a place is in a file "???", line 0.
 */
#include "export/export.h"

#include <errno.h>
#include <stdlib.h>

#include "walk/call_graph.h"

/* Writes the number of a name, and the name itself the first time. */
static void write_name(struct export *export, const char *key, uint32_t number, const char *name, bool *written)
{
	struct output *out = &export->out;

	output_string(out, key);
	output_string(out, "=(");
	output_number(out, number);
	output_char(out, ')');
	if (!*written) {
		output_char(out, ' ');
		output_string(out, *name ? name : "???");
	}
	*written = true;
	output_char(out, '\n');
}

/* The numbers of names, and which names have been written. All arrays are owned. */
struct names {
	struct name_table libraries, files;
	uint32_t *library_of, *file_of;	/* by function */
	bool *function_written, *library_written, *file_written;
};

static int names_make(struct names *names, const struct stacks *stacks)
{
	uint32_t count = stacks->names.count + 1;

	names->library_of = calloc(count, sizeof(*names->library_of));
	names->function_written = calloc(count, sizeof(*names->function_written));
	names->file_of = calloc(count, sizeof(*names->file_of));
	names->library_written = calloc(count + 1, sizeof(*names->library_written));
	names->file_written = calloc(count + 1, sizeof(*names->file_written));
	if (!names->library_of || !names->file_of || !names->function_written || !names->library_written ||
	    !names->file_written)
		return -ENOMEM;
	for (uint32_t i = 1; i < stacks->names.count; i++) {
		const char *file = stacks_place(stacks, i).path;

		names->library_of[i] = name_table_add(&names->libraries, stacks->names.list[i].library, "");
		names->file_of[i] = name_table_add(&names->files, file ? file : "???", "");
		if (!names->library_of[i] || !names->file_of[i])
			return -ENOMEM;
	}
	return 0;
}

static void names_free(struct names *names)
{
	name_table_free(&names->libraries);
	name_table_free(&names->files);
	free(names->library_of);
	free(names->file_of);
	free(names->function_written);
	free(names->library_written);
	free(names->file_written);
}

static void write_function(struct export *export, const struct stacks *stacks, struct names *names, uint32_t name, bool called)
{
	uint32_t library = names->library_of[name], file = names->file_of[name];

	write_name(export, called ? "cob" : "ob", library, names->libraries.list[library].function,
		   &names->library_written[library]);
	write_name(export, called ? "cfi" : "fl", file, names->files.list[file].function, &names->file_written[file]);
	write_name(export, called ? "cfn" : "fn", name, stacks->names.list[name].function,
		   &names->function_written[name]);
}

static void write_cost(struct export *export, uint32_t line, uint64_t ns)
{
	output_number(&export->out, line);
	output_char(&export->out, ' ');
	output_number(&export->out, ns);
	output_char(&export->out, '\n');
}

static int compare_callers(const void *left, const void *right)
{
	const struct call_graph_edge *a = left, *b = right;

	return a->caller != b->caller ? a->caller < b->caller ? -1 : 1 : a->callee < b->callee ? -1 : a->callee > b->callee;
}

static void write_graph(struct export *export, const struct call_graph *graph, struct names *names)
{
	uint32_t count = graph->edge_count, at = 1;
	struct output *out = &export->out;

	output_string(out, "# callgrind format\nversion: 1\ncreator: spoor\n");
	if (graph->stacks->program) {
		output_string(out, "cmd: ");
		output_string(out, graph->stacks->program);
		output_char(out, '\n');
	}
	output_string(out, "positions: line\nevents: ns\nsummary: ");
	output_number(out, graph->functions[0].total_ns);
	output_char(out, '\n');
	if (count > 1)
		qsort(graph->edges + 1, count - 1, sizeof(*graph->edges), compare_callers);
	while (at < count && graph->edges[at].caller == 0)
		at++;
	for (uint32_t name = 1; name < graph->function_count && !output_failed(out); name++) {
		uint32_t line = stacks_place(graph->stacks, name).line;

		output_char(out, '\n');
		write_function(export, graph->stacks, names, name, false);
		write_cost(export, line, graph->functions[name].self_ns);
		for (; at < count && graph->edges[at].caller == name; at++) {
			const struct call_graph_edge *edge = &graph->edges[at];

			write_function(export, graph->stacks, names, edge->callee, true);
			output_string(out, "calls=");
			output_number(out, edge->calls);
			output_char(out, ' ');
			output_number(out, stacks_place(graph->stacks, edge->callee).line);
			output_char(out, '\n');
			write_cost(export, line, edge->total_ns);
		}
	}
	output_string(out, "\ntotals: ");
	output_number(out, graph->functions[0].total_ns);
	output_char(out, '\n');
}

int export_callgrind(struct export *export, const struct stacks *stacks)
{
	struct call_graph graph;
	struct names names = { 0 };
	int error = call_graph_make(&graph, stacks);

	if (!error)
		error = names_make(&names, stacks);
	if (!error)
		write_graph(export, &graph, &names);
	names_free(&names);
	call_graph_free(&graph);
	return error;
}
