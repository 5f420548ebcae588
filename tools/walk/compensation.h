/* SPDX-License-Identifier: MIT */
/*
 * compensation.h - durations without what our own events cost.
 *
 * Within a call are the second part of its entry and the first of its exit, together one
 * event, and both events of each call within it. So a call's own time is that without one
 * event for itself and one for each call directly below, and never less than nothing; its
 * duration is its own time and the durations, as they are now, of those below.
 */
#ifndef SPOOR_TOOLS_COMPENSATION_H
#define SPOOR_TOOLS_COMPENSATION_H

#include "reader/events/call_tree.h"
#include "reader/files/process.h"

#define EVENT_PS_MAX UINT64_C(1000000000)	/* a millisecond: what is more is no event's cost */

struct compensation {
	uint64_t event_ps;		/* what an event costs; 0: nothing is taken off */
	struct compensated_call {
		uint64_t inner_ns, calls;	/* of those directly below */
	} *open;			/* by depth */
	size_t capacity;
};

/* What an event cost where the process ran, by its own measurement; 0: it says nothing of that. */
uint64_t process_event_ps(const struct process *process);

/* A call begins. Return: 0 or -ENOMEM. */
int compensation_enter(struct compensation *compensation, size_t depth);

/* It ends: takes off what events cost. */
void compensation_leave(struct compensation *compensation, size_t depth, uint64_t *duration_ns, uint64_t *self_ns);

void compensation_free(struct compensation *compensation);

#endif
