/* SPDX-License-Identifier: MIT */
/*
 * waker_functions.h - finds the functions in which threads were when they woke others.
 *
 * Needs a trace of `spoor record --sched=wakers`. The function is the innermost open call of the waking thread, in
 * any process of the trace.
 */
#ifndef SPOOR_TOOLS_WALK_WAKER_FUNCTIONS_H
#define SPOOR_TOOLS_WALK_WAKER_FUNCTIONS_H

#include "reader/sched/thread_sched.h"
#include "walk/walk.h"

/* A moment in which a thread woke another one. */
struct waker_moment {
	uint64_t time_ns;
	uint32_t thread;	/* the waking one, as the reader numbers threads */
	uint32_t name;		/* position + 1 in `names`; 0: no call was open */
};

struct waker_functions {
	struct waker_moment *moments;	/* sorted by thread and time */
	size_t count, capacity;
	char **names;
	size_t name_count, name_capacity;
};

/*
 * waker_functions_read - walks over the traces once, and over the calls of waking threads again.
 * @choice:   of its options, only traces, processes, threads and names apply
 * @least_ns: waits that are shorter need no function
 *
 * Prints no message: the walk of the command prints those about the trace. Returns 0 or -ENOMEM.
 */
int waker_functions_read(struct waker_functions *wakers, const struct walk_choice *choice, uint64_t least_ns);

/* Returns the function in which the thread ended the wait, such as "unlock()"; null if it is unknown. */
const char *waker_functions_find(const struct waker_functions *wakers, const struct sched_gap *gap);

void waker_functions_free(struct waker_functions *wakers);

#endif
