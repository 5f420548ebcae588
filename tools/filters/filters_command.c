/* SPDX-License-Identifier: MIT */
/* filters_command.c - spoor filters: parses the command line and runs --explain or --suggest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/commands.h"
#include "filters/filters_command.h"
#include "base/fitted.h"
#include "base/message.h"
#include "base/command_options.h"
#include "base/number_text.h"

struct filters_walk {
	struct totals *totals;
	void (*done)(void *context);
	void *context;
	const struct walk *walk;
};

static void trace_begin(void *context, struct walk *walk)
{
	((struct filters_walk *)context)->walk = walk;
}

static int process_begin(void *context, struct process *process, struct functions *functions)
{
	struct filters_walk *walk = context;

	return totals_process_begin(walk->totals, process, functions);
}

static int process_end(void *context)
{
	struct filters_walk *walk = context;

	totals_process_end(walk->totals);
	return 0;
}

static int trace_end(void *context)
{
	struct filters_walk *walk = context;

		/* Skip a damaged trace without a readable call. */
	if (!walk->walk->damaged || walk->totals->table.row_count)
		walk->done(walk->context);
	return 0;
}

int filters_walk(const struct filters_command *command, struct totals *totals, void (*done)(void *context), void *context)
{
	struct filters_walk walk = { totals, done, context, NULL };
	const struct walk_sink sink = {
		.context = &walk,
		.takes_counts = true,
		.trace_begin = trace_begin,
		.process_begin = process_begin,
		.process_end = process_end,
		.trace_end = trace_end,
		.calls = totals_calls(totals),
	};
	struct walk_choice choice;
	int status;

	walk_choice_begin(&choice);
	choice.trace_path = command->trace_path;
	status = walk_trace(&choice, &sink);
	walk_choice_end(&choice);
	return status;
}

uint64_t filters_calls(const struct report_row *row)
{
	return row->statistics.calls + row->statistics.counted;
}

static const char help[] =
	"Usage: spoor filters --explain RULES [OPTION]... SYMBOLS...\n"
	"       spoor filters --suggest [OPTION]... [TRACE]\n"
	"Show which rule of a filters file decides on each function, and what it removes; or\n"
	"write rules for the functions of a trace (default: " TRACE_DEFAULT_PATH ") whose recording costs\n"
	"more than it shows.\n"
	"\n"
	"      --explain RULES   explain a filters file for spoor_opt or the plugin. SYMBOLS are\n"
	"                        symbols files, programs, libraries, objects and archives\n"
	"      --trace TRACE     show how many events of TRACE each rule removes\n"
	"      --format FORMAT   with --explain: text (default) or csv\n"
	"      --suggest         write rules, in the form of a filters file\n"
	"  -n, --limit N         write at most N rules (default 50)\n"
	"  -o, --output FILE     write to FILE (default: stdout)\n"
	SYMBOL_HELP
	"  -q, --quiet           print only warnings and errors\n"
	"      --help            show this and exit\n"
	"\n"
	"The exit status is 0 for success, 1 for a file that is damaged, unreadable or cannot be\n"
	"written, and 2 for a wrong command line. spoor-filters(1) explains the rules.\n";

static int parse_limit(struct filters_command *command, const char *argument)
{
	if (!number_text_count(argument, 0, SIZE_MAX, &command->limit))
		return message_usage("--limit: '%s' is not a number of rules: use a number such as 20 or 1k", argument);
	return 0;
}

/* Rejects options that exclude each other, and takes the arguments. Returns 0, or SPOOR_EXIT_USAGE. */
static int check_options(struct filters_command *command, bool suggest, int count, char **arguments)
{
	if (!command->rules_path == !suggest)
		return message_usage("use either --explain RULES or --suggest");
	if (suggest) {
		if (command->csv || command->trace_path)
			return message_usage("--format and --trace require --explain");
		if (count > 1)
			return message_usage("unexpected argument '%s': --suggest takes one trace", arguments[1]);
		command->trace_path = count ? arguments[0] : TRACE_DEFAULT_PATH;
		return 0;
	}
	if (!count)
		return message_usage("--explain: no symbols: name a symbols file, program, library, object or "
				     "archive");
	command->symbol_paths = arguments;
	command->symbol_path_count = count;
	return 0;
}

static int parse(struct filters_command *command, int argc, char **argv)
{
	enum { EXPLAIN = 0x100, SUGGEST, TRACE, FORMAT };
	static const struct option options[] = {
		{ "explain", required_argument, NULL, EXPLAIN },
		{ "suggest", no_argument, NULL, SUGGEST },
		{ "trace", required_argument, NULL, TRACE },
		{ "format", required_argument, NULL, FORMAT },
		{ "limit", required_argument, NULL, 'n' },
		{ "output", required_argument, NULL, 'o' },
		SYMBOL_LONG_OPTIONS,
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	bool suggest = false;
	int option, status = 0;

	while (!status && (option = options_next(argc, argv, "n:o:", options)) != -1) {
		switch (option) {
		case EXPLAIN:
			status = message_take_name("--explain", optarg, &command->rules_path);
			break;
		case SUGGEST:
			suggest = true;
			break;
		case TRACE:
			status = message_take_name("--trace", optarg, &command->trace_path);
			break;
		case FORMAT:
			command->csv = strcmp(optarg, "csv") == 0;
			if (!command->csv && strcmp(optarg, "text") != 0)
				status = message_usage("unknown format '%s': use text or csv", optarg);
			break;
		case 'n':
			status = parse_limit(command, optarg);
			break;
		case 'o':
			status = message_take_name("--output", optarg, &command->output_path);
			break;
		case 'h':
			fitted_help(help);
			exit(SPOOR_EXIT_GOOD);
		default:
			status = symbol_option_is(option) ? symbol_option_take(option, optarg) : message_usage(NULL);
		}
	}
	return status ? status : check_options(command, suggest, argc - optind, argv + optind);
}

int filters_main(int argc, char **argv)
{
	struct filters_command command = { .limit = 50 };
	int status = parse(&command, argc, argv), error;

	if (status)
		return status;
	error = output_begin(&command.out, command.output_path);
	if (!error) {
		status = command.rules_path ? filters_explain(&command) : filters_suggest(&command);
		error = output_end_with(&command.out, status);
	}
	if (error) {
		message("%s: cannot write: %s", command.output_path ? command.output_path : "stdout",
			strerror(-error));
		status = SPOOR_EXIT_BAD_TRACE;
	}
	return status;
}
