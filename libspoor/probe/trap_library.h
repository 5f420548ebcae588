/* SPDX-License-Identifier: MIT */
/*
 * trap_library.h - libspoor_trap.so, where it is in the process.
 *
 * Late is what was loaded into a process that runs (`spoor record --pid`, `spoor ctl`): who loads it sees to it
 * that no thread blocks SIGTRAP, and without that nothing is taken.
 */
#ifndef SPOOR_PROBE_GUARD_H
#define SPOOR_PROBE_GUARD_H

#include <stdbool.h>

#include "format/trap_guard.h"

/* Takes SIGTRAP. Return: whether breakpoints can be met. Context: under no lock of ours; signal-safe once it has
 * returned true. */
bool spoor_probe_guard_begin(spoor_trap *trap);

/* Whether it was taken; whether it was and came late. */
bool spoor_probe_guard_is_taken(void);
bool spoor_probe_guard_is_late(void);

/* Gives back what was taken late. No breakpoint is left, nor anyone who met one. Under no lock of ours. */
void spoor_probe_guard_end(void);

#endif
