/* SPDX-License-Identifier: MIT */
/*
 * mode.h - what becomes of events: all or the last ones are stored, or calls are counted, or
 * each function's first one is noted.
 *
 * Changing the mode swaps what the thunks' slots lead to: an event goes through one of
 * the two trampolines, and through it whole, so none is lost and none is there twice.
 *
 * Slots and sleds of many modules are not swapped at once. So that a thread's events are
 * recorded up to one of them, and from one on, it is the thread that turns: `spoor_gaps`
 * goes up, every thread's next event is sent to the slow path, and that goes by
 * `spoor_recording`, whatever the slots lead to (spoor_threads_turn). Before a thread that
 * has run unrecorded stores anything more, it says so in the trace.
 */
#ifndef SPOOR_MODE_H
#define SPOOR_MODE_H

#include "config/configuration.h"

/* The mode while sleds are awake: log, ring, count or order. Any context. */
enum spoor_mode spoor_mode_now(void);

/* Takes the configuration's, with all sleds dormant: it holds when they wake. Under the
 * registry's lock. */
void spoor_mode_begin(void);

/*
 * spoor_mode_change - from now on. "off" makes all sleds dormant, any other wakes them.
 *
 * Return: 0, -EBUSY where something else than a trace takes all events, or the negative
 * errno of what the mode needs: then nothing has changed.
 * Context: under the registry's lock.
 */
int spoor_mode_change(enum spoor_mode mode);

/* What was dormant, or is about to wake: threads record, or count. Under the registry's lock. */
void spoor_mode_wake(void);

/* Nothing is recorded from here on, and all sleds are dormant. Under the registry's lock.
 * Return: how many functions that changed. */
long spoor_mode_sleep(void);

/* What a module must have before it is awake in that mode. Return: 0 or a negative errno.
 * Under the registry's lock, with a trace. */
struct spoor_instance;
int spoor_mode_cover(enum spoor_mode mode, struct spoor_instance *instance);

/* Whether events of the program's own have a place. Any context. */
bool spoor_mode_stores(void);

/* Points the slots at the mode's trampolines. Context: under the registry's lock. */
void spoor_mode_trampolines(void);

#endif
