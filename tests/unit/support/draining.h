/* SPDX-License-Identifier: MIT */
/* draining.h - a pool, a thread that logs, and a drainer, for the tests of the drainer. */
#ifndef SPOOR_DRAINING_H
#define SPOOR_DRAINING_H

#include "drain/drain_state.h"
#include "event/pool.h"
#include "tests/unit/support/unit.h"

#define DRAINING_SLICES 64

extern struct draining {
	struct spoor_thread thread;	/* not the calling one */
	struct spoor_drain *drain;
	int events_fd;
	uint64_t logged;		/* events that the thread has stored */
} draining;

/* Makes all of them. */
void draining_begin(void);

/* Reserves a slot for an event, as a trampoline does. Returns null if the event is lost. */
uint64_t *draining_reserve(void);

/* Logs an event. Returns whether it is stored. */
int draining_log(void);

/* Reads the events file in the order of the slices' sequence numbers, and checks that no event is missing.
 * Returns the number of events. */
uint64_t draining_read_back(void);

#endif
