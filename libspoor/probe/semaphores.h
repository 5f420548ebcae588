/* SPDX-License-Identifier: MIT */
/*
 * semaphores.h - the tracepoints of spoor/sdt.h that have a semaphore, and others that probe.h has made
 * such structs for; and which of them are on.
 *
 * One that is on has 1 in its semaphore's upper half and our recorder in its struct: what it does then
 * is an event of its thread's, as calls are. Nothing is patched here.
 *
 * Invariants
 *   I1  The structs are read and written under the registry's lock, but for what the program reads: the
 *       recorder is set before the semaphore and taken back after it.
 *   I2  A number belongs to one name in one file for ever.
 *   I3  One that is registered is unregistered by its module's destructor, before it is unmapped.
 */
#ifndef SPOOR_TRACEPOINTS_H
#define SPOOR_TRACEPOINTS_H

#include <stdbool.h>

#include "spoor/sdt.h"

/*
 * spoor_tracepoints_add - makes one known, and switches it on where it is chosen. Nothing happens where
 * it is known, or its module's destructor has run.
 * @path: of its module
 *
 * Return: whether it is on now, and was not. Context: under the registry's lock.
 */
bool spoor_tracepoints_add(struct spoor_sdt_probe *probe, const char *path);

/* Whether it is among those that are chosen. Under the registry's lock. */
bool spoor_tracepoints_is_chosen(const struct spoor_sdt_probe *probe);

/*
 * spoor_tracepoints_choose - switches those on or off that the patterns choose by "provider:name", and
 * those that come later.
 *
 * Return: how many changed. Context: under the registry's lock.
 */
long spoor_tracepoints_choose(bool on, const char *patterns);

/* Whether any was ever chosen: those that come later are to be added at once, and not when some are
 * chosen. Any context. */
bool spoor_tracepoints_are_used(void);

/* Sets all choices so far aside for this one; null: takes them back. Under the registry's lock. */
void spoor_tracepoints_choose_as(const char *patterns);

/* Switches them as they are chosen, and as events are stored or not. Return and context: as above. */
long spoor_tracepoints_settle(void);

/* Whether any is chosen, be it on or not. Under the registry's lock. */
bool spoor_tracepoints_any_chosen(void);

/* How many are on. Under the registry's lock. */
long spoor_tracepoints_on(void);

/* Says which of the configuration's patterns matched nothing, in a process that has sleds or tracepoints. @where,
 * context: as spoor_choice_unmatched. Under the registry's lock. */
void spoor_tracepoints_unmatched(const char *where);

#endif
