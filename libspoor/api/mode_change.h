/* SPDX-License-Identifier: MIT */
/* mode_change.h - changes the mode of the trace, the threads, the sleds and the tracepoints. */
#ifndef SPOOR_MODE_CHANGE_H
#define SPOOR_MODE_CHANGE_H

#include "mode/mode.h"

/*
 * spoor_mode_change - changes the mode. "off" makes all sleds dormant; every other mode wakes them.
 *
 * Returns 0, -EBUSY if events go to a handler instead of a trace, or the negative errno of
 * preparing the mode. If it fails, no change was made.
 *
 * Context: under the registry's lock.
 */
int spoor_mode_change(enum spoor_mode mode);

/* Stops recording, and makes all sleds dormant. Under the registry's lock. Returns how many functions changed. */
long spoor_mode_sleep(void);

#endif
