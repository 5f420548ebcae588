/* SPDX-License-Identifier: MIT */
/*
 * replay.c - spoor replay: the calls of each thread as an indented tree.
 *
 * A call without calls below it takes one line, another one two. Whatever is
 * no call stands behind a '#'. About 30 ns a line.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "message.h"
#include "output.h"
#include "patterns.h"
#include "reader/functions.h"
#include "reader/user_events.h"
#include "replay_line.h"
#include "walk.h"

struct function_text {
	char *text;		/* "foo() libfoo.so" */
	uint32_t name_length;
	uint32_t length;
	bool matches;		/* --function */
};

struct replay {
	struct output out;
	struct replay_lines lines;
	struct walk_choice choice;
	size_t depth_limit;
	const char *patterns;

	struct process *process;
	struct functions *functions;
	struct function_text *texts;	/* by function number */
	uint32_t text_count;

	uint32_t serial;		/* the thread's */
	size_t trigger;			/* the process's next one */

	bool pending;			/* an entry whose line is not written yet */
	bool pending_root;
	size_t pending_depth;
	uint32_t pending_function;
	uint64_t pending_ns;
	size_t root_depth;		/* of the chosen call that we are in; SIZE_MAX: in none */
};

static const struct function_text *function_text(struct replay *replay, uint32_t number)
{
	struct function_text *text;

	if (number >= replay->text_count) {
		uint32_t count = number < 128 ? 256 : 2 * number;
		struct function_text *texts = reallocarray(replay->texts, count, sizeof(*texts));

		if (!texts) {
			message("no memory for the names of functions");
			exit(SPOOR_EXIT_BAD_TRACE);
		}
		memset(texts + replay->text_count, 0, (count - replay->text_count) * sizeof(*texts));
		replay->texts = texts;
		replay->text_count = count;
	}
	text = &replay->texts[number];
	if (!text->text) {
		const char *name = function_name(replay->functions, number);
		const char *library = function_library(replay->functions, number);
		/* Names of C and Rust have no parameters. */
		/* Not after Objective-C's "-[Shape area]" either. */
		bool add = !strchr(name, '(') && strncmp(name, "-[", 2) != 0 && strncmp(name, "+[", 2) != 0 &&
			   function_has_name(replay->functions, number);
		size_t room = strlen(name) + strlen(library) + 8 + REPLAY_PIECE;

		text->text = malloc(room);
		if (!text->text) {
			message("no memory for the names of functions");
			exit(SPOOR_EXIT_BAD_TRACE);
		}
		text->length = (uint32_t)snprintf(text->text, room, "%s%s %s", name, add ? "()" : "", library);
		text->name_length = (uint32_t)(strlen(name) + (add ? 2 : 0));
		text->matches = !replay->patterns || function_matches(replay->functions, number, replay->patterns);
	}
	return text;
}

static void write_pending(struct replay *replay)
{
	const struct function_text *text = function_text(replay, replay->pending_function);
	size_t bytes = replay_text_bytes(text->length);
	char *at = replay_line_begin(&replay->lines, replay->pending_ns, false, 0, replay->pending_depth, bytes);

	replay->pending = false;
	at = replay_put_text(at, text->text, bytes);
	memcpy(at, " {", 2);
	at += 2;
	if (replay->pending_root)
		at = replay_put_root(at);
	replay_line_end(&replay->lines, at);
}

/* The marks of triggers that were noticed in this thread up to @time_ns. */
static void write_triggers(struct replay *replay, uint64_t time_ns, size_t depth)
{
	for (; replay->trigger < replay->process->trigger_count; replay->trigger++) {
		const struct noticed_call *call = &replay->process->triggers[replay->trigger];
		uint32_t number = functions_number(replay->functions, call->record.index, call->record.began);
		const struct function_text *text = function_text(replay, number);
		uint64_t noticed_ns = clock_ns(&replay->process->clock, call->record.noticed);
		char limit[OUTPUT_DURATION_MAX + 1], *at;

		if (call->record.thread_serial != replay->serial)
			continue;
		if (noticed_ns > time_ns)
			return;
		if (replay->root_depth == SIZE_MAX && replay->patterns)
			continue;
		if (replay->pending)
			write_pending(replay);
		if (depth > replay->depth_limit)
			depth = replay->depth_limit;
		*output_duration_at(limit, call->record.limit_ns) = '\0';
		at = replay_line_begin(&replay->lines, noticed_ns, false, 0, depth, text->name_length + 100);
		at = replay_put_string(at, "# trigger: ");
		at = replay_put_text(at, text->text, replay_text_bytes(text->name_length));
		at = replay_put_string(at, call->record.ended ? " took longer than " : " is taking longer than ");
		at = replay_put_string(at, limit + strspn(limit, " "));
		replay_line_end(&replay->lines, at);
	}
}

