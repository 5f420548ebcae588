/* SPDX-License-Identifier: MIT */
/*
 * walk.h - the walk over processes, threads and calls of traces, and the options of all commands that
 * walk.
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
	const char *const *trace_paths;	/* if several; null: only that one */
	size_t trace_count;
	struct unit_symbols described;	/* for functions without other symbols */
	bool demangle;
	int64_t *processes, *threads;	/* the kernel's IDs; empty: all */
	size_t process_count, thread_count;
	bool has_range;
	struct time_range range;	/* since the trace began: its first process */
	char *libraries;		/* patterns; null: all */
	char *functions;		/* patterns: only their calls and the calls below them; null: all */
	uint64_t least_ns;		/* shorter calls are left out */
	struct condition *condition;	/* other calls are left out; null: none */
};

/* Options of every walking command, for getopt_long. */
enum walk_option { WALK_PROCESS = 0x100, WALK_THREAD, WALK_TIME, WALK_LIBRARY, WALK_LEAST, WALK_NO_DEMANGLE, WALK_FULL_NAMES,
		   WALK_SYMBOLS, WALK_WHERE, WALK_OWN };
#define WALK_LETTERS "f:m:"
#define WALK_LONG_OPTIONS                                                    \
	{ "process", required_argument, NULL, WALK_PROCESS },                \
		{ "function", required_argument, NULL, 'f' },                \
		{ "module", required_argument, NULL, 'm' },                  \
		{ "thread", required_argument, NULL, WALK_THREAD },          \
		{ "tid", required_argument, NULL, WALK_THREAD },             \
		{ "time", required_argument, NULL, WALK_TIME },              \
		{ "library", required_argument, NULL, WALK_LIBRARY },        \
		{ "min-duration", required_argument, NULL, WALK_LEAST },     \
		{ "where", required_argument, NULL, WALK_WHERE },            \
		{ "symbols", required_argument, NULL, WALK_SYMBOLS },        \
		{ "full-names", no_argument, NULL, WALK_FULL_NAMES },        \
		SYMBOL_LONG_OPTIONS,                                         \
	{                                                                    \
		"no-demangle", no_argument, NULL, WALK_NO_DEMANGLE           \
	}
#define WALK_HELP                                                                                   \
	"  -f, --function PATTERNS\n"                                                               \
	"                        use only calls of these functions and the calls below them, such\n" \
	"                        as 'parse*'; '-' before a pattern leaves functions out\n"           \
	"  -m, --module PATTERNS, --library PATTERNS\n"                                             \
	"                        use only calls of functions in these executables and libraries,\n" \
	"                        as if no others had been recorded\n"                               \
	"      --process PID     use only this process (can be repeated)\n"                         \
	"      --thread TID, --tid TID\n"                                                           \
	"                        use only this thread (can be repeated)\n"                          \
	"      --time BEGIN..END use only this range of the time since the trace began, such as\n"  \
	"                        1.5s..1600ms, 20us.. or ..3s; calls that are longer are cut\n"     \
	"      --min-duration TIME\n"                                                               \
	"                        use only calls that took at least TIME, such as 20us\n"            \
	"      --where CONDITION use only calls with such arguments or results, such as\n"          \
	"                        'n > 100 && path ~ \"*.so\"'\n"                                    \
	"  -q, --quiet           print only warnings and errors\n"                                  \
	"      --full-names      show parameters and all template arguments in names\n"            \
	"      --no-demangle     show linkage names\n"                                              \
	"      --symbols FILE    take names from FILE if traced files do not have them, such as\n"  \
	"                        for traces of Microsoft's Spoor (can be repeated)\n"               \
	SYMBOL_HELP

void walk_choice_begin(struct walk_choice *choice);
void walk_choice_end(struct walk_choice *choice);

/* Handles one of the options above. Returns 0, or SPOOR_EXIT_USAGE after a message. */
int walk_choice_option(struct walk_choice *choice, int option, const char *argument);

/* Returns whether one of the traces says when threads ran (spoor record --sched). */
bool walk_choice_has_sched(const struct walk_choice *choice);

/* Takes the arguments after the options, [TRACE...], without a copy. Returns the same as walk_choice_option. */
int walk_choice_arguments(struct walk_choice *choice, int count, char **arguments);

/* For commands whose output has the order of the calls' begins. Returns 0, or SPOOR_EXIT_USAGE after a message if the
 * condition is on the result. */
int walk_choice_needs_order(const struct walk_choice *choice);

struct walk;

/* Opens the chosen traces. Returns the same as timeline_open. */
int walk_choice_open(const struct walk_choice *choice, struct timeline *timeline);

/*
 * The functions that a command gives to a walk. Each may be null. Functions that return an int return
 * 0, or a negative errno, which ends the walk; -ENODATA means that a message was printed.
 */
