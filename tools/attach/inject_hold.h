/* SPDX-License-Identifier: MIT */
/*
 * inject_hold.h - all other threads stand still while one calls for us.
 *
 * Any of them may have stopped with a lock: what is called meanwhile takes none, or tries. A
 * call that runs for more than a second, or takes more than five by the clock because its thread gets no processor,
 * lets them go by itself.
 */
#ifndef SPOOR_TOOLS_INJECT_HOLD_H
#define SPOOR_TOOLS_INJECT_HOLD_H

#include "attach/inject.h"

/*
 * inject_hold - stops the other threads. One that cannot be stopped in half a second (it waits for a disk, or a
 * child of vfork's, or gets no processor) is not among them; it stops before it runs code of the program again.
 *
 * Return: 0 or a negative errno; then none is held. Context: between inject_begin and inject_end.
 */
int inject_hold(struct inject *inject);

/* Lets them go; null, or not holding, is fine. */
void inject_hold_release(struct inject *inject);

/* Waits for those that have ended. Context: the undertaker's (inject_undertaker.h). */
void inject_hold_reap(const struct inject *inject);

/* Whether they stand still. */
bool inject_is_holding(const struct inject *inject);

/*
 * inject_hold_for_each - calls @each for every thread that stands still, that which calls for us among
 * them, with its registers as they were when it was stopped.
 *
 * Return: 0, or what @each returned that was not 0.
 */
int inject_hold_for_each(struct inject *inject, int (*each)(void *context, pid_t thread), void *context);

#endif
