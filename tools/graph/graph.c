/* SPDX-License-Identifier: MIT */
/* graph.c - spoor graph: shows which function calls which, how often, and for how long. */
#include "graph/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/commands.h"
#include "base/fitted.h"
#include "base/message.h"
#include "base/command_options.h"
#include "base/number_text.h"
#include "base/terminal.h"
#include "walk/pattern_options.h"

#define LIMIT 60u	/* functions, by default */

static const struct format {
	const char *name;
	void (*write)(struct graph *graph);
} formats[] = {
	{ "text", graph_text },
	{ "dot", graph_dot },
	{ "mermaid", graph_mermaid },
};

static const char help[] =
	"Usage: spoor graph [OPTION]... [TRACE]...\n"
	"Show which functions of a trace (default: " TRACE_DEFAULT_PATH ") call which, how often\n"
	"and for how long.\n"
	"\n"
	"      --format FORMAT   text (default): each function with its callers and callees;\n"
	"                        dot: for Graphviz; mermaid: for Markdown\n"
	"  -o, --output FILE     write to FILE (default: stdout)\n"
	"      --around PATTERNS show only these functions, such as 'parse*,-parse_test', and\n"
	"                        their direct callers and callees\n"
	"  -n, --limit N         show the N functions with the most time (default: 60; 0: all)\n"
	"      --no-pager        on a terminal: do not start $SPOOR_PAGER, $PAGER or less\n"
	WALK_HELP
	"      --help            show this and exit\n"
	"\n"
	"The exit status is 0 for success, 1 for a trace that is damaged or unreadable or an\n"
	"output that cannot be written, and 2 for a wrong command line.\n";

struct request {
	struct walk_choice choice;
	const struct format *format;
	const char *output_path;
	char *around;			/* --around; NULL: all functions */
	uint32_t limit;			/* functions to show; 0: all */
	bool no_pager;
};

static int parse_limit(const char *argument, uint32_t *limit)
{
	uint64_t number;

	if (!number_text_count(argument, 0, UINT32_MAX, &number))
		return message_usage("--limit: '%s' is not a number of functions: use a number such as 20 or 1k", argument);
	*limit = (uint32_t)number;
	return 0;
}

static int parse_format(const char *argument, const struct format **format)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		if (strcmp(argument, formats[i].name) == 0) {
			*format = &formats[i];
			return 0;
		}
	}
	return message_usage("unknown format '%s': use text, dot or mermaid", argument);
}

static int parse(struct graph *graph, struct request *request, int argc, char **argv)
{
	enum { FORMAT = WALK_OWN, AROUND, NO_PAGER };
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "format", required_argument, NULL, FORMAT },
		{ "around", required_argument, NULL, AROUND },
		{ "limit", required_argument, NULL, 'n' },
		{ "no-pager", no_argument, NULL, NO_PAGER },
		{ "help", no_argument, NULL, 'h' },
		WALK_LONG_OPTIONS,
		{ 0 },
	};
	int option, status = 0;

	while (!status && (option = options_next(argc, argv, "o:n:" WALK_LETTERS, options)) != -1) {
		switch (option) {
		case 'o':
			status = message_take_name("--output", optarg, &request->output_path);
			break;
		case FORMAT:
			status = parse_format(optarg, &request->format);
			break;
		case AROUND:
			status = pattern_options_add(&request->around, optarg);
			graph->stacks.patterns = request->around;
			break;
		case 'n':
			status = parse_limit(optarg, &request->limit);
			break;
		case NO_PAGER:
			request->no_pager = true;
			break;
		case 'h':
			fitted_help(help);
			exit(SPOOR_EXIT_GOOD);
		default:
			status = walk_choice_option(&request->choice, option, optarg);
		}
	}
	return status ? status : walk_choice_arguments(&request->choice, argc - optind, argv + optind);
}

static bool is_marked(const struct graph *graph, uint32_t name)
{
	return name < graph->stacks.marked_capacity && graph->stacks.marked[name];
}

/* Chooses the functions to show. Returns whether there is one. */
static bool choose_functions(struct graph *graph, uint32_t limit)
{
	struct call_graph_function *functions = graph->calls.functions;
	uint32_t count = graph->calls.function_count ? graph->calls.function_count - 1 : 0, shown = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t name = graph->by_total[i];

		functions[name].shown = (!graph->stacks.patterns || is_marked(graph, name)) && (!limit || shown < limit);
		shown += functions[name].shown;
	}
	graph->left_out = 0;
	for (uint32_t i = 1; i <= count; i++)
		graph->left_out += !functions[i].shown && (!graph->stacks.patterns || is_marked(graph, i));
	return shown;
}

static int write_graph(struct graph *graph, const struct request *request)
{
	bool is_shown = request->format->write == graph_text && (!request->output_path || strcmp(request->output_path, "-") == 0);
	int error, paged;

	graph->width = is_shown ? terminal_width() : 0;
	if (is_shown && !request->no_pager)
		terminal_pager_begin();
	error = output_begin(&graph->out, request->output_path);
	if (!error) {
		request->format->write(graph);
		error = output_end(&graph->out);
	}
	paged = terminal_pager_end();
	if (error) {
		message("%s: cannot write: %s", request->output_path ? request->output_path : "stdout", strerror(-error));
		return SPOOR_EXIT_BAD_TRACE;
	}
	if (graph->stacks.spent && graph->stacks.threads_unknown)
		message("%" PRIu64 " threads are not in CPU and WAIT: the trace does not say when they ran",
			graph->stacks.threads_unknown);
	if (graph->stacks.cpu_times_missing)
		message("%" PRIu64 " calls ended with a tail call or not at all, and have no time in CPU",
			graph->stacks.cpu_times_missing);
	if (graph->left_out)
		message_note("%u function%s with less time omitted: --limit shows more", graph->left_out,
			graph->left_out == 1 ? "" : "s");
	return paged;
}

int graph_main(int argc, char **argv)
{
	struct request request = { .format = &formats[0], .limit = LIMIT };
	struct graph graph = { .stacks = { .short_names = true } };
	int status, written;

	walk_choice_begin(&request.choice);
	status = parse(&graph, &request, argc, argv);
	graph.stacks.wants_spent = walk_choice_has_sched(&request.choice);
	graph.stacks.wants_stored = !graph.stacks.wants_spent;
	if (!status)
		status = stacks_read(&graph.stacks, &request.choice);
	if (stacks_hold_any(&graph.stacks, status)) {
		if (call_graph_make(&graph.calls, &graph.stacks) == 0) {
			graph.by_total = call_graph_by_total(&graph.calls);
			graph.edges = call_graph_edges_by_total(&graph.calls);
		}
		if (!graph.by_total || !graph.edges) {
			message("out of memory for the call graph");
			status = SPOOR_EXIT_BAD_TRACE;
		} else if (!choose_functions(&graph, request.limit) && graph.stacks.patterns) {
			pattern_options_report_missing("--around", graph.stacks.patterns, &graph.stacks.names);
			status = status ? status : SPOOR_EXIT_BAD_TRACE;
		} else {
			/* Shows the readable part of a damaged trace. */
			written = write_graph(&graph, &request);
			status = status ? status : written;
		}
	}
	free(graph.by_total);
	free(graph.edges);
	call_graph_free(&graph.calls);
	stacks_free(&graph.stacks);
	free(request.around);
	walk_choice_end(&request.choice);
	return status;
}
