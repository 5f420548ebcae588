/* SPDX-License-Identifier: MIT */
/*
 * first_uses.h - notes each function's first execution: mode 'order' does so instead of
 * logging.
 *
 * Invariants
 *   I1  An entry sled leads to the trampoline only if its module is covered: there is room
 *       for an entry of each of its functions, and a bit in `seen`.
 *   I2  The thread that sets the bit of a function takes the next entry: each function has
 *       at most one.
 *   I3  The trampoline makes the sled that called it dormant. So the text of a module that
 *       was ever awake in this mode stays writable: a thread may still be in a trampoline.
 *   I4  All functions but the trampoline are called under the registry's lock.
 */
#ifndef SPOOR_FIRST_USES_H
#define SPOOR_FIRST_USES_H

#include "format/order_format.h"
#include "module/registry.h"

/* Creates the file in a process's folder. Returns 0, or a negative errno. */
int spoor_order_begin(const char *folder, uint64_t session_id);

/*
 * spoor_order_cover - makes room for a module's functions.
 *
 * Returns 0, or
 *   -ERANGE   the module has functions beyond the last index
 *   a negative errno if there is no memory or no disk space
 */
int spoor_order_cover(struct spoor_instance *instance);

/* In a forked child that begins a separate trace. */
void spoor_order_abandon(void);

/* Releases the file and its memory. No thread may be in a trampoline. */
void spoor_order_end(void);

#endif
