/* SPDX-License-Identifier: MIT */
/*
 * stacks_cpu_time.h - adds to call paths the processor times that `spoor record --cpu-time` stores with calls of chosen
 * functions.
 *
 * The stored time of a call contains its callees. So a path gets the time of its last function without the chosen
 * functions below it, and a path whose last function was not chosen gets no time.
 */
#ifndef SPOOR_TOOLS_STACKS_CPU_TIME_H
#define SPOOR_TOOLS_STACKS_CPU_TIME_H

#include "walk/stacks.h"

/* Whether calls in the current thread have their stored processor times: nothing says when the thread ran. */
static inline bool stacks_cpu_time_is_used(const struct stacks *stacks)
{
	return stacks->time == STACKS_CPU && !stacks->sched.is_known;
}

/* Notes the entry of a call with @depth open calls around it. Returns 0, or -ENOMEM. */
int stacks_cpu_time_enter(struct stacks *stacks, size_t depth);

/* Adds the processor time of a call that ended after @duration_ns. */
void stacks_cpu_time_leave(struct stacks *stacks, const struct call *call, size_t depth, uint64_t duration_ns);

#endif
