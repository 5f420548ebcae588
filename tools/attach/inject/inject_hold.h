/* SPDX-License-Identifier: MIT */
/*
 * inject_hold.h - stops all other threads while the borrowed thread runs our calls.
 *
 * Any held thread may own a lock, so the called function takes no locks, or only tries to. A call that runs for more
 * than a second, or takes more than five seconds by the clock because its thread gets no processor, releases the
 * threads.
 */
#ifndef SPOOR_TOOLS_INJECT_HOLD_H
#define SPOOR_TOOLS_INJECT_HOLD_H

#include "attach/inject/inject.h"

/*
 * inject_hold - stops the other threads. A thread that does not stop in half a second (it waits for a disk or for a
 * child of vfork, or gets no processor) is not held; it stops before it runs code of the program again.
 *
 * Returns 0 or a negative errno; then no thread is held. Context: between inject_begin and inject_end.
 */
int inject_hold(struct inject *inject);

/* Releases the held threads. @inject may be null, or hold none. */
void inject_hold_release(struct inject *inject);

/* Reaps held threads that have ended. Context: the undertaker (inject_undertaker.h). */
void inject_hold_reap(const struct inject *inject);

/* Returns whether threads are held. */
bool inject_is_holding(const struct inject *inject);

/*
 * inject_hold_for_each - calls @each for the borrowed thread and for each held thread, with the registers that the
 * thread had when it was stopped.
 *
 * Returns 0, or the first result of @each that is not 0.
 */
int inject_hold_for_each(struct inject *inject, int (*each)(void *context, pid_t thread), void *context);

#endif
