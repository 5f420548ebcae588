/* SPDX-License-Identifier: MIT */
/* reclaim.h - takes partly filled slices from threads that have had them for a while. */
#ifndef SPOOR_RECLAIM_H
#define SPOOR_RECLAIM_H

#include "event/slices.h"

/* Begins a use of a slice. The caller then stores the thread's cursor. */
void spoor_claim_begin(struct spoor_thread *thread, uint32_t slice, uint64_t sequence);

/* The upper bits of a cursor whose slice another thread has taken. No other cursor has them. */
#define SPOOR_CURSOR_TAKEN 5u

static inline int cursor_is_taken(uint64_t cursor)
{
	return cursor >> 61 == SPOOR_CURSOR_TAKEN;
}

/*
 * spoor_slice_taken - makes a thread whose cursor shows that its slice was taken go on: raises the number of its next
 * slice, and retires the slice if the other thread has not done so.
 * @cursor: the thread's. A second call for it changes nothing.
 */
void spoor_slice_taken(struct spoor_pool *pool, struct spoor_thread *thread, uint64_t cursor);

/* How long a thread keeps a slice at least, and the time between two searches if the first one found none. */
extern uint64_t spoor_reclaim_counts;

/*
 * spoor_reclaim - takes some slices if few are left.
 * @self: the calling thread, which keeps its own
 *
 * Return: the number of slices that were passed to the drainer.
 *
 * Context: as spoor_event_slow.
 */
uint32_t spoor_reclaim(struct spoor_pool *pool, const struct spoor_thread *self);

#endif
