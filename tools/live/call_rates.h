/* SPDX-License-Identifier: MIT */
/*
 * call_rates.h - counts how often each function of a process is called, as its drainer sees it.
 *
 * The drainer passes each slice before it writes the slice, and looks at slices in use now and then.
 * Each call is counted once, in the second in which it began. Only called functions need memory. Calls
 * of the runtime that replace sleds (-fspoor-mode=call) are not counted, because they cannot be made
 * dormant.
 *
 * One thread at a time may call these functions, except for call_rates_next and call_rates_done, which
 * one other thread may call.
 */
#ifndef SPOOR_TOOLS_CALL_RATES_H
#define SPOOR_TOOLS_CALL_RATES_H

#include <stdbool.h>

#include "drain/drain.h"

struct call_rates;

/* @limit: calls per second. Returns 0 or -ENOMEM. */
int call_rates_begin(struct call_rates **rates, struct spoor_drain *drain, uint64_t limit);
void call_rates_end(struct call_rates *rates);

/* Called before a slice is written. Counts the calls of the slice that were not counted yet. */
void call_rates_slice(void *rates, uint32_t slice);

/* Counts the calls in all slices in use, and writes records of functions that became dormant. */
void call_rates_look(struct call_rates *rates);

/*
 * call_rates_next - gives a function that is called more often than the limit, each function once.
 * Returns whether there is one.
 */
bool call_rates_next(struct call_rates *rates, uint32_t *index);

/* Notes that the function is dormant now. */
void call_rates_done(struct call_rates *rates, uint32_t index);

#endif
