/* SPDX-License-Identifier: MIT */
/*
 * tree.c - spoor tree: shows which call paths take the time, as a tree of callees or of callers.
 *
 * The row of a call path adds up all calls on that path, in all threads and processes.
 */
#include "tree/tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/commands.h"
#include "base/fitted.h"
#include "base/message.h"
#include "base/command_options.h"
#include "base/number_text.h"
#include "base/terminal.h"
#include "base/time_text.h"
#include "walk/pattern_options.h"

#define THRESHOLD "0.5%"

static const char help[] =
	"Usage: spoor tree [OPTION]... [TRACE]...\n"
	"Show which call paths take the time of traces (default: " TRACE_DEFAULT_PATH "): each\n"
	"function with the functions that it called below it.\n"
	"\n"
	"      --callers         show the callers of each function below it, not its callees; with\n"
	"                        -f only of those functions\n"
	"      --by-thread       show a tree for each thread, below its name\n"
	"      --threshold LEAST hide rows below LEAST, such as '2%', '10us' or 0 (default: " THRESHOLD ")\n"
	"      --depth N         show at most N levels\n"
	"  -n, --limit N         show the N largest rows\n"
	"      --format FORMAT   text (default); json: nanoseconds, whole names\n"
	"      --color WHEN      auto (default: on a terminal), always or never\n"
	"      --no-pager        on a terminal: do not start $SPOOR_PAGER, $PAGER or less\n"
	WALK_HELP
	"      --help            show this and exit\n"
	"\n"
	"The exit status is 0 for success, 1 for a trace that is damaged or unreadable, functions\n"
	"that are not in the trace, or an output that cannot be written, and 2 for a wrong\n"
	"command line.\n";

struct request {
	struct walk_choice choice;
	char *functions;		/* of the choice */
	enum terminal_when color;
	bool json, no_pager;
};

static int parse_count(const char *option, const char *argument, uint64_t least, const char *unit, uint32_t *count)
{
	uint64_t number;

	if (!number_text_count(argument, least, UINT32_MAX, &number))
		return message_usage("%s: '%s' is not a number of %s: use a number such as 20 or 1k", option, argument, unit);
	*count = (uint32_t)number;
	return 0;
}

/* Takes a percentage or a time. */
static int parse_threshold(struct tree *tree, const char *argument)
{
	struct tree_look *look = &tree->look;
	char *end;

	tree->threshold = argument;
	look->least_percent = 0;
	look->least_ns = 0;
	if (time_text_parse(argument, &look->least_ns) == 0)
		return 0;
	errno = 0;
	look->least_percent = strtod(argument, &end);
	if (!errno && *argument && strchr("0123456789.", *argument) && strcmp(end, "%") == 0 && look->least_percent >= 0 &&
	    look->least_percent <= 100)
		return 0;
	return message_usage("--threshold: '%s' is not valid: use a percentage such as '2%%', a time such as '10us', or 0",
			     argument);
}

static int parse_format(const char *argument, bool *json)
{
	*json = strcmp(argument, "json") == 0;
	if (!*json && strcmp(argument, "text") != 0)
		return message_usage("unknown format '%s': use text or json", argument);
	return 0;
}

static int parse(struct tree *tree, struct request *request, int argc, char **argv)
{
	enum { CALLERS = WALK_OWN, BY_THREAD, THRESHOLD_OPTION, DEPTH, FORMAT, COLOR, NO_PAGER };
	static const struct option options[] = {
		{ "callers", no_argument, NULL, CALLERS },
		{ "by-thread", no_argument, NULL, BY_THREAD },
		{ "threshold", required_argument, NULL, THRESHOLD_OPTION },
		{ "depth", required_argument, NULL, DEPTH },
		{ "limit", required_argument, NULL, 'n' },
		{ "format", required_argument, NULL, FORMAT },
		{ "color", required_argument, NULL, COLOR },
		{ "no-pager", no_argument, NULL, NO_PAGER },
		{ "help", no_argument, NULL, 'h' },
		WALK_LONG_OPTIONS,
		{ 0 },
	};
	int option, status = parse_threshold(tree, THRESHOLD);

	while (!status && (option = options_next(argc, argv, "n:" WALK_LETTERS, options)) != -1) {
		switch (option) {
		case CALLERS:
			tree->look.callers = true;
			break;
		case BY_THREAD:
			tree->stacks.by_thread = true;
			break;
		case THRESHOLD_OPTION:
			status = parse_threshold(tree, optarg);
			break;
		case DEPTH:
			status = parse_count("--depth", optarg, 1, "levels, 1 or more", &tree->look.depth_max);
			break;
		case 'n':
			status = parse_count("--limit", optarg, 1, "rows, 1 or more", &tree->look.limit);
			break;
		case FORMAT:
			status = parse_format(optarg, &request->json);
			break;
		case COLOR:
			status = terminal_when(optarg, &request->color);
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

/* Writes the tree. Returns an enum spoor_exit. */
static int write_tree(struct tree *tree, const struct request *request)
{
	int error, paged = 0;

	tree->width = terminal_width();
	tree->colored = !request->json && terminal_has_colors(request->color, STDOUT_FILENO);
	if (!request->json && !request->no_pager)
		terminal_pager_begin();
	error = output_begin(&tree->out, NULL);
	if (!error) {
		(request->json ? tree_json : tree_text)(tree);
		error = output_end(&tree->out);
	}
	paged = terminal_pager_end();
	if (error) {
		message("cannot write: %s", strerror(-error));
		return SPOOR_EXIT_BAD_TRACE;
	}
	return paged;
}

int tree_main(int argc, char **argv)
{
	struct tree tree = { .stacks = { .short_names = true } };
	struct request request = { 0 };
	int status, written;

	walk_choice_begin(&request.choice);
	status = parse(&tree, &request, argc, argv);
	tree.stacks.patterns = request.functions = request.choice.functions;
	/* The callers of a function lie outside its calls. */
	if (tree.look.callers)
		request.choice.functions = NULL;
	tree.stacks.wants_long_names = request.json;
	tree.stacks.wants_spent = walk_choice_has_sched(&request.choice);
	tree.stacks.wants_stored = !tree.stacks.wants_spent;
	if (!status)
		status = stacks_read(&tree.stacks, &request.choice);
	if (stacks_hold_any(&tree.stacks, status)) {
		if (tree_rows_make(&tree.rows, &tree.stacks, &tree.look) < 0) {
			message("out of memory for the tree: use a larger --threshold or a smaller --depth");
			status = SPOOR_EXIT_BAD_TRACE;
		} else if (!tree.rows.count && request.functions) {
			pattern_options_report_missing("--function", request.functions, &tree.stacks.names);
			status = status ? status : SPOOR_EXIT_BAD_TRACE;
		} else {
			/* Shows the readable part of a damaged trace. */
			written = write_tree(&tree, &request);
			status = status ? status : written;
		}
	}
	tree_rows_free(&tree.rows);
	stacks_free(&tree.stacks);
	request.choice.functions = request.functions;
	walk_choice_end(&request.choice);
	return status;
}
