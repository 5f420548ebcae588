/* SPDX-License-Identifier: MIT */
/* view.c - spoor view: a trace as one page that a browser opens by itself. */
#include "view/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/commands.h"
#include "base/message.h"
#include "view/serve.h"

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
	"      --serve           write no file: let a browser of this machine fetch what it shows,\n"
	"                        each call to the nanosecond however many there are; ends when\n"
	"                        it is interrupted\n"
	"      --port N          with --serve, at this port (default: any that is free)\n"
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

/* A file has a size and a name, what is served a port. */
static int check(const struct view *view, const char *of_file, bool has_port)
{
	if (view->served && of_file)
		return message_usage("%s is of a file, and --serve writes none", of_file);
	if (!view->served && has_port)
		return message_usage("--port is for --serve alone");
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

	while (!status && (option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
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
			fputs(help, stdout);
			exit(SPOOR_EXIT_GOOD);
		default:
			status = walk_choice_option(choice, option, optarg);
		}
	}
	if (!status)
		status = check(view, of_file, served->port != NULL);
	return status ? status : walk_choice_arguments(choice, argc - optind, argv + optind);
}

/* Return: an enum spoor_exit. */
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
	view->totals.counts_unfit = choice->thread_count || choice->has_range || choice->least_ns;
	view->totals.libraries = choice->libraries;
	view_gather(view, &sink);
	status = walk_trace(choice, &sink);
	if (view->error)
		return SPOOR_EXIT_BAD_TRACE;
	if (view->written && !view->served && !named)
		message("%s: open it in a browser", view->path);
	return status;
}

int view_main(int argc, char **argv)
{
	struct view_served served = { .server = { .fd = -1 } };
	struct view view = { .max_bytes = PAGE_DEFAULT_BYTES };
	struct walk_choice choice;
	int status;

	walk_choice_begin(&choice);
	status = parse(&view, &served, &choice, argc, argv);
	if (!status)
		status = gather(&view, &choice);
	view_free(&view);
	if (view.written && view.served && view_served_run(&served) != SPOOR_EXIT_GOOD)
		status = SPOOR_EXIT_BAD_TRACE;
	view_served_free(&served);
	walk_choice_end(&choice);
	return status;
}
