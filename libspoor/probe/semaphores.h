/* SPDX-License-Identifier: MIT */
/*
 * semaphores.h - the list of tracepoints of spoor/sdt.h with a semaphore, and which of them are on. probe.h makes the
 * same structs for static tracepoints of other tools.
 *
 * A tracepoint that is on has 1 in the upper half of its semaphore and our recorder in its struct. It then stores an
 * event of its thread, as calls do. No text is patched here.
 *
 * Invariants
 *   I1  The structs are read and written under the registry's lock, except for the fields that the program reads: the
 *       recorder is set before the semaphore, and cleared after it.
 *   I2  A number belongs to one name in one file for the whole process.
 *   I3  A registered tracepoint is unregistered by its module's destructor, before the module is unmapped.
 */
#ifndef SPOOR_SEMAPHORES_H
#define SPOOR_SEMAPHORES_H

#include <stdbool.h>

#include "spoor/sdt.h"

/*
 * spoor_tracepoints_add - adds a tracepoint, and switches it on if it is chosen. Does nothing if the tracepoint
 * was added before, or its module's destructor has run.
 * @path: of its module
 *
 * Returns whether the tracepoint was switched on. Context: under the registry's lock.
 */
bool spoor_tracepoints_add(struct spoor_sdt_probe *probe, const char *path);

/* Tells if the tracepoint is chosen. Under the registry's lock. */
bool spoor_tracepoints_is_chosen(const struct spoor_sdt_probe *probe);

/*
 * spoor_tracepoints_choose - switches tracepoints on or off, now and when they are added later.
 * @patterns: match "provider:name"
 *
 * Returns how many changed. Context: under the registry's lock.
 */
long spoor_tracepoints_choose(bool on, const char *patterns);

/* Tells if any tracepoint was ever chosen. If so, tracepoints of new modules are added at once; else when the first
 * is chosen. Any context. */
bool spoor_tracepoints_are_used(void);

/* Replaces all earlier choices by @patterns, until a call with null restores them. Under the registry's lock. */
void spoor_tracepoints_choose_as(const char *patterns);

/* Switches all tracepoints according to the choices and to whether events are stored. Return and context: as
 * above. */
long spoor_tracepoints_settle(void);

/* Tells if any tracepoint is chosen, on or not. Under the registry's lock. */
bool spoor_tracepoints_any_chosen(void);

/* The number of tracepoints that are on. Under the registry's lock. */
long spoor_tracepoints_on(void);

/* Warns about the configuration's patterns that matched nothing, in a process with sleds or tracepoints. @where,
 * context: as spoor_choice_unmatched. Under the registry's lock. */
void spoor_tracepoints_unmatched(const char *where);

#endif
