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
#include "module/observer.h"

/* The mode while sleds are awake: log, ring, count or order. Any context. */
enum spoor_mode spoor_mode_now(void);

/* The mode from now on; its slots too. What it needs is there. Under the registry's lock. */
void spoor_mode_set_now(enum spoor_mode mode);

/* Whether events of the program's own are stored. Any context. */
bool spoor_mode_logs(void);
void spoor_mode_log(bool on);
/* Where it is 0 while none are. */
const char *spoor_mode_logs_flag(void);

/* Whether all events go to a handler library, or to XRay's handler, and no trace is written. Any context. */
bool spoor_mode_is_elsewhere(void);
void spoor_mode_go_elsewhere(void);

/* Takes the configuration's, with all sleds dormant: it holds when they wake. Under the
 * registry's lock. */
void spoor_mode_begin(void);

/* What was dormant, or is about to wake: threads record, or count. Under the registry's lock. */
void spoor_mode_wake(void);

/* What a module must have before it is awake in that mode. Return: 0 or a negative errno.
 * Under the registry's lock, with a trace. */
int spoor_mode_cover(enum spoor_mode mode, struct spoor_instance *instance);

/* Whether events of the program's own have a place. Any context. */
bool spoor_mode_stores(void);

/* Points the slots at the mode's trampolines. Context: under the registry's lock. */
void spoor_mode_trampolines(void);

/* Sees to it that a module has what the mode needs before any of it wakes. */
extern const struct spoor_module_observer spoor_mode_modules;

#endif
