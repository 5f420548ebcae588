/* SPDX-License-Identifier: MIT */
/*
 * flame.c - spoor flame: shows where time is spent, as a flame graph or as folded stacks.
 *
 * The value of a call path is its self time, a part of it, or its number of calls. No time is counted
 * twice: the sum of all values is the time in which any call was open.
 */
#include "flame/flame.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/commands.h"
#include "base/fitted.h"
#include "base/message.h"
#include "base/command_options.h"
#include "walk/stacks/folded_stacks.h"

/* Chromium needs 30 s and 1.8 GB for a picture of 45 MB with 180,000 frames. */
#define BROWSER_HOLDS_MB 20

static const char help[] =
	"Usage: spoor flame [OPTION]... [TRACE]...\n"
	"Show where time is spent in a trace (default: " TRACE_DEFAULT_PATH "), as a flame graph.\n"
	"\n"
	"  -o, --output FILE     write to FILE (default: flame.svg; folded: stdout)\n"
	"      --format FORMAT   svg (default): an interactive picture for a browser;\n"
	"                        folded: one line for each call path, for other programs\n"
	"      --by VALUE        show time (default) or calls; if the trace says when threads\n"
	"                        ran, also cpu, wait (an off-CPU flame graph) or preempted\n"
	"                        (cpu also for functions whose processor time is recorded)\n"
	"      --diff TRACE      compare with this earlier trace: red is more, blue is less\n"
	"      --threads         show the paths of each thread below its name\n"
	"      --upward          draw the first callers at the bottom\n"
	"      --title TEXT      show TEXT above the picture\n"
	WALK_HELP
	"      --help            show this and exit\n"
	"\n"
	"The exit status is 0 for success, 1 for a trace that is damaged or unreadable or an\n"
	"output that cannot be written, and 2 for a wrong command line.\n";

struct request {
	struct walk_choice choice;
	const char *output_path, *before_path;	/* NULL: the default, and no comparison */
	bool folded;
};

/* Parses one of two words. Returns 0, or SPOOR_EXIT_USAGE after a message. */
static int parse_word(const char *argument, const char *no, const char *yes, const char *what, bool *value)
{
	*value = strcmp(argument, yes) == 0;
	if (!*value && strcmp(argument, no) != 0)
		return message_usage("unknown %s '%s': use %s or %s", what, argument, no, yes);
	return 0;
}

static int parse_value(struct flame *flame, const char *argument)
{
	static const char *const times[] = {
		[STACKS_WALL] = "time", [STACKS_CPU] = "cpu", [STACKS_WAIT] = "wait", [STACKS_PREEMPTED] = "preempted",
	};

	flame->by_calls = strcmp(argument, "calls") == 0;
	for (size_t i = 0; i < sizeof(times) / sizeof(*times) && !flame->by_calls; i++) {
		if (strcmp(argument, times[i]) != 0)
			continue;
		flame->stacks.time = (enum stacks_time)i;
		return 0;
	}
	return flame->by_calls ? 0 : message_usage("unknown value '%s': use time, calls, cpu, wait or preempted", argument);
}

