/* SPDX-License-Identifier: MIT */
/*
 * counts.h - calls are counted: what mode 'count' does in place of logging.
 *
 * Invariants
 *   I1  A function's sleds lead to the counting trampolines only when its counters
 *       have memory behind them, in lane 0 and in each lane that was ever given out.
 *   I2  A lane is one thread's at a time; its counters change by single instructions,
 *       so that a signal handler of the thread loses none. Lane 0's are locked.
 *   I3  Counters only go up, and are kept when a thread ends or a module goes: a base
 *       belongs to one build-id for ever (registry.h, I4).
 *   I4  All of it is called under the registry's lock.
 */
#ifndef SPOOR_COUNTS_H
#define SPOOR_COUNTS_H

#include "event/event_path.h"
#include "module/registry.h"

/*
 * spoor_counts_begin - makes the file and lane 0.
 * @folder: the process's
 *
 * Return: 0, or a negative errno.
 */
int spoor_counts_begin(const char *folder, uint64_t session_id);

/*
 * spoor_counts_cover - puts memory behind a module's counters.
 *
 * Return: 0; -ERANGE where it has functions beyond the last counter, or the negative
 * errno of having no memory or disk.
 */
int spoor_counts_cover(struct spoor_instance *instance);

/* Gives a thread a lane, or has it share lane 0 where none is left. */
void spoor_counts_attach(struct spoor_thread *thread);

/* Gives it all back. Under the registry's lock, while no thread that has a lane is left. */
void spoor_counts_end(void);

/* In a forked child: the counters are the parent's. The place where an interrupted
 * trampoline is about to count stays mapped, with nothing behind it. */
void spoor_counts_abandon(void);
/* The same, before anything else of the child runs. Signal-safe. */
void spoor_counts_forked(void);

#endif
