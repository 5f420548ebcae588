/* SPDX-License-Identifier: MIT */
/*
 * counts.h - counts calls: mode 'count' does so instead of logging them.
 *
 * Invariants
 *   I1  A function's sleds lead to the counting trampolines only if its counters
 *       have memory, in lane 0 and in each lane that was ever given to a thread.
 *   I2  A lane belongs to one thread at a time. Each counter changes by a single
 *       instruction, so that a signal handler of the thread loses no count. Lane 0
 *       is shared, and its counters change by locked instructions.
 *   I3  Counters only grow. They stay when a thread ends or a module is closed: a
 *       base belongs to one build-id (registry.h, I4).
 *   I4  All functions are called under the registry's lock.
 */
#ifndef SPOOR_COUNTS_H
#define SPOOR_COUNTS_H

#include "event/event_path.h"
#include "module/registry.h"

/*
 * spoor_counts_begin - creates the file of counters, with lane 0.
 * @folder: the process's folder in the trace
 *
 * Returns 0, or a negative errno.
 */
int spoor_counts_begin(const char *folder, uint64_t session_id);

/*
 * spoor_counts_cover - gives a module's counters memory.
 *
 * Returns 0, or
 *   -ERANGE   the module has functions beyond the last counter
 *   a negative errno if there is no memory or no disk space
 */
int spoor_counts_cover(struct spoor_instance *instance);

/* Gives a thread a lane; if no lane is free, the thread shares lane 0. */
void spoor_counts_attach(struct spoor_thread *thread);

/* Releases the file and its memory. Under the registry's lock, when no thread has a lane. */
void spoor_counts_end(void);

/* In a forked child: the counters belong to the parent. Their addresses stay mapped, because an interrupted
 * trampoline may be about to count; the pages are private and zero. */
void spoor_counts_abandon(void);
/* Replaces the parent's pages only, before any other code runs in the child. Signal-safe. */
void spoor_counts_forked(void);

#endif
