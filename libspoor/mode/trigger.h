/* SPDX-License-Identifier: MIT */
/* trigger.h - the traced process's side of a trigger: from the configuration's names to dense indexes. */
#ifndef SPOOR_TRIGGER_H
#define SPOOR_TRIGGER_H

#include "format/trigger_format.h"
#include "module/observer.h"

/* All of them under the registry's lock. */

/* Puts what the configuration says into a new pool, before anybody drains it. */
void spoor_trigger_begin(struct spoor_pool *pool);

/* Adds those functions of a module that the trigger names, once for each pool. Indexed, as for spoor_choice_functions. */
void spoor_trigger_module(struct spoor_instance *instance);

/* A trigger whose name no function has, or none that was traced, is worth a message, once: when a
 * process that began with it ends in order, and when one has been attached to. */
void spoor_trigger_check(void);

/* Looks modules up when they first wake, and notes whether any function of the trigger does. */
extern const struct spoor_module_observer spoor_trigger_modules;

#endif
