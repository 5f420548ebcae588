/* SPDX-License-Identifier: MIT */
/*
 * totals.h - sums up calls and times of each function, library, file or thread over all processes of a
 * trace.
 *
 * Needs memory for each row, and a histogram for each function that was called more than once, but
 * none for each call. If memory runs out, prints a message and ends the program.
 */
#ifndef SPOOR_TOOLS_TOTALS_H
#define SPOOR_TOOLS_TOTALS_H

#include "reader/sched/thread_sched.h"
#include "walk/compensation.h"
#include "base/name_table.h"
#include "walk/table/table.h"
#include "walk/walk.h"

struct totals {
	struct report_table table;	/* the rows and notes; the caller sets the look before */
	const char *patterns;		/* counts only calls of these functions; null: of all */
	const char *counted_functions;	/* for counted calls, only of these functions; null: of all */
	const char *libraries;		/* for counted calls, only of these libraries; null: of all */
	bool counts_unfit;		/* skips data of count mode, which has neither thread nor time */
	bool wants_places;		/* finds files and lines of functions */
	bool wants_sched;		/* divides times into running and waiting, if the trace has that */
	bool compensates;		/* subtracts the cost of events: */
	uint64_t given_event_ps;	/* this cost, or if 0 the one that each process measured */
	struct compensation compensation;
	uint64_t measured_event_ps;	/* the least cost that a process measured; 0: none did */

	const struct process *process;
	struct functions *functions;
	struct thread_sched sched;	/* of the current thread */
	uint32_t *open_functions;	/* of its open calls, outermost first */
	size_t open_room;
	struct report_statistics *list;	/* by function number of the current process */
	uint32_t list_count;
	struct map64 row_of, row_of_unknown;	/* positions in rows, from 1 */
	size_t row_capacity;

	/* If rows are not functions. */
	struct name_table names;	/* of libraries or files: pair N has row N - 1 */
	uint32_t *group_of;		/* positions in rows, from 1, by function number; TOTALS_NO_GROUP: none */
	uint32_t group_of_count;
	uint32_t own_row;		/* of the current thread or process, from 1 */
};

/* Returns the sink for the calls of a walk. Called after all settings. */
struct call_sink totals_calls(struct totals *totals);

/* Handles other events: hits of tracepoints are calls without a time. */
void totals_other(void *context, const struct event *event, size_t depth);

/* Returns the row of a function of the current process. All processes and all instances of a module share the
 * row. Valid until the rows are sorted. */
size_t totals_row(struct totals *totals, uint32_t number);

/* Functions for the other members of a walk_sink. Return 0, -ENOMEM, or -ENODATA after a message if the cost of
 * events is to be subtracted and is unknown. */
int totals_process_begin(struct totals *totals, const struct process *process, struct functions *functions);
void totals_process_end(struct totals *totals);
int totals_thread_begin(struct totals *totals, const struct thread_slices *thread);
void totals_thread_end(struct totals *totals, const struct call_tree *tree);

/* Begins empty totals for some threads of the current process, whose functions have other numbers. totals_calls
 * returns the simple sink for them. */
void totals_part_begin(const struct totals *totals, struct totals *part, struct functions *functions);
/* Adds the results of a part and frees it. @numbers: as for walk_sink's part_end. */
void totals_part_end(struct totals *totals, struct totals *part, const uint32_t *numbers);
/* Tells the part which calls are open in other pieces of the thread too. */
void totals_piece_begin(struct totals *part, const struct call *open, size_t depth);
void totals_piece_end(struct totals *part, const struct call *open, size_t depth);
/* Returns whether the totals can be computed in parts, and whether a part can be a piece of a thread. */
bool totals_are_divisible(const struct totals *totals);
bool totals_have_pieces(const struct totals *totals);

void totals_free(struct totals *totals);

/* Functions that the files of totals share. */
#define TOTALS_NO_GROUP UINT32_MAX
void totals_no_memory(void) __attribute__((noreturn));
struct report_row *totals_add_row(struct totals *totals);	/* zeroed */
/* Returns the statistics that count calls of a function; null for none. */
struct report_statistics *totals_statistics(struct totals *totals, uint32_t number);
/* Returns the row that counts calls of a function; null for none. */
struct report_row *totals_group_row(struct totals *totals, uint32_t number);
/* Returns whether rows are threads or processes. There is one current row at a time, which totals_own_row begins.
 * @thread: null for a process. */
bool totals_has_own_row(const struct totals *totals);
void totals_own_row(struct totals *totals, const struct thread_slices *thread);
/* In totals_sched.c: divides the times of the current thread's calls. Called before a call is counted. */
int totals_sched_begin(struct totals *totals, const struct thread_slices *thread);
void totals_sched_enter(struct totals *totals, const struct call *call, size_t depth);
void totals_sched_leave(struct totals *totals, const struct call *call, size_t depth, uint64_t end_ns);

#endif
