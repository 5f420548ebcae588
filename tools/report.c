/* SPDX-License-Identifier: MIT */
/*
 * report.c - spoor report: calls and times of each function.
 *
 * What the columns mean
 *   calls  entries, and what was counted in mode 'count', which has no times.
 *          What was open before it could be recorded has no entry: its time is that
 *          since then, and counts as total and self
 *   total  time in the function and all that it called. A call within a call of
 *          the same function on the same thread adds nothing: its time is the
 *          outer one's.
 *   self   total without what it called: over all functions of a thread it adds
 *          up to the time in which anything was open
 *   avg, min, max  of the durations of single calls, inner ones too
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "message.h"
#include "patterns.h"
#include "report_losses.h"
#include "totals.h"

struct report {
	struct output out;
	struct totals totals;
	struct report_losses losses;
	struct walk_choice choice;
};

static int report_process_begin(void *context, struct process *process, struct functions *functions)
{
	struct report *report = context;

	report_losses_add(&report->losses, process);
	totals_process_begin(&report->totals, process, functions);
	return 0;
}

static int report_process_end(void *context)
{
	struct report *report = context;

	totals_process_end(&report->totals);
	return 0;
}

static int report_thread_end(void *context, const struct call_tree *tree)
{
	struct report *report = context;

	totals_thread_end(&report->totals, tree);
	return 0;
}

static int report_trace_end(void *context)
{
	struct report *report = context;

	report_table_write(&report->totals.table, &report->out);
	if (!report->totals.table.csv)
		report_losses_write(&report->losses, &report->out);
	return report->out.error;
}

static const char help[] =
	"Usage: spoor report [OPTION]... [TRACE]\n"
	"Show calls and times of each function of a trace (default: " TRACE_DEFAULT_PATH ").\n"
	"\n"
	"  -s, --sort KEY        total (default), self, calls, avg, min, max, function, library\n"
	"  -f, --function PATTERNS\n"
	"                        only rows of these functions\n"
	"  -n, --limit N         N rows and no more\n"
	"      --format FORMAT   text (default) or csv: nanoseconds, RFC 4180\n"
	WALK_HELP
	"      --help            show this and exit\n"
	"\n"
	"The exit status is 0, 1 where the trace is damaged or cannot be read, 2 for a\n"
	"wrong command line. spoor-report(1) says what the columns mean.\n";

static int parse_sort(struct report *report, const char *argument)
{
	static const char *const keys[] = { "total", "self", "calls", "avg", "min", "max", "function", "library" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (strcmp(argument, keys[i]) == 0) {
			report->totals.table.sort = (enum report_sort)i;
			return 0;
		}
	}
	return message_usage("cannot sort by '%s'", argument);
}

static int parse(struct report *report, int argc, char **argv)
{
	enum { FORMAT = WALK_OWN };
	static const struct option options[] = {
		{ "sort", required_argument, NULL, 's' },
		{ "function", required_argument, NULL, 'f' },
		{ "limit", required_argument, NULL, 'n' },
		{ "format", required_argument, NULL, FORMAT },
		{ "help", no_argument, NULL, 'h' },
		WALK_LONG_OPTIONS,
		{ 0 },
	};
	int option, status = 0;
	char *end;

	while (!status && (option = getopt_long(argc, argv, "s:f:n:", options, NULL)) != -1) {
		switch (option) {
		case 's':
			status = parse_sort(report, optarg);
			break;
		case 'f':
			report->totals.patterns = optarg;
			status = patterns_check(optarg);
			break;
		case 'n':
			errno = 0;
			report->totals.table.limit = strtoul(optarg, &end, 10);
			if (errno || end == optarg || *end || *optarg == '-')
				status = message_usage("'%s' is no number of rows", optarg);
			break;
		case FORMAT:
			report->totals.table.csv = strcmp(optarg, "csv") == 0;
			if (!report->totals.table.csv && strcmp(optarg, "text") != 0)
				status = message_usage("there is no format '%s': text and csv are", optarg);
			break;
		case 'h':
			fputs(help, stdout);
			exit(SPOOR_EXIT_GOOD);
		default:
			status = walk_choice_option(&report->choice, option, optarg);
		}
	}
	return status ? status : walk_choice_arguments(&report->choice, argc - optind, argv + optind);
}

int report_main(int argc, char **argv)
{
	struct report report = { .totals.table.limit = SIZE_MAX };
	const struct walk_sink sink = {
		.context = &report,
		.takes_counts = true,
		.process_begin = report_process_begin,
		.process_end = report_process_end,
		.thread_end = report_thread_end,
		.trace_end = report_trace_end,
		.calls = { .context = &report.totals, .enter = totals_enter, .leave = totals_leave },
	};
	int status, error;

	walk_choice_begin(&report.choice);
	status = parse(&report, argc, argv);
	if (!status) {
		report.totals.counts_unfit = report.choice.thread_count || report.choice.has_range || report.choice.least_ns;
		report.totals.libraries = report.choice.libraries;
		error = output_begin(&report.out, NULL);
		if (!error)
			status = walk_trace(&report.choice, &sink);
		if (!error)
			error = output_end(&report.out);
		if (error) {
			message("cannot write: %s", strerror(-error));
			status = SPOOR_EXIT_BAD_TRACE;
		}
	}
	totals_free(&report.totals);
	walk_choice_end(&report.choice);
	return status;
}