static int parse(struct flame *flame, struct request *request, int argc, char **argv)
{
	enum { FORMAT = WALK_OWN, BY, DIFF, THREADS, UPWARD, TITLE };
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "format", required_argument, NULL, FORMAT },
		{ "by", required_argument, NULL, BY },
		{ "diff", required_argument, NULL, DIFF },
		{ "threads", no_argument, NULL, THREADS },
		{ "upward", no_argument, NULL, UPWARD },
		{ "title", required_argument, NULL, TITLE },
		{ "help", no_argument, NULL, 'h' },
		WALK_LONG_OPTIONS,
		{ 0 },
	};
	int option, status = 0;

	while (!status && (option = options_next(argc, argv, "o:" WALK_LETTERS, options)) != -1) {
		switch (option) {
		case 'o':
			status = message_take_name("--output", optarg, &request->output_path);
			break;
		case FORMAT:
			status = parse_word(optarg, "svg", "folded", "format", &request->folded);
			break;
		case BY:
			status = parse_value(flame, optarg);
			break;
		case DIFF:
			status = message_take_name("--diff", optarg, &request->before_path);
			break;
		case THREADS:
			flame->stacks.by_thread = true;
			break;
		case UPWARD:
			flame->upward = true;
			break;
		case TITLE:
			flame->title = optarg;
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

/*
 * Computes the own and total value of each node of flame->stacks from the values of @stacks.
 * @at: the node of flame->stacks for each node of @stacks; NULL: the trees are the same
 * @own, @total: set to arrays by node, which the caller frees, also after an error
 *
 * Returns 0, or -ENOMEM.
 */
static int sum_nodes(const struct flame *flame, const struct stacks *stacks, const uint32_t *at, uint64_t **own,
		  uint64_t **total)
{
	uint32_t count = flame->stacks.count;

	*own = calloc(count, sizeof(**own));
	*total = calloc(count, sizeof(**total));
	if (!*own || !*total)
		return -ENOMEM;
	for (uint32_t i = 1; i < stacks->count; i++)
		(*own)[at ? at[i] : i] = flame->by_calls ? stacks->nodes[i].calls : stacks->nodes[i].self_ns;
	for (uint32_t i = count - 1; i > 0; i--) {
		(*total)[i] += (*own)[i];
		(*total)[flame->stacks.nodes[i].parent] += (*total)[i];
	}
	return 0;
}

/* Returns an enum spoor_exit. */
static int read_traces(struct flame *flame, struct request *request)
{
	struct stacks before = {
		.by_thread = flame->stacks.by_thread, .short_names = flame->stacks.short_names, .time = flame->stacks.time,
	};
	int status = stacks_read(&flame->stacks, &request->choice), other = SPOOR_EXIT_GOOD, error = 0;
	uint32_t *at = NULL;

	if (request->before_path) {
		request->choice.trace_path = request->before_path;
		request->choice.trace_paths = NULL;
		other = stacks_read(&before, &request->choice);
		/* Without a readable call before, there is no difference to show. */
		if (other && before.count == 1)
			goto free;
		at = stacks_match(&flame->stacks, &before);
		error = sum_nodes(flame, &before, at, &flame->own_before, &flame->total_before);
	}
	if (flame->stacks.threads_unknown || before.threads_unknown)
		message("the trace does not say when %" PRIu64 " threads ran and waited, so they are left out: record it with --sched",
			flame->stacks.threads_unknown + before.threads_unknown);
	if (flame->stacks.cpu_times_missing || before.cpu_times_missing)
		message("calls without a processor time at their exit, which are left out: %" PRIu64
			"; compile with -fno-optimize-sibling-calls",
			flame->stacks.cpu_times_missing + before.cpu_times_missing);
	if (!error)
		error = sum_nodes(flame, &flame->stacks, NULL, &flame->own, &flame->total);
	if (error)
		message("out of memory for the call paths");
free:
	stacks_free(&before);
	free(at);
	return error ? SPOOR_EXIT_BAD_TRACE : status ? status : other;
}

static int write_flame_graph(struct flame *flame, const struct request *request)
{
	const char *path = request->output_path;
	int error;

	if (!path && !request->folded)
		path = "flame.svg";
	error = output_begin(&flame->out, path);
	if (!error && request->folded)
		stacks_write_folded(&flame->out, &flame->stacks, flame->own, flame->own_before);
	else if (!error)
		flame_svg(flame);
	if (!error)
		error = output_end(&flame->out);
	if (error) {
		message("%s: cannot write: %s", path ? path : "stdout", strerror(-error));
		return SPOOR_EXIT_BAD_TRACE;
	}
	if (!request->output_path && !request->folded)
		message_note("%s: open this file in a browser", path);
	if (!request->folded)
		output_warn_if_large(&flame->out, path, "a browser", BROWSER_HOLDS_MB,
				 "'spoor graph', which shows each function once");
	return SPOOR_EXIT_GOOD;
}

int flame_main(int argc, char **argv)
{
	struct flame flame = { 0 };
	struct request request = { 0 };
	int status;

	walk_choice_begin(&request.choice);
	status = parse(&flame, &request, argc, argv);
	if (!status) {
		if (!flame.title)
			flame.title = request.choice.trace_path;
		flame.stacks.short_names = !request.folded;
		status = read_traces(&flame, &request);
		/* Shows the readable part of a damaged trace. */
		if (flame.total && (flame.total[0] || status == SPOOR_EXIT_GOOD)) {
			int written = write_flame_graph(&flame, &request);

			status = status ? status : written;
		}
	}
	free(flame.own);
	free(flame.total);
	free(flame.own_before);
	free(flame.total_before);
	stacks_free(&flame.stacks);
	walk_choice_end(&request.choice);
	return status;
}
