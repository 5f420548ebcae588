/* SPDX-License-Identifier: MIT */
/* view.c - spoor view: a trace as one page that a browser opens by itself. */
#include "view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "message.h"

#define PAGE_DEFAULT_PATH "view.html"
#define PAGE_DEFAULT_BYTES 50000000u
#define PAGE_LEAST_BYTES 1000000u

static const char help[] =
	"Usage: spoor view [OPTION]... [TRACE]...\n"
	"Write a trace (default: " TRACE_DEFAULT_PATH ") as one page for a browser: a timeline, a flame\n"
	"graph and a table of functions, of the whole or of any range of time.\n"
	"\n"
	"  -o, --output FILE     into FILE (default: " PAGE_DEFAULT_PATH ")\n"
	"      --max-size SIZE   let it have SIZE bytes at most (default: 50M); what is then\n"
	"                        too short to be kept apart is shown in runs of calls\n"
	"      --title TEXT      over the page\n"
	WALK_HELP
	"      --help            show this and exit\n"
	"\n"
	"The exit status is 0, 1 where the trace is damaged or cannot be read or written,\n"
	"2 for a wrong command line.\n";

/* "50M", "1G" and the like, powers of 1,000. */
static int parse_size(struct view *view, const char *argument)
{
	static const char units[] = "kMG";
	unsigned long long size;
	const char *unit;
	char *end;

	errno = 0;
	size = strtoull(argument, &end, 10);
	if (errno || end == argument || *argument == '-')
		return message_usage("--max-size: '%s' is no size", argument);
	unit = *end ? strchr(units, *end) : NULL;
	for (const char *at = units; unit && at <= unit; at++)
		if (__builtin_mul_overflow(size, 1000ull, &size))
			return message_usage("--max-size: '%s' is too large", argument);
	if (*end && (!unit || (end[1] && strcmp(end + 1, "B") != 0)))
		return message_usage("--max-size: '%s' is no size: a number, and k, M or G", argument);
	if (size < PAGE_LEAST_BYTES || size > SIZE_MAX / 8)
		return message_usage("--max-size: it must be 1M at least, and can be %zuG at most", SIZE_MAX / 8 / 1000000000);
	view->max_bytes = size;
	return 0;
}

static int parse(struct view *view, struct walk_choice *choice, int argc, char **argv)
{
	enum { MAX_SIZE = WALK_OWN, TITLE };
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "max-size", required_argument, NULL, MAX_SIZE },
		{ "title", required_argument, NULL, TITLE },
		{ "help", no_argument, NULL, 'h' },
		WALK_LONG_OPTIONS,
		{ 0 },
	};
	int option, status = 0;

	while (!status && (option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
		switch (option) {
		case 'o':
			view->path = optarg;
			break;
		case MAX_SIZE:
			status = parse_size(view, optarg);
			break;
		case TITLE:
			view->title = optarg;
			break;
		case 'h':
			fputs(help, stdout);
			exit(SPOOR_EXIT_GOOD);
		default:
			status = walk_choice_option(choice, option, optarg);
		}
	}
	return status ? status : walk_choice_arguments(choice, argc - optind, argv + optind);
}

int view_main(int argc, char **argv)
{
	struct view view = { .max_bytes = PAGE_DEFAULT_BYTES };
	struct walk_choice choice;
	struct walk_sink sink;
	int status;

	walk_choice_begin(&choice);
	status = parse(&view, &choice, argc, argv);
	if (!status) {
		bool named = view.path;

		if (!named)
			view.path = PAGE_DEFAULT_PATH;
		if (!view.title)
			view.title = choice.trace_path;
		view.totals.counts_unfit = choice.thread_count || choice.has_range || choice.least_ns;
		view.totals.libraries = choice.libraries;
		view_gather(&view, &sink);
		status = walk_trace(&choice, &sink);
		if (view.error)
			status = SPOOR_EXIT_BAD_TRACE;
		else if (view.written && !named)
			message("%s: open it in a browser", view.path);
	}
	view_free(&view);
	walk_choice_end(&choice);
	return status;
}
