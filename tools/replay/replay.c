/* SPDX-License-Identifier: MIT */
/* replay.c - spoor replay: shows the calls of a trace as an indented tree. */
#include "replay/replay.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/commands.h"
#include "base/fitted.h"
#include "base/message.h"
#include "base/command_options.h"
#include "base/number_text.h"
#include "walk/pattern_options.h"
#include "base/terminal.h"
#include "base/time_text.h"

static int process_begin(void *context, struct process *process, struct functions *functions)
{
	struct replay *replay = context;

	replay->process.process = process;
	replay->process.texts = (struct replay_texts){
		.functions = functions, .patterns = replay->patterns, .colored = replay->lines.colored,
	};
	replay_process_heading(replay, process);
	return replay->out.error;
}

static int process_end(void *context)
{
	struct replay *replay = context;

	formatting_finish(&replay->formatting);
	replay_texts_free(&replay->process.texts);
	return replay->out.error;
}

static int thread_begin(void *context, const struct thread_slices *slices)
{
	struct replay *replay = context;

	replay_thread_begin(replay, &replay->own, &replay->process, slices);
	return replay->out.error;
}

static int thread_end(void *context, const struct call_tree *tree)
{
	struct replay *replay = context;

	(void)tree;
	replay_triggers(replay, UINT64_MAX);
	replay_waits_end(&replay->own);
	return replay->out.error;
}

/* Shows one thread after the other. */
static int replay_threads(struct replay *replay)
{
	const struct walk_sink sink = {
		.context = replay,
		.trace_begin = replay_trace_begin,
		.process_begin = process_begin,
		.process_end = process_end,
		.thread_begin = thread_begin,
		.thread_end = thread_end,
		.calls = { .context = replay, .enter = replay_enter, .leave = replay_leave, .other = replay_other,
			   .stop = replay_stop },
	};
	int status;

	replay_formatting_begin(replay);
	status = walk_trace(&replay->choice, &sink);
	formatting_end(&replay->formatting);
	replay_waits_end(&replay->own);
	/* A walk that ends early does not call process_end. */
	replay_texts_free(&replay->process.texts);
	return status;
}

static const char help[] =
	"Usage: spoor replay [OPTION]... [TRACE]...\n"
	"Show the calls of each thread of a trace (default: " TRACE_DEFAULT_PATH ") as a tree.\n"
	"\n"
	"      --merge           show all threads in one tree, by time\n"
	"      --slowest N       show the N longest calls, each with the calls below it;\n"
	"                        with -f: only calls of these functions\n"
	"  -d, --depth N         show at most N levels of calls\n"
	"  -t, --timestamps      show when each call began or ended, in microseconds since the\n"
	"                        trace began\n"
	"      --waits[=LEAST]   show where a thread waited or was preempted, for at least LEAST,\n"
	"                        such as 20us, if the trace says when threads ran\n"
	"      --syscalls[=LEAST]\n"
	"                        show each system call of at least LEAST, if the trace has them\n"
	"      --color WHEN      auto (default: on a terminal), always or never\n"
	"      --no-pager        on a terminal: do not start $SPOOR_PAGER, $PAGER or less\n"
	WALK_HELP
	"      --help            show this and exit\n"
	"\n"
	"The exit status is 0 for success, 1 for a damaged or unreadable trace, and 2 for a\n"
	"wrong command line. spoor-replay(1) describes the output.\n";

struct request {
	enum terminal_when color;
	bool no_pager;
};

/* Parses a number from 1 to @most; @what names it in the message. Returns 0, or SPOOR_EXIT_USAGE. */
static int parse_number(const char *argument, const char *what, unsigned long most, unsigned long *number)
{
	if (!number_text_count(argument, 1, most, number))
		return message_usage("'%s' is not a %s: use a number from 1", argument, what);
	return 0;
}

static int parse(struct replay *replay, struct request *request, int argc, char **argv)
{
	enum { MERGE = WALK_OWN, SLOWEST, WAITS, SYSCALLS, COLOR, NO_PAGER };
	static const struct option options[] = {
		{ "merge", no_argument, NULL, MERGE },
		{ "slowest", required_argument, NULL, SLOWEST },
		{ "depth", required_argument, NULL, 'd' },
		{ "timestamps", no_argument, NULL, 't' },
		{ "waits", optional_argument, NULL, WAITS },
		{ "syscalls", optional_argument, NULL, SYSCALLS },
		{ "color", required_argument, NULL, COLOR },
		{ "no-pager", no_argument, NULL, NO_PAGER },
		{ "help", no_argument, NULL, 'h' },
		WALK_LONG_OPTIONS,
		{ 0 },
	};
	int option, status = 0;
	unsigned long number;

	while (!status && (option = options_next(argc, argv, "d:t" WALK_LETTERS, options)) != -1) {
		switch (option) {
		case MERGE:
			replay->merged = true;
			break;
		case SLOWEST:
			status = parse_number(optarg, "number of calls", UINT32_MAX, &number);
			replay->slowest = (uint32_t)number;
			break;
		case 'd':
			status = parse_number(optarg, "depth", ULONG_MAX, &number);
			replay->depth_limit = number;
			break;
		case 't':
			replay->lines.with_time = true;
			break;
		case WAITS:
			replay->shows_waits = true;
			if (optarg && time_text_parse(optarg, &replay->least_wait_ns))
				status = message_usage("--waits: '%s' is not a time: use a time such as '20us'", optarg);
			break;
		case SYSCALLS:
			replay->shows_calls = true;
			if (optarg && time_text_parse(optarg, &replay->least_call_ns))
				status = message_usage("--syscalls: '%s' is not a time: use a time such as '20us'", optarg);
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
			status = walk_choice_option(&replay->choice, option, optarg);
		}
	}
	if (!status && replay->merged)
		status = walk_choice_needs_order(&replay->choice);
	if (!status && replay->merged && replay->slowest)
		status = message_usage("--slowest and --merge exclude each other");
	return status ? status : walk_choice_arguments(&replay->choice, argc - optind, argv + optind);
}

int replay_main(int argc, char **argv)
{
	struct replay replay = { .depth_limit = SIZE_MAX };
	struct request request = { 0 };
	int status, error, paged;

	replay.lines.out = &replay.out;
	walk_choice_begin(&replay.choice);
	status = parse(&replay, &request, argc, argv);
	if (!status) {
		replay.patterns = replay.choice.functions;
		replay.from_roots = replay.patterns || replay.slowest;
		replay.heading_due = replay.merged;
		replay.lines.colored = terminal_has_colors(request.color, STDOUT_FILENO);
		if (!request.no_pager)
			terminal_pager_begin();
		error = output_begin(&replay.out, NULL);
		if (!error)
			replay_wakers_begin(&replay);
		if (!error)
			status = (replay.slowest ? replay_slowest : replay.merged ? replay_merged : replay_threads)(&replay);
		if (!error)
			error = output_end(&replay.out);
		paged = terminal_pager_end();
		if (error) {
			message("cannot write: %s", strerror(-error));
			status = SPOOR_EXIT_BAD_TRACE;
		}
		status = status ? status : paged;
	}
	waker_functions_free(&replay.wakers);
	walk_choice_end(&replay.choice);
	return status;
}
