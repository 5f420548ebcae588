/* SPDX-License-Identifier: MIT */
/*
 * thread_waits.h - collects when threads had no processor, and writes this for a page.
 *
 * The gaps of a thread are chunks of the kind VIEW_WAITS, with at most VIEW_WAITS_CHUNK gaps each. The columns, as
 * chunks.h describes:
 *   column 0   begin, as the difference to the previous gap's begin; the first to the chunk's first_ns
 *   column 1   duration
 *   column 2   1: preempted, 0: waiting
 *   column 3   number of open calls at the begin
 *   column 4   the thread that woke this one: its position + 1 among the page's threads; 0: unknown
 *   column 5   what the thread waited for: a number of a string; 0: unknown
 *   column 6   the function in which the waking thread was: a number of a string; 0: unknown
 */
#ifndef SPOOR_TOOLS_VIEW_THREAD_WAITS_H
#define SPOOR_TOOLS_VIEW_THREAD_WAITS_H

#include "reader/sched/thread_sched.h"
#include "view/chunks.h"
#include "walk/lines/waker_functions.h"

#define VIEW_WAITS (VIEW_SUMMARY + VIEW_RUNS + 1)
#define VIEW_WAITS_CHUNK 8192u

struct view_wait {
	uint64_t begin_ns, end_ns;
	uint32_t thread;		/* its position */
	uint32_t depth, waker, reason, waker_function;
	bool is_preempted;
};

/* The gaps of all threads. `sched` has the gaps of the current thread, also the gaps that the walk has not reached. */
struct view_waits {
	struct thread_sched sched;
	struct waker_functions wakers;
	size_t next;			/* gap of @sched that the walk has not reached */
	struct view_wait *list;
	size_t count, capacity;
};

/* Loads the gaps of a thread. Returns 0, or a negative errno. */
int view_waits_begin_thread(struct view_waits *waits, const struct process *process, uint32_t thread_id);

/* Adds the gaps that begin before @time_ns, in which @depth calls are open. */
void view_waits_advance(struct view_waits *waits, struct view *view, uint64_t time_ns, size_t depth);

/* About two instructions if no gap begins. */
static inline void view_waits_until(struct view_waits *waits, struct view *view, uint64_t time_ns, size_t depth)
{
	if (__builtin_expect(waits->next < waits->sched.gap_count, 0) &&
	    waits->sched.gaps[waits->next].begin_ns < time_ns)
		view_waits_advance(waits, view, time_ns, depth);
}

/* Makes chunks of all gaps within the time of the page. */
void view_waits_put(const struct view_waits *waits, const struct view *view, struct view_chunks *chunks);
void view_waits_free(struct view_waits *waits);

#endif
