/* SPDX-License-Identifier: MIT */
/*
 * trap_library.h - uses libspoor_trap.so, if the library is in the process.
 *
 * The library is late if it was loaded into a running process (`spoor record --pid`, `spoor ctl`). The loader makes
 * sure that no thread blocks SIGTRAP; if a thread does, SIGTRAP is not taken over.
 */
#ifndef SPOOR_TRAP_LIBRARY_H
#define SPOOR_TRAP_LIBRARY_H

#include <stdbool.h>

#include "format/trap_guard.h"

/* Takes SIGTRAP over. Returns whether breakpoints can be handled. Context: not under the registry's lock;
 * signal-safe once it has returned true. */
bool spoor_probe_guard_begin(spoor_trap *trap);

/* Tell if SIGTRAP was taken over, and if a library that came late did it. */
bool spoor_probe_guard_is_taken(void);
bool spoor_probe_guard_is_late(void);

/* Restores SIGTRAP, if the library came late. Call it when no breakpoint is left and no thread handles one. Not
 * under the registry's lock. */
void spoor_probe_guard_end(void);

#endif
