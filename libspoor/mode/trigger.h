/* SPDX-License-Identifier: MIT */
/* trigger.h - prepares a trigger in the traced process: turns the names of the configuration into dense indexes. */
#ifndef SPOOR_TRIGGER_H
#define SPOOR_TRIGGER_H

#include "format/trigger_format.h"
#include "module/observer.h"

/* All functions run under the registry's lock. */

/* Writes the configuration's trigger into a new pool, before the pool is drained. */
void spoor_trigger_begin(struct spoor_pool *pool);

/* Adds the functions of a module that the trigger names, once for each pool. The module is indexed, as for
 * spoor_choice_functions. */
void spoor_trigger_module(struct spoor_instance *instance);

/* Warns once if the trigger names no function, or no traced one. Call it when a process that began with the
 * trigger ends normally, and after spoor attached to a process. */
void spoor_trigger_check(void);

/* Looks up the functions of modules when they first wake, and notes whether the trigger's functions are awake. */
extern const struct spoor_module_observer spoor_trigger_modules;

#endif
