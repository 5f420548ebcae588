/* SPDX-License-Identifier: MIT */
/*
 * compensation.h - subtracts the cost of spoor's own events from durations.
 *
 * The recorded duration of a call includes the second part of its entry event and the first part of
 * its exit event, which together cost one event, and both events of each call within it. So one event
 * for the call itself and one for each direct callee are subtracted from its self time, down to zero.
 * The new duration is the new self time plus the new durations of the callees.
 */
#ifndef SPOOR_TOOLS_COMPENSATION_H
#define SPOOR_TOOLS_COMPENSATION_H

#include "reader/events/call_tree.h"
#include "reader/files/process.h"

#define EVENT_PS_MAX UINT64_C(1000000000)	/* one millisecond; an event never costs more */

struct compensation {
	uint64_t event_ps;		/* cost of one event; 0: no time is subtracted */
	struct compensated_call {
		uint64_t inner_ns, calls;	/* of the direct callees */
	} *open;			/* by depth */
	size_t capacity;
};

/* Returns the cost of an event as the process measured it; 0: the process recorded none. */
uint64_t process_event_ps(const struct process *process);

/* Begins a call. Returns 0 or -ENOMEM. */
int compensation_enter(struct compensation *compensation, size_t depth);

/* Ends a call and subtracts the cost of events. */
void compensation_leave(struct compensation *compensation, size_t depth, uint64_t *duration_ns, uint64_t *self_ns);

void compensation_free(struct compensation *compensation);

#endif
