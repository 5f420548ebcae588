/* SPDX-License-Identifier: MIT */
/*
 * totals_sched.c - divides the times of calls into running, waiting and being preempted.
 *
 * The time between two events of a thread belongs to the innermost open call. The total of a function
 * comes from its outermost open call.
 */
#include <stdlib.h>

#include "walk/totals.h"

int totals_sched_begin(struct totals *totals, const struct thread_slices *thread)
{
	return thread_sched_load(&totals->sched, totals->process, thread->thread_id);
}

/* Adds what the thread did since its last event to the innermost of @depth open calls. */
static void spend(struct totals *totals, uint64_t time_ns, size_t depth)
{
	struct report_statistics *statistics;
	struct sched_spent spent;

	thread_sched_spend(&totals->sched, time_ns, &spent);
	if (!depth || !totals->sched.is_known)
		return;
	statistics = totals_statistics(totals, totals->open_functions[depth - 1]);
	if (statistics)
		report_spent_add(&statistics->self_spent, &spent);
}

void totals_sched_enter(struct totals *totals, const struct call *call, size_t depth)
{
	spend(totals, call->begin_ns, depth);
	if (depth >= totals->open_room) {
		size_t room = 2 * depth + 64;
		uint32_t *functions = reallocarray(totals->open_functions, room, sizeof(*functions));

		if (!functions)
			totals_no_memory();
		totals->open_functions = functions;
		totals->open_room = room;
	}
	totals->open_functions[depth] = call->function;
}

void totals_sched_leave(struct totals *totals, const struct call *call, size_t depth, uint64_t end_ns)
{
	struct report_statistics *statistics = totals_statistics(totals, call->function);
	struct sched_spent spent;

	spend(totals, end_ns, depth + 1);
	if (!statistics || statistics->open != 1 || !totals->sched.is_known)
		return;
	statistics->has_spent = true;
	statistics->has_faults |= totals->sched.has_faults;
	thread_sched_since(&totals->sched, call->begin_ns, end_ns, &spent);
	report_spent_add(&statistics->spent, &spent);
}
