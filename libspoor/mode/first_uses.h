/* SPDX-License-Identifier: MIT */
/*
 * first_uses.h - each function's first execution is noted: what mode 'order' does in place of
 * logging.
 *
 * Invariants
 *   I1  An entry sled leads to the trampoline only when its module is covered: there is room
 *       for an entry of each of its functions, and a bit in `seen`.
 *   I2  Whoever sets the bit of a function takes the next entry: each has one at most.
 *   I3  The trampoline makes the sled that it came from dormant. So the text of a module
 *       that was ever awake in this mode stays writable: a thread may be on its way.
 *   I4  All but the trampoline is called under the registry's lock.
 */
#ifndef SPOOR_ORDER_H
#define SPOOR_ORDER_H

#include "format/order_format.h"
#include "module/registry.h"

/* Makes the file in a process's folder. Return: 0, or a negative errno. */
int spoor_order_begin(const char *folder, uint64_t session_id);

/*
 * spoor_order_cover - makes room for a module's functions.
 *
 * Return: 0; -ERANGE where it has functions beyond the last index, or the negative errno of
 * having no memory or disk.
 */
int spoor_order_cover(struct spoor_instance *instance);

/* In a forked child that begins a trace of its own. */
void spoor_order_abandon(void);

/* Gives it all back, while no thread can come through a trampoline. */
void spoor_order_end(void);

#endif
