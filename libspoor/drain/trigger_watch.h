/* SPDX-License-Identifier: MIT */
/*
 * trigger_watch.h - which calls take longer than a trigger allows, seen from outside of the threads.
 *
 * Whoever drains looks at the words that have come since the last look, and keeps for each
 * thread which calls are open. So a call that hangs is noticed while it hangs, and nothing is
 * added to the way of an event.
 *
 * Invariants
 *   I1  a slice is drained only after all of it was looked at (drain.c).
 *   I2  where words were missed, for a ring was quicker, the thread begins anew: a call is
 *       never said to be open that is not.
 */
#ifndef SPOOR_WATCH_H
#define SPOOR_WATCH_H

#include <stdbool.h>

#include "format/trigger_format.h"

struct spoor_watch;

/* Called for a call that takes, or took, too long; its thread is @thread_id. */
typedef void spoor_watch_noticed(void *context, uint32_t thread_id, const struct spoor_trigger_record *record);

/* Return: null where the pool has no trigger, or there is no memory. */
struct spoor_watch *spoor_watch_begin(struct spoor_pool *pool, uint32_t slice_count);
void spoor_watch_end(struct spoor_watch *watch);

/*
 * spoor_watch_look - at what has come since the last look.
 *
 * Return: whether there may be more to notice at any time; not so where the trigger
 * has noticed as many calls as it may.
 */
bool spoor_watch_look(struct spoor_watch *watch, const struct spoor_clocks *now, spoor_watch_noticed *noticed,
		      void *context);

/* When to look again. */
int64_t spoor_watch_interval_ns(const struct spoor_watch *watch);

/* The counter so many milliseconds before @counter. */
uint64_t spoor_watch_before(const struct spoor_watch *watch, uint64_t counter, uint32_t ms);

#endif
