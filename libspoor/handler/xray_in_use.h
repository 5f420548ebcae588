/* SPDX-License-Identifier: MIT */
/* xray_in_use.h - what the runtime does where libspoor_xray.so is in the process (xray_objects.h). */
#ifndef SPOOR_OBJECTS_USED_H
#define SPOOR_OBJECTS_USED_H

#include "module/registry.h"

/* Whether it is. */
bool spoor_objects_are_used(void);

/* Whether the configuration's choice is to be followed all the same: it is one, or
 * XRAY_OPTIONS has patch_premain=true. */
bool spoor_objects_patch_unasked(void);

/* Events go nowhere until there is a handler. Under the registry's lock. */
void spoor_objects_begin(void);

/* Gives a module's functions their numbers, before they are patched. Under the registry's lock. */
void spoor_objects_number(struct spoor_instance *instance);

#endif
