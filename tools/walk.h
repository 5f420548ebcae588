/* SPDX-License-Identifier: MIT */
/*
 * walk.h - what replay, report and export have in common: their view of the
 * command line, and the walk over processes, threads and calls of a trace.
 */
#ifndef SPOOR_TOOLS_WALK_H
#define SPOOR_TOOLS_WALK_H

#include <getopt.h>

#include "reader/call_tree.h"
#include "reader/trace.h"

struct walk_choice {
	const char *trace_path;
	bool demangle;
	int64_t *processes, *threads;	/* the kernel's IDs; none: all of them */
	size_t process_count, thread_count;
};

/* Options that every walking command has, for getopt_long. */
enum walk_option { WALK_PROCESS = 0x100, WALK_THREAD, WALK_NO_DEMANGLE, WALK_OWN };
#define WALK_LONG_OPTIONS                                                    \
	{ "process", required_argument, NULL, WALK_PROCESS },                \
		{ "thread", required_argument, NULL, WALK_THREAD },          \
		{ "tid", required_argument, NULL, WALK_THREAD },             \
	{                                                                    \
		"no-demangle", no_argument, NULL, WALK_NO_DEMANGLE           \
	}
#define WALK_HELP                                                                     \
	"      --process PID     only this process (may be given several times)\n"    \
	"      --thread TID      only this thread (may be given several times)\n"     \
	"      --no-demangle     show linkage names\n"

void walk_choice_begin(struct walk_choice *choice);
void walk_choice_end(struct walk_choice *choice);

/* Takes one of the options above. Return: 0, or SPOOR_EXIT_USAGE, which has been said. */
int walk_choice_option(struct walk_choice *choice, int option, const char *argument);

/* Takes the arguments after the options: [TRACE]. Return: as walk_choice_option. */
int walk_choice_arguments(struct walk_choice *choice, int count, char **arguments);

/*
 * What a command does with a trace. Each may be null. What returns an int
 * returns 0 or a negative errno, which ends the walk.
 */
struct walk_sink {
	void *context;
	int (*process_begin)(void *context, struct process *process, struct functions *functions);
	int (*process_end)(void *context);
	int (*thread_begin)(void *context, const struct thread_slices *thread);
	/* After the calls. @tree counts what was repaired. */
	int (*thread_end)(void *context, const struct call_tree *tree);
	/* While names are still there. */
	int (*trace_end)(void *context);
	/* Null: the calls; else what is done instead. */
	int (*thread_events)(void *context, struct thread_events *events);
	struct call_sink calls;
	bool takes_counts;	/* and is content where there is nothing else */
};

/*
 * walk_trace - walks over all that is chosen.
 *
 * Return: an enum spoor_exit; SPOOR_EXIT_BAD_TRACE where something was damaged,
 * though all that could be saved has been told.
 */
int walk_trace(const struct walk_choice *choice, const struct walk_sink *sink);

#endif