/* Whether there are any left to be told of. */
static inline bool has_triggers(const struct replay *replay)
{
	return __builtin_expect(replay->trigger < replay->process->trigger_count, 0);
}

static size_t shown_depth(const struct replay *replay, size_t depth)
{
	return replay->root_depth == SIZE_MAX ? 0 : depth - replay->root_depth;
}

static void replay_enter(void *context, const struct call *call, size_t depth)
{
	struct replay *replay = context;

	if (has_triggers(replay))
		write_triggers(replay, call->begin_ns, shown_depth(replay, depth));
	if (replay->root_depth == SIZE_MAX) {
		if (!function_text(replay, call->function)->matches)
			return;
		replay->root_depth = depth;
	}
	depth -= replay->root_depth;
	if (depth >= replay->depth_limit)
		return;
	if (replay->pending)
		write_pending(replay);
	replay->pending = true;
	replay->pending_root = call->root;
	replay->pending_depth = depth;
	replay->pending_function = call->function;
	replay->pending_ns = call->begin_ns;
}

static void replay_leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	struct replay *replay = context;
	const struct function_text *text;
	bool leaf;
	size_t bytes;
	char *at;

	if (has_triggers(replay))
		write_triggers(replay, how == CALL_UNFINISHED ? UINT64_MAX : end_ns, shown_depth(replay, depth + 1));
	leaf = replay->pending;
	if (replay->root_depth == SIZE_MAX)
		return;
	depth -= replay->root_depth;
	if (!depth)
		replay->root_depth = SIZE_MAX;
	if (depth >= replay->depth_limit)
		return;
	text = function_text(replay, call->function);
	bytes = replay_text_bytes(leaf ? text->length : text->name_length);
	at = replay_line_begin(&replay->lines, leaf ? call->begin_ns : end_ns, true, call_duration(call, end_ns), depth, bytes);
	if (leaf) {
		replay->pending = false;
		at = replay_put_text(at, text->text, bytes);
		*at++ = ';';
		if (call->root)
			at = replay_put_root(at);
	} else {
		memcpy(at, "} ", 2);
		at = replay_put_text(at + 2, text->text, bytes);
	}
	replay_line_end(&replay->lines, replay_put_notes(at, call, how));
}

static void replay_other(void *context, const struct event *event, size_t depth)
{
	struct replay *replay = context;
	const struct function_text *text = NULL;
	char words[USER_EVENT_TEXT_MAX], *at;

	if (has_triggers(replay))
		write_triggers(replay, event->time_ns, shown_depth(replay, depth));
	if (replay->root_depth == SIZE_MAX && replay->patterns)
		return;
	if (replay->root_depth != SIZE_MAX)
		depth -= replay->root_depth;
	if (replay->pending)
		write_pending(replay);
	words[0] = '\0';
	if (event->kind <= EVENT_TAIL_EXIT)
		text = function_text(replay, event->function);
	else if (event->kind == EVENT_USER)
		user_event_text(replay->process, event, words, sizeof(words));
	at = replay_line_begin(&replay->lines, event->time_ns, false, 0, depth < replay->depth_limit ? depth : replay->depth_limit,
			text ? replay_text_bytes(text->length) : strlen(words));
	if (text) {
		at = replay_put_string(at, "# returns from ");
		at = replay_put_text(at, text->text, replay_text_bytes(text->length));
		at = replay_put_string(at, ", whose entry is not in the trace");
	} else if (event->kind == EVENT_USER) {
		at = replay_put_string(at, "# ");
		at = replay_put_string(at, words);
	} else {
		at = replay_put_lost(at, event);
	}
	replay_line_end(&replay->lines, at);
}

static bool replay_stop(void *context)
{
	return output_failed(&((struct replay *)context)->out);
}

