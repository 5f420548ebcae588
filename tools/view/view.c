/* SPDX-License-Identifier: MIT */
/* view.c - spoor view: writes a trace as one page for a browser, or serves it. */
#include "view/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/commands.h"
#include "base/fitted.h"
#include "base/message.h"
#include "base/number_text.h"
#include "base/command_options.h"
#include "view/serve.h"
#include "view/thread_waits.h"

#define PAGE_DEFAULT_PATH "view.html"
#define PAGE_DEFAULT_BYTES (50u << 20)
#define PAGE_LEAST_BYTES (1u << 20)

static const char help[] =
	"Usage: spoor view [OPTION]... [TRACE]...\n"
	"Write a trace (default: " TRACE_DEFAULT_PATH ") as one page for a browser: a timeline, a flame\n"
	"graph and a table of functions, of the whole trace or of any range of time.\n"
	"\n"
	"  -o, --output FILE     write to FILE (default: " PAGE_DEFAULT_PATH ")\n"
	"      --max-size SIZE   write at most SIZE bytes (default: 50M); if more are needed, the\n"
	"                        page shows runs of short calls instead of each call\n"
	"      --title TEXT      show TEXT above the page\n"
	"      --serve           write no file: serve the page to a browser on this machine, with\n"
	"                        each call of a trace of any size; press Ctrl-C to end\n"
	"      --port N          with --serve: use this port (default: any free port)\n"
	WALK_HELP
	"      --help            show this and exit\n"
	"\n"
	"The exit status is 0 for success, 1 for a trace that is damaged or unreadable or an\n"
	"output that cannot be written, and 2 for a wrong command line.\n";

static int parse_size(struct view *view, const char *argument)
{
	if (!number_text_size(argument, 0, UINT64_MAX, &view->max_bytes))
		return message_usage("--max-size: '%s' is not a size: " NUMBER_TEXT_SIZES, argument);
	if (view->max_bytes < PAGE_LEAST_BYTES || view->max_bytes > SIZE_MAX / 8)
		return message_usage("--max-size: '%s' is out of range: use a size from 1M to %zuG", argument, SIZE_MAX / 8 >> 30);
	return 0;
}

/* Rejects options for a file with --serve, and --port without it. */
static int check_options(const struct view *view, const char *of_file, bool has_port)
{
	if (view->served && of_file)
		return message_usage("%s and --serve exclude each other: --serve writes no file", of_file);
	if (!view->served && has_port)
		return message_usage("--port requires --serve");
	return 0;
}

static int parse(struct view *view, struct view_served *served, struct walk_choice *choice, int argc, char **argv)
{
	enum { MAX_SIZE = WALK_OWN, TITLE, SERVE, PORT };
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "max-size", required_argument, NULL, MAX_SIZE },
		{ "title", required_argument, NULL, TITLE },
		{ "serve", no_argument, NULL, SERVE },
		{ "port", required_argument, NULL, PORT },
		{ "help", no_argument, NULL, 'h' },
		WALK_LONG_OPTIONS,
		{ 0 },
	};
	const char *of_file = NULL;
	int option, status = 0;

	while (!status && (option = options_next(argc, argv, "o:" WALK_LETTERS, options)) != -1) {
		switch (option) {
		case 'o':
			status = message_take_name("--output", optarg, &view->path);
			of_file = "--output";
			break;
		case MAX_SIZE:
			status = parse_size(view, optarg);
			of_file = "--max-size";
			break;
		case TITLE:
			view->title = optarg;
			break;
		case SERVE:
			view->served = served;
			break;
		case PORT:
			served->port = optarg;
			break;
		case 'h':
			fitted_help(help);
			exit(SPOOR_EXIT_GOOD);
		default:
			status = walk_choice_option(choice, option, optarg);
		}
	}
	if (!status)
		status = check_options(view, of_file, served->port != NULL);
	return status ? status : walk_choice_arguments(choice, argc - optind, argv + optind);
}

/* Reads the trace and writes the page. Returns an enum spoor_exit. */
static int gather(struct view *view, const struct walk_choice *choice)
{
	bool named = view->path;
	struct walk_sink sink;
	int status = view->served ? view_served_begin(view->served) : 0;

	if (status)
		return status;
	if (!named)
		view->path = PAGE_DEFAULT_PATH;
	if (!view->title)
		view->title = choice->trace_path;
	view->totals.counts_unfit = choice->thread_count || choice->has_range || choice->least_ns || choice->condition;
	view->totals.libraries = choice->libraries;
	view->totals.counted_functions = choice->functions;
	view_gather(view, &sink);
	if (waker_functions_read(&view->waits->wakers, choice, 0))
		view_no_memory();
	status = walk_trace(choice, &sink);
	if (view->error)
		return SPOOR_EXIT_BAD_TRACE;
	if (view->written && !view->served && !named)
		message_note("%s: open this file in a browser", view->path);
	return status;
}

int view_main(int argc, char **argv)
{
	struct view_served served = { .server = { .fd = -1 } };
	struct view_waits waits = { 0 };
	struct view view = { .max_bytes = PAGE_DEFAULT_BYTES, .waits = &waits };
	struct walk_choice choice;
	int status;

	walk_choice_begin(&choice);
	status = parse(&view, &served, &choice, argc, argv);
	if (!status)
		status = walk_choice_needs_order(&choice);
	if (!status)
		status = gather(&view, &choice);
	view_free(&view);
	view_waits_free(&waits);
	if (view.written && view.served && view_served_run(&served) != SPOOR_EXIT_GOOD)
		status = SPOOR_EXIT_BAD_TRACE;
	view_served_free(&served);
	walk_choice_end(&choice);
	return status;
}
