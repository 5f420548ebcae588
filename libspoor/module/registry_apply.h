/* SPDX-License-Identifier: MIT */
/* registry_apply.h - applies the choices to a module that comes or goes. */
#ifndef SPOOR_REGISTRY_APPLY_H
#define SPOOR_REGISTRY_APPLY_H

#include "module/registry.h"

/* All functions run under the registry's lock. */

/* Points the module's slots at the current trampolines. Call it before any sled is awake. */
void spoor_instance_set_slots(struct spoor_instance *instance);

/* Wakes the functions of a new module that the rules choose. */
void spoor_instance_begin(struct spoor_instance *instance);

/* Instead of spoor_instance_begin: the module stays dormant until it is released, or functions are chosen in it. */
void spoor_instance_hold(struct spoor_instance *instance);
bool spoor_instance_is_held(const struct spoor_instance *instance);

/* Indexes the module's functions, if there is no index yet. Returns 0, or -ENOMEM. */
int spoor_instance_index(struct spoor_instance *instance);

/* Stops counting the module's functions as patched; its text is not touched. */
void spoor_instance_end(struct spoor_instance *instance);

#endif