struct walk_sink {
	void *context;
	int (*process_begin)(void *context, struct process *process, struct functions *functions);
	int (*process_end)(void *context);
	int (*thread_begin)(void *context, const struct thread_slices *thread);
	/* Called after the calls. @tree counts the repairs. */
	int (*thread_end)(void *context, const struct call_tree *tree);
	/* Called while names are still valid. */
	int (*trace_end)(void *context);
	/* Null: reports the calls. Else called instead. */
	int (*thread_events)(void *context, struct thread_events *events);
	struct call_sink calls;
	/*
	 * Null, or makes @part, a copy of this sink, a sink for some calls of the current process that another
	 * thread walks, with other function numbers. It may not look up names. part_end adds the results to
	 * this sink and frees them. @numbers: the current process's number of each function, or null to add
	 * nothing. The calls to part_end have the order of the threads. Returns 0, or a negative errno with
	 * @part unchanged.
	 */
	int (*part_begin)(void *context, struct functions *functions, struct walk_sink *part);
	void (*part_end)(void *context, struct walk_sink *part, const uint32_t *numbers);
	/*
	 * Null, or for parts that hold pieces of a thread's calls, with pieces of other parts between them
	 * (pieces.h). piece_begin, on the part: @open are the calls that are open at this boundary; another
	 * part reported their entries. piece_end, on the part: @open are the calls whose exits the next part
	 * reports. piece_in_order, on the whole sink: called for each piece in order; adds the new results of
	 * the part's next piece, so that results have the order of one walk; may be null.
	 */
	void (*piece_begin)(void *part_context, const struct call *open, size_t depth);
	void (*piece_end)(void *part_context, const struct call *open, size_t depth);
	void (*piece_in_order)(void *context, struct walk_sink *part, const uint32_t *numbers);
	bool takes_counts;	/* accepts traces with counts and nothing else */
	bool is_formatted;	/* most of the work is formatting in other threads (parallel_output.h) */
	/* Called first. */
	void (*trace_begin)(void *context, struct walk *walk);
};

/*
 * walk_trace - walks over all chosen data.
 *
 * Returns an enum spoor_exit; SPOOR_EXIT_BAD_TRACE if data were damaged, after reporting all readable
 * calls.
 */
int walk_trace(const struct walk_choice *choice, const struct walk_sink *sink);

/* An open process and its functions. */
struct walk_process {
	struct process process;
	struct functions functions;
	struct call_choice libraries;
};

/*
 * The state of a walk, for callers that do not go from thread to thread.
 */
struct walk {
	const struct walk_choice *choice;
	struct timeline timeline;
	uint64_t origin_ns;		/* when the first trace begins: zero of the shown times */
	const struct time_range *range;	/* null: the whole time */
	struct time_range range_in_trace;
	struct walk_process *process;	/* in walk_for_each_process: the current one; a sink that sets null keeps it */
	struct call_filter filter;
	struct call_tree tree;
	size_t processes_met, threads_met;
	bool damaged;
};

/* Returns 0, or an enum spoor_exit after a message; then do not call walk_end. */
int walk_begin(struct walk *walk, const struct walk_choice *choice);

/* Prints a message if @error is one. Returns an enum spoor_exit. */
int walk_end(struct walk *walk, int error);

/* Returns whether the user chose processes or threads, and the trace contains no chosen one. */
bool walk_met_none(const struct walk *walk);

/* Returns the error to report: -EPIPE, without a message, if the sink itself has stopped, which reports why. */
int walk_ended_by(const struct walk_sink *sink, int error);

/* Walks over all chosen data. Returns 0 or a negative errno. */
int walk_for_each_process(struct walk *walk, const struct walk_sink *sink);

/* @process: null if it is not chosen, or, after a message, if it cannot be read. Returns 0 or -ENOMEM. */
int walk_process_open(struct walk *walk, size_t number, struct walk_process **process);
void walk_process_close(struct walk *walk, struct walk_process *process);

/* Returns whether the thread may have chosen data. Called once for each thread. */
bool walk_thread_is_chosen(struct walk *walk, struct walk_process *process, const struct thread_slices *thread);

/* Reports the chosen calls of a thread to @calls. Returns 0 or a negative errno. */
int walk_calls(struct walk *walk, struct walk_process *process, struct thread_events *events, const struct call_sink *calls);

/*
 * walk_thread - reports a thread to @sink, with its begin and end.
 * @ahead:  lets another thread unpack its slices, if that is faster
 * @events: afterwards contains the counters for walk_complain
 *
 * Returns 0 or a negative errno.
 */
int walk_thread(struct walk *walk, const struct walk_sink *sink, struct walk_process *process,
		const struct thread_slices *thread, bool ahead, struct thread_events *events);

/* Prints messages about unreadable data of a thread, and about data of a process that this command does not show. */
void walk_complain(struct process *process, const struct thread_events *events);
void walk_tell_what_is_not_shown(const struct process *process, const struct walk_sink *sink);

#endif
