/* SPDX-License-Identifier: MIT */
/* registry_apply.h - what registry_apply.c does for a module that comes or goes. */
#ifndef SPOOR_REGISTRY_APPLY_H
#define SPOOR_REGISTRY_APPLY_H

#include "module/registry.h"

/* All of them under the registry's lock. */

/* Points the module's slots at the trampolines of the day. Before any sled is awake. */
void spoor_instance_set_slots(struct spoor_instance *instance);

/* Wakes what the rules so far say of a module that has just come. */
void spoor_instance_begin(struct spoor_instance *instance);

/* Makes the index of the module's functions, where it has none. Return: 0 or -ENOMEM. */
int spoor_instance_index(struct spoor_instance *instance);

/* None of the module's functions counts as patched any more; its text is not touched. */
void spoor_instance_end(struct spoor_instance *instance);

#endif
