/* SPDX-License-Identifier: MIT */
/* mode_change.h - what a change of the mode takes: the trace, threads, sleds and tracepoints follow it. */
#ifndef SPOOR_MODE_CHANGE_H
#define SPOOR_MODE_CHANGE_H

#include "mode/mode.h"

/*
 * spoor_mode_change - from now on. "off" makes all sleds dormant, any other wakes them.
 *
 * Return: 0, -EBUSY where something else than a trace takes all events, or the negative
 * errno of what the mode needs: then nothing has changed.
 * Context: under the registry's lock.
 */
int spoor_mode_change(enum spoor_mode mode);

/* Nothing is recorded from here on, and all sleds are dormant. Under the registry's lock.
 * Return: how many functions that changed. */
long spoor_mode_sleep(void);

#endif
