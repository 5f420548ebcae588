/* SPDX-License-Identifier: MIT */
/*
 * trigger_watch.h - finds the calls that take longer than a trigger allows, from outside their threads.
 *
 * The drainer reads the words that threads have stored since its last look, and tracks the open calls of
 * each thread. So a call that hangs is reported while it hangs, and an event costs no more.
 *
 * Invariants
 *   I1  A slice is drained only after all of its words were read (drain.c).
 *   I2  If words were missed, because a ring replaced them, the thread's open calls are forgotten. So no
 *       ended call is reported as open.
 */
#ifndef SPOOR_TRIGGER_WATCH_H
#define SPOOR_TRIGGER_WATCH_H

#include <stdbool.h>

#include "format/trigger_format.h"

struct spoor_watch;

/* Called for each call that takes, or took, too long in thread @thread_id. */
typedef void spoor_watch_noticed(void *context, uint32_t thread_id, const struct spoor_trigger_record *record);

/* Returns null if the pool has no trigger, or without memory. */
struct spoor_watch *spoor_watch_begin(struct spoor_pool *pool, uint32_t slice_count);
void spoor_watch_end(struct spoor_watch *watch);

/*
 * spoor_watch_look - reads the new words of all threads, and reports calls.
 *
 * Return: false if the trigger has reported as many calls as it may, else true.
 */
bool spoor_watch_look(struct spoor_watch *watch, const struct spoor_clocks *now, spoor_watch_noticed *noticed,
		      void *context);

/* Returns the time until the next look in nanoseconds. */
int64_t spoor_watch_interval_ns(const struct spoor_watch *watch);

/* Returns the counter @ms milliseconds before @counter. */
uint64_t spoor_watch_before(const struct spoor_watch *watch, uint64_t counter, uint32_t ms);

#endif
