/* SPDX-License-Identifier: MIT */
/*
 * library_calls.h - records calls of library functions without sleds in the library.
 *
 * In modules with call slots, wrappers record them (call_slots.h). Elsewhere calls between modules go through jump slots. The slots of chosen functions lead to stubs (event/library_path.h).
 *
 * Invariants
 *   I1  Jump slots are written in a callback of dl_iterate_phdr, under the registry's lock: no module is unmapped
 *       meanwhile. A choice or a change of mode, which has only the registry's lock, sets `awake` of the stubs, and a
 *       dormant stub leads on to its function.
 *   I2  A stub belongs to one symbol of one build of a library for the whole process.
 *   I3  A stub for a function exists only if the number of its stack words is known.
 *   I4  A function with sleds has no stub, so each call is counted once.
 */
#ifndef SPOOR_LIBRARY_CALLS_H
#define SPOOR_LIBRARY_CALLS_H

#include <stdbool.h>

/*
 * spoor_library_calls_follow - updates the jump slots of all modules: of modules that were loaded since, and after
 * choices.
 *
 * Context: not under the registry's lock; not signal-safe.
 */
void spoor_library_calls_follow(void);

/* The same after a module was registered: the modules with call slots, and the functions with sleds, may have changed. */
void spoor_library_calls_registered(void);

/* Prints which functions of chosen libraries could not be recorded. At the end of the process, under the registry's
 * lock. */
void spoor_library_calls_warn(void);

#endif
