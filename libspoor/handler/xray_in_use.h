/* SPDX-License-Identifier: MIT */
/* xray_in_use.h - what the runtime does where libspoor_xray.so is in the process (xray_objects.h). */
#ifndef SPOOR_OBJECTS_USED_H
#define SPOOR_OBJECTS_USED_H

#include "module/observer.h"

/* Numbers of one module's functions. Kept for good: events look here without a lock. */
struct spoor_object {
	uint32_t number_count;
	uint32_t *sled;		/* by number: the position of its first sled */
	uint32_t *local;	/* by number; UINT32_MAX: not in the function table */
	uint32_t *number;	/* by local ID; 0: no sleds */
};

/* Whether it is. */
bool spoor_objects_are_used(void);

/* Whether the configuration's choice is to be followed all the same: it is one, or
 * XRAY_OPTIONS has patch_premain=true. */
bool spoor_objects_patch_unasked(void);

/* Events go nowhere until there is a handler. Under the registry's lock. */
void spoor_objects_begin(void);

/* Gives a module's functions their numbers. It has an index. Under the registry's lock. */
void spoor_objects_number(struct spoor_instance *instance);

/* The numbers of a module's functions; null where it has none. Under the registry's lock. */
const struct spoor_object *spoor_objects_numbers(const struct spoor_instance *instance);

/* The position of the executable in the registry; -1 while it is not there. Under the registry's lock. */
int64_t spoor_objects_executable(void);

/* The loaded module that is this object, or null. Under the registry's lock. */
struct spoor_instance *spoor_objects_instance(int32_t object);

/* The address of the function that sled @sled of the module's map belongs to. */
static inline uintptr_t spoor_object_function(const struct spoor_dso *dso, uint32_t sled)
{
	return (uintptr_t)&dso->sleds_begin[sled].function + (uintptr_t)dso->sleds_begin[sled].function;
}

/* As struct spoor_objects has it. Signal-safe. */
bool spoor_objects_packed(uint64_t function_id, uint32_t *packed);

/* Numbers modules before they are patched. */
extern const struct spoor_module_observer spoor_xray_modules;

#endif
