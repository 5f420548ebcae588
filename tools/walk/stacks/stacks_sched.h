/* SPDX-License-Identifier: MIT */
/* stacks_sched.h - adds to call paths how long threads ran and waited in them. */
#ifndef SPOOR_TOOLS_STACKS_SCHED_H
#define SPOOR_TOOLS_STACKS_SCHED_H

#include "walk/stacks/stacks.h"

/* Whether the caller wants to know when threads ran. */
static inline bool stacks_sched_is_wanted(const struct stacks *stacks)
{
	return stacks->time || stacks->wants_spent;
}

/* Adds what the thread did since its last event to the innermost of @depth open calls. */
void stacks_sched_spend(struct stacks *stacks, uint64_t time_ns, size_t depth);

#endif
