/* SPDX-License-Identifier: MIT */
/*
 * totals.h - calls and times of each function, over all processes of a trace.
 *
 * What runs out of memory says so and ends the program.
 */
#ifndef SPOOR_TOOLS_TOTALS_H
#define SPOOR_TOOLS_TOTALS_H

#include "report_table.h"
#include "walk.h"

struct totals {
	struct report_table table;	/* a row a function, and what the events were like */
	const char *patterns;		/* only rows of these; null: of all */
	const char *libraries;		/* of what was counted, only theirs; null: all */
	bool counts_unfit;		/* what was counted is nobody's, at no time, and left out */

	const struct process *process;
	struct functions *functions;
	struct report_statistics *list;	/* by function number, of the current process */
	uint32_t list_count;
	struct map64 row_of, row_of_unknown;	/* positions in rows, from 1 */
	size_t row_capacity;
};

/* For the calls of a walk_sink, whose context is the totals. */
void totals_enter(void *context, const struct call *call, size_t depth);
void totals_leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how);

/* For what a walk_sink is told besides. */
void totals_process_begin(struct totals *totals, const struct process *process, struct functions *functions);
void totals_process_end(struct totals *totals);
void totals_thread_end(struct totals *totals, const struct call_tree *tree);

void totals_free(struct totals *totals);

#endif
