/* SPDX-License-Identifier: MIT */
/*
 * totals.h - calls and times of each function, library, file or thread, over all processes
 * of a trace.
 *
 * Memory is for each of these, and for each function that was called more than once a histogram;
 * none for a call. What runs out of memory says so and ends the program.
 */
#ifndef SPOOR_TOOLS_TOTALS_H
#define SPOOR_TOOLS_TOTALS_H

#include "walk/compensation.h"
#include "base/name_table.h"
#include "walk/table/table.h"
#include "walk/walk.h"

struct totals {
	struct report_table table;	/* a row each, and what the events were like; the look is to be set before */
	const char *patterns;		/* only calls of these functions; null: of all */
	const char *libraries;		/* of what was counted, only theirs; null: all */
	bool counts_unfit;		/* what was counted is nobody's, at no time, and left out */
	bool wants_places;		/* files and lines of functions */
	bool compensates;		/* what events cost is taken off: */
	uint64_t given_event_ps;	/* so much, or if 0 what each process says */
	struct compensation compensation;
	uint64_t measured_event_ps;	/* the least that a process says an event cost; 0: none does */

	const struct process *process;
	struct functions *functions;
	struct report_statistics *list;	/* by function number, of the current process */
	uint32_t list_count;
	struct map64 row_of, row_of_unknown;	/* positions in rows, from 1 */
	size_t row_capacity;

	/* Where rows are no functions. */
	struct name_table names;	/* of libraries or files: pair N has row N - 1 */
	uint32_t *group_of;		/* positions in rows, from 1, by function number; TOTALS_NOBODY: none */
	uint32_t group_of_count;
	uint32_t own_row;		/* the current thread's, or process's, from 1 */
};

/* What is done with the calls of a walk: to be asked once all is set. */
struct call_sink totals_calls(struct totals *totals);

/* For its other events: hits of tracepoints are calls without a time. */
void totals_other(void *context, const struct event *event, size_t depth);

/* Which row is that of a function of the current process: the same one in all processes, and
 * for all instances of its module. It stays until the rows are sorted. */
size_t totals_row(struct totals *totals, uint32_t number);

/* For what a walk_sink is told besides. Return: 0, or -ENODATA where the cost of events is to be
 * taken off and not known, which has been said. */
int totals_process_begin(struct totals *totals, const struct process *process, struct functions *functions);
void totals_process_end(struct totals *totals);
void totals_thread_begin(struct totals *totals, const struct thread_slices *thread);
void totals_thread_end(struct totals *totals, const struct call_tree *tree);

/* An empty one, of threads of the process at hand whose functions have other numbers; totals_calls of it are simple. */
void totals_part_begin(struct totals *part, struct functions *functions);
/* Adds what a part has come to, and frees it; @numbers: as walk_sink's. */
void totals_part_end(struct totals *totals, struct totals *part, const uint32_t *numbers);
/* These are open in others' pieces of a thread too. */
void totals_piece_begin(struct totals *part, const struct call *open, size_t depth);
void totals_piece_end(struct totals *part, const struct call *open, size_t depth);
/* Whether there can be parts. */
bool totals_are_divisible(const struct totals *totals);

void totals_free(struct totals *totals);

/* What totals.c and totals_groups.c are to each other. */
#define TOTALS_NOBODY UINT32_MAX
void totals_no_memory(void) __attribute__((noreturn));
struct report_row *totals_add_row(struct totals *totals);	/* zeroed */
/* The row to which calls of a function belong; null for none. */
struct report_row *totals_group_row(struct totals *totals, uint32_t number);
/* Whether rows are threads or processes: one at a time, which totals_own_row begins; @thread: null for a process. */
bool totals_has_own_row(const struct totals *totals);
void totals_own_row(struct totals *totals, const struct thread_slices *thread);

#endif
