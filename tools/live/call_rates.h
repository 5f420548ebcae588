/* SPDX-License-Identifier: MIT */
/*
 * call_rates.h - how often each function of a process is called, as its drainer sees it.
 *
 * Whoever drains tells of each slice before it is drained, and looks at those in use now and then:
 * each call is counted once, by the second in which it began. Memory is for functions that are
 * called. Calls in the place of sleds (-fspoor-mode=call), which cannot be made dormant, are not counted.
 *
 * Not for several threads at a time, but for call_rates_next and call_rates_done, which are for one
 * other thread.
 */
#ifndef SPOOR_TOOLS_CALL_RATES_H
#define SPOOR_TOOLS_CALL_RATES_H

#include <stdbool.h>

#include "drain/drain.h"

struct call_rates;

/* @limit: calls a second. Return: 0 or -ENOMEM. */
int call_rates_begin(struct call_rates **rates, struct spoor_drain *drain, uint64_t limit);
void call_rates_end(struct call_rates *rates);

/* To be called before a slice is written: counts the calls of the slice that are not counted yet. */
void call_rates_slice(void *rates, uint32_t slice);

/* Counts what all slices in use have, and writes records of what has become dormant. */
void call_rates_look(struct call_rates *rates);

/*
 * call_rates_next - a function that is called more often than allowed, each once.
 * Return: whether there is one.
 */
bool call_rates_next(struct call_rates *rates, uint32_t *index);

/* It is dormant now. */
void call_rates_done(struct call_rates *rates, uint32_t index);

#endif
