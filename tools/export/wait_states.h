/* SPDX-License-Identifier: MIT */
/* wait_states.h - goes through the times in which the current thread had no processor, for the formats of export. */
#ifndef SPOOR_TOOLS_WAIT_STATES_H
#define SPOOR_TOOLS_WAIT_STATES_H

#include "export/export.h"
#include "reader/sched/thread_sched.h"

/* A time in which the thread had no processor, within the exported range. */
struct wait_state {
	uint64_t begin_ns, end_ns;	/* UINT64_MAX: it has no end in the trace */
	char text[SCHED_WAIT_TEXT_MAX + 16];	/* "waiting in futex 0x10" or "preempted" */
};

/*
 * wait_states_for_each - calls @step for each state of the current thread, in the order of time; for none
 * if the trace does not know when the thread ran.
 *
 * Returns 0 or -ENOMEM.
 */
int wait_states_for_each(struct export *export, void (*step)(struct export *export, const struct wait_state *state));

/* Write the states of the current thread in a format. Return 0 or a negative errno. */
int export_chrome_states(struct export *export);
int export_perfetto_states(struct export *export);

#endif
