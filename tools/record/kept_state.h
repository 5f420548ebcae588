/* SPDX-License-Identifier: MIT */
/*
 * kept_state.h - passes on what a process keeps at execve(2) and a child does not get at fork(2): timers, pending
 * signals, and the signal at the parent's death.
 */
#ifndef SPOOR_TOOLS_KEPT_STATE_H
#define SPOOR_TOOLS_KEPT_STATE_H

#include <signal.h>
#include <sys/time.h>

struct kept_state {
	struct itimerval timers[3];
	sigset_t pending;
	int death_signal;
};

/* Takes the state from this process, whose timers stop. */
void kept_state_take(struct kept_state *state);

/* Gives the state to this process, a child with all pending signals blocked. */
void kept_state_give(const struct kept_state *state);

#endif