static int replay_process_begin(void *context, struct process *process, struct functions *functions)
{
	struct replay *replay = context;
	struct output *out = &replay->out;

	output_string(out, replay->process ? "\n# process " : "# process ");
	replay->process = process;
	replay->functions = functions;
	replay->lines.begin_ns = (uint64_t)process->begin_steady_ns;
	output_number(out, (uint64_t)process->process_id);
	output_string(out, "  ");
	output_string(out, process_title(process));
	output_char(out, '\n');
	if (!process->threads.count)
		output_string(out, "# no events\n");
	return out->error;
}

static int replay_process_end(void *context)
{
	struct replay *replay = context;

	for (uint32_t i = 0; i < replay->text_count; i++)
		free(replay->texts[i].text);
	free(replay->texts);
	replay->texts = NULL;
	replay->text_count = 0;
	return replay->out.error;
}

static int replay_thread_begin(void *context, const struct thread_slices *thread)
{
	struct replay *replay = context;
	struct output *out = &replay->out;
	const char *name = thread->name;

	replay->pending = false;
	replay->serial = thread->serial;
	replay->trigger = 0;
	replay->root_depth = replay->patterns ? SIZE_MAX : 0;
	output_string(out, "\n# thread ");
	output_number(out, thread->thread_id);
	if (name) {
		output_string(out, "  ");
		output_string(out, name);
	}
	output_string(out, replay->lines.with_time ? "\n#    TIME us       DURATION  CALL\n" : "\n# DURATION  CALL\n");
	return out->error;
}

static int replay_thread_end(void *context, const struct call_tree *tree)
{
	struct replay *replay = context;

	(void)tree;
	if (has_triggers(replay))
		write_triggers(replay, UINT64_MAX, 0);
	return replay->out.error;
}

static const char help[] =
	"Usage: spoor replay [OPTION]... [TRACE]\n"
	"Show the calls of each thread of a trace (default: " TRACE_DEFAULT_PATH ") as a tree.\n"
	"\n"
	"  -f, --function PATTERNS\n"
	"                        only calls of these functions and what is below them\n"
	"  -d, --depth N         N levels of calls and no more\n"
	"  -t, --time            when each call began or ended, in microseconds since the\n"
	"                        process began\n"
	WALK_HELP
	"      --help            show this and exit\n"
	"\n"
	"The exit status is 0, 1 where the trace is damaged or cannot be read, 2 for a\n"
	"wrong command line. spoor-replay(1) says more.\n";

static int parse(struct replay *replay, int argc, char **argv)
{
	static const struct option options[] = {
		{ "function", required_argument, NULL, 'f' },
		{ "depth", required_argument, NULL, 'd' },
		{ "time", no_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },
		WALK_LONG_OPTIONS,
		{ 0 },
	};
	int option, status;
	char *end;

	while ((option = getopt_long(argc, argv, "f:d:t", options, NULL)) != -1) {
		switch (option) {
		case 'f':
			replay->patterns = optarg;
			status = patterns_check(optarg);
			if (status)
				return status;
			break;
		case 'd':
			errno = 0;
			replay->depth_limit = strtoul(optarg, &end, 10);
			if (errno || end == optarg || *end || *optarg == '-' || !replay->depth_limit)
				return message_usage("'%s' is no depth: 1 or more is", optarg);
			break;
		case 't':
			replay->lines.with_time = true;
			break;
		case 'h':
			fputs(help, stdout);
			exit(SPOOR_EXIT_GOOD);
		default:
			status = walk_choice_option(&replay->choice, option, optarg);
			if (status)
				return status;
		}
	}
	return walk_choice_arguments(&replay->choice, argc - optind, argv + optind);
}

int replay_main(int argc, char **argv)
{
	struct replay replay = { .depth_limit = SIZE_MAX };
	const struct walk_sink sink = {
		.context = &replay,
		.process_begin = replay_process_begin,
		.process_end = replay_process_end,
		.thread_begin = replay_thread_begin,
		.thread_end = replay_thread_end,
		.calls = { &replay, replay_enter, replay_leave, replay_other, replay_stop },
	};
	int status, error;

	replay.lines.out = &replay.out;
	walk_choice_begin(&replay.choice);
	status = parse(&replay, argc, argv);
	if (!status) {
		error = output_begin(&replay.out, NULL);
		if (!error)
			status = walk_trace(&replay.choice, &sink);
		/* A walk that ends early ends no process. */
		replay_process_end(&replay);
		if (!error)
			error = output_end(&replay.out);
		if (error) {
			message("cannot write: %s", strerror(-error));
			status = SPOOR_EXIT_BAD_TRACE;
		}
	}
	walk_choice_end(&replay.choice);
	return status;
}
