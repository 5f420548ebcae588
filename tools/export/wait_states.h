/* SPDX-License-Identifier: MIT */
/*
 * wait_states.h - goes through the times in which a thread had no processor, and its system calls, for the formats of
 * export.
 */
#ifndef SPOOR_TOOLS_WAIT_STATES_H
#define SPOOR_TOOLS_WAIT_STATES_H

#include "export/export.h"
#include "reader/sched/thread_calls.h"
#include "reader/sched/thread_sched.h"

/* A time in which the thread had no processor, or was in a system call, within the exported range. */
struct wait_state {
	uint64_t begin_ns, end_ns;	/* UINT64_MAX: it has no end in the trace */
	bool is_call;			/* a system call; waits may be in it */
	bool is_preempted;
	const char *reason;		/* "futex 0x10"; "": unknown. Of a system call: "read(3) = 64" */
	char text[SCHED_WAIT_TEXT_MAX + 16];	/* "waiting in futex 0x10", "waiting", "preempted" or "read" */
	char waker[256];		/* "thread 4711 in unlock()", "thread 4711"; "": unknown */
};

struct wait_states {
	struct thread_sched sched;
	struct thread_calls calls;
	const struct process *process;
	const struct waker_functions *wakers;
	size_t next, next_call;
	char call_text[THREAD_CALL_TEXT_MAX];
	const struct time_range *range;	/* null: all */
};

/*
 * wait_states_begin - reads the states of the current thread; none if the trace does not have them.
 * @states: zeroed the first time; freed before
 *
 * Returns 0 or -ENOMEM.
 */
int wait_states_begin(struct wait_states *states, const struct export *export);
void wait_states_end(struct wait_states *states);

/*
 * wait_states_next - returns the next state that comes before an event.
 * @until_ns: the time of the event; UINT64_MAX: after all events
 *
 * Returns false if there is none. A state in @state is valid until the next call.
 */
bool wait_states_next(struct wait_states *states, uint64_t until_ns, struct wait_state *state);

/*
 * wait_states_for_each - calls @step for each state of the current thread, in the order of time.
 *
 * Returns 0 or -ENOMEM.
 */
int wait_states_for_each(struct export *export, void (*step)(struct export *export, const struct wait_state *state));

/* Write the states of the current thread in a format. Return 0 or a negative errno. */
int export_chrome_states(struct export *export);
int export_perfetto_states(struct export *export);

#endif
