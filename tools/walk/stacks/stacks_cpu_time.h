/* SPDX-License-Identifier: MIT */
/*
 * stacks_cpu_time.h - adds to call paths the processor times that `spoor record --cpu-time` stores with calls of chosen
 * functions.
 *
 * The stored time of a call contains its callees. So a node must not stand for a call and its callees, as with depth_max.
 */
#ifndef SPOOR_TOOLS_STACKS_CPU_TIME_H
#define SPOOR_TOOLS_STACKS_CPU_TIME_H

#include "walk/stacks/stacks.h"

/* Whether calls in the current thread have their stored processor times: nothing says when the thread ran. */
static inline bool stacks_cpu_time_is_used(const struct stacks *stacks)
{
	return (stacks->time == STACKS_CPU || stacks->wants_stored) && !stacks->sched.is_known;
}

/* Adds the stored time of a call that ended after @duration_ns to its node. Returns 0, or -ENOMEM. */
int stacks_cpu_time_leave(struct stacks *stacks, const struct call *call, size_t depth, uint64_t duration_ns);

/* Adds the stored times of @from's nodes. @to_node: the node here for each of them. Returns 0, or -ENOMEM. */
int stacks_cpu_time_merge(struct stacks *stacks, const struct stacks *from, const uint32_t *to_node);

/*
 * Gives each path the stored time of its last function without the chosen functions below it, as its self_ns. A path whose
 * last function was not chosen gets no time. Ends the use of `stored`. Returns 0, or -ENOMEM.
 */
int stacks_cpu_time_divide(struct stacks *stacks);

#endif
