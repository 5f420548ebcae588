/* SPDX-License-Identifier: MIT */
/*
 * mode.h - the mode of the runtime: stores all events or the newest ones, counts calls, or notes
 * the first execution of each function.
 *
 * A change of the mode points the slots of all modules at other trampolines. An event runs one
 * trampoline to its end, either the old one or the new one, so no event is lost or duplicated.
 *
 * The slots and sleds of many modules do not change at the same moment. So each thread turns
 * to the new mode at one event: `spoor_gaps` increases, which sends each thread's next event to
 * the slow path. The slow path obeys `spoor_recording`, wherever the slots lead
 * (spoor_threads_turn). A thread that ran unrecorded notes this in the trace before it
 * stores more events.
 */
#ifndef SPOOR_MODE_H
#define SPOOR_MODE_H

#include "config/configuration.h"
#include "module/observer.h"

/* The mode of awake sleds: log, ring, count or order. Any context. */
enum spoor_mode spoor_mode_now(void);

/* Sets the mode and its slots. Everything that the mode needs exists already. Under the registry's lock. */
void spoor_mode_set_now(enum spoor_mode mode);

/* Tells if the events of the program are stored. Any context. */
bool spoor_mode_logs(void);
void spoor_mode_log(bool on);
/* Address of the flag that is 0 while no events are stored. */
const char *spoor_mode_logs_flag(void);

/* Tells if all events go to a handler library or to XRay's handler, and spoor writes no trace. Any context. */
bool spoor_mode_is_elsewhere(void);
void spoor_mode_go_elsewhere(void);

/* Sets the configuration's mode. All sleds are dormant; the mode applies when they wake. Under the registry's
 * lock. */
void spoor_mode_begin(void);

/* Lets all threads record or count, before dormant sleds wake. Under the registry's lock. */
void spoor_mode_wake(void);

/* Prepares what @mode needs for a module before the module wakes. Returns 0, or a negative errno. Under the
 * registry's lock, with a trace. */
int spoor_mode_cover(enum spoor_mode mode, struct spoor_instance *instance);

/* Tells if the mode stores events. Any context. */
bool spoor_mode_stores(void);

/* Points the slots at the mode's trampolines. Under the registry's lock. */
void spoor_mode_trampolines(void);

/* Prepares what the mode needs for a module before any function of the module wakes. */
extern const struct spoor_module_observer spoor_mode_modules;

#endif
