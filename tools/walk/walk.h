/* SPDX-License-Identifier: MIT */
/*
 * walk.h - what replay, report and export have in common: their view of the
 * command line, and the walk over processes, threads and calls of traces.
 */
#ifndef SPOOR_TOOLS_WALK_H
#define SPOOR_TOOLS_WALK_H

#include <getopt.h>

#include "walk/call_filter.h"
#include "reader/events/call_tree.h"
#include "reader/events/timeline.h"
#include "reader/symbols/unit_symbols.h"
#include "walk/symbol_options.h"

struct walk_choice {
	const char *trace_path;		/* the first one */
	const char *const *trace_paths;	/* several, or null: that one alone */
	size_t trace_count;
	struct unit_symbols described;	/* for what has no symbols otherwise */
	bool demangle;
	int64_t *processes, *threads;	/* the kernel's IDs; none: all of them */
	size_t process_count, thread_count;
	bool has_range;
	struct time_range range;	/* since the trace begins: its first process */
	char *libraries;		/* patterns; null: all of them */
	uint64_t least_ns;		/* calls that took less are left out */
};

/* Options that every walking command has, for getopt_long. */
enum walk_option { WALK_PROCESS = 0x100, WALK_THREAD, WALK_TIME, WALK_LIBRARY, WALK_LEAST, WALK_NO_DEMANGLE, WALK_SYMBOLS, WALK_OWN };
#define WALK_LONG_OPTIONS                                                    \
	{ "process", required_argument, NULL, WALK_PROCESS },                \
		{ "thread", required_argument, NULL, WALK_THREAD },          \
		{ "tid", required_argument, NULL, WALK_THREAD },             \
		{ "time", required_argument, NULL, WALK_TIME },              \
		{ "library", required_argument, NULL, WALK_LIBRARY },        \
		{ "min-duration", required_argument, NULL, WALK_LEAST },     \
		{ "symbols", required_argument, NULL, WALK_SYMBOLS },        \
		SYMBOL_LONG_OPTIONS,                                         \
	{                                                                    \
		"no-demangle", no_argument, NULL, WALK_NO_DEMANGLE           \
	}
#define WALK_HELP                                                                     \
	"      --process PID     only this process (may be given several times)\n"    \
	"      --thread TID, --tid TID\n"                                               \
	"                        only this thread (may be given several times)\n"     \
	"      --time BEGIN..END only what was in this time since the trace began, such as\n"  \
	"                        1.5s..1600ms; one of the two may be missing. Calls that\n"   \
	"                        reach over an end are cut there\n"                          \
	"      --library PATTERNS\n"                                                         \
	"                        only calls of functions in these libraries, as if no\n"     \
	"                        others had been recorded\n"                                 \
	"      --min-duration TIME\n"                                                        \
	"                        only calls that took as long, such as 20us\n"               \
	"      --no-demangle     show linkage names\n"                                        \
	"      --symbols FILE    names for what traced files do not name, such as calls in\n"  \
	"                        files of Microsoft's Spoor (may be given several times)\n"    \
	SYMBOL_HELP

void walk_choice_begin(struct walk_choice *choice);
void walk_choice_end(struct walk_choice *choice);

/* Takes one of the options above. Return: 0, or SPOOR_EXIT_USAGE, which has been said. */
int walk_choice_option(struct walk_choice *choice, int option, const char *argument);

/* Takes the arguments after the options: [TRACE...], which stay. Return: as walk_choice_option. */
int walk_choice_arguments(struct walk_choice *choice, int count, char **arguments);

struct walk;

/* Opens what was chosen. Return: as timeline_open. */
int walk_choice_open(const struct walk_choice *choice, struct timeline *timeline);

/*
 * What a command does with a trace. Each may be null. What returns an int
 * returns 0 or a negative errno, which ends the walk; -ENODATA has been said.
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
	/*
	 * Null, or makes @part, a copy of this one, a sink for some of the calls of the process at hand that
	 * are walked while others are, with numbers of functions of their own; it may ask for
	 * nobody's name. The end adds what it has to this one, and frees it; @numbers: what the process at hand calls
	 * each of its functions, or null where nothing is to be added. Ends come in the order of threads.
	 * Return: 0, or a negative errno with @part as it was.
	 */
	int (*part_begin)(void *context, struct functions *functions, struct walk_sink *part);
	void (*part_end)(void *context, struct walk_sink *part, const uint32_t *numbers);
	/*
	 * A part of a thread's calls, in pieces with others' between them (pieces.h). To the part: these are open
	 * where the next piece begins, and have been told to another one; where it ends, and are another
	 * one's from there on. To the whole, for each piece in their order: what turned up in the
	 * part's next piece, so that all turns up in the order of one walk; may be null.
	 */
	void (*piece_begin)(void *part_context, const struct call *open, size_t depth);
	void (*piece_end)(void *part_context, const struct call *open, size_t depth);
	void (*piece_in_order)(void *context, struct walk_sink *part, const uint32_t *numbers);
	bool takes_counts;	/* and is content where there is nothing else */
	bool is_formatted;	/* most of the work is formatting (parallel_output.h), in other threads */
	/* Before all else. */
	void (*trace_begin)(void *context, struct walk *walk);
};

/*
 * walk_trace - walks over all that is chosen.
 *
 * Return: an enum spoor_exit; SPOOR_EXIT_BAD_TRACE where something was damaged,
 * though all that could be saved has been told.
 */
int walk_trace(const struct walk_choice *choice, const struct walk_sink *sink);

/* A process that is open, and what is known of its functions. */
struct walk_process {
	struct process process;
	struct functions functions;
	struct library_choice libraries;
};

/*
 * What a walk has along the way, for who goes another way than from thread to thread.
 */
struct walk {
	const struct walk_choice *choice;
	struct timeline timeline;
	uint64_t origin_ns;		/* when the first trace begins: zero of the times that are shown */
	const struct time_range *range;	/* null: all of the time */
	struct time_range range_in_trace;
	struct walk_process *process;	/* in walk_each: the one at hand; who sets it null keeps it */
	struct call_filter filter;
	struct call_tree tree;
	size_t processes_met, threads_met;
	uint64_t first_ns;		/* when the first of these threads has its first event; UINT64_MAX: there is none */
	bool damaged;
};

/* Return: 0, or an enum spoor_exit, which has been said; then there is nothing to end. */
int walk_begin(struct walk *walk, const struct walk_choice *choice);

/* Says @error, if it is one. Return: an enum spoor_exit. */
int walk_end(struct walk *walk, int error);

/* Whether a process or thread was asked for, and none of those has come so far. */
bool walk_met_none(const struct walk *walk);

/* What is to be said of @error: -EPIPE, and nothing, where the sink itself has stopped, who says why. */
int walk_ended_by(const struct walk_sink *sink, int error);

/* Walks over all that is chosen. Return: 0 or a negative errno. */
int walk_each(struct walk *walk, const struct walk_sink *sink);

/* @process: null where it is not chosen, or cannot be read, which has been said. Return: 0 or -ENOMEM. */
int walk_process_open(struct walk *walk, size_t number, struct walk_process **process);
void walk_process_close(struct walk *walk, struct walk_process *process);

/* Whether something of the thread may be in what was chosen. Once for each. */
bool walk_thread_is_chosen(struct walk *walk, struct walk_process *process, const struct thread_slices *thread);

/* Tells @calls those of a thread that are chosen. Return: 0 or a negative errno. */
int walk_calls(struct walk *walk, struct walk_process *process, struct thread_events *events, const struct call_sink *calls);

/*
 * walk_thread - tells @sink a thread, its begin and end included.
 * @ahead:  its slices are unpacked ahead where that is worth it
 * @events: what is left of them: numbers, for walk_complain
 *
 * Return: 0 or a negative errno.
 */
int walk_thread(struct walk *walk, const struct walk_sink *sink, struct walk_process *process,
		const struct thread_slices *thread, bool ahead, struct thread_events *events);

/* Says what could not be read of a thread, and what this command does not show of a process. */
void walk_complain(struct process *process, const struct thread_events *events);
void walk_tell_what_is_not_shown(const struct process *process, const struct walk_sink *sink);

#endif
