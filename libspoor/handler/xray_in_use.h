/* SPDX-License-Identifier: MIT */
/* xray_in_use.h - what changes if libspoor_xray.so is in the process (xray_objects.h). */
#ifndef SPOOR_XRAY_IN_USE_H
#define SPOOR_XRAY_IN_USE_H

#include "module/observer.h"

/* The numbers of one module's functions. Never freed, because events read them without a lock. */
struct spoor_object {
	uint32_t number_count;
	uint32_t *sled;		/* by number: index of its first sled in the sled map */
	uint32_t *local;	/* by number; UINT32_MAX: not in the function table */
	uint32_t *number;	/* by local ID; 0: the function has no sleds */
};

/* Tells if libspoor_xray.so is in the process. */
bool spoor_objects_are_used(void);

/* Tells if functions are patched without a request of the program: the configuration chooses some, or XRAY_OPTIONS has
 * patch_premain=true. */
bool spoor_objects_patch_unasked(void);

/* Drops all events until there is a handler. Under the registry's lock. */
void spoor_objects_begin(void);

/* Numbers the functions of a module, which has an index. Under the registry's lock. */
void spoor_objects_number(struct spoor_instance *instance);

/* The numbers of a module's functions, or null if it has no numbers. Under the registry's lock. */
const struct spoor_object *spoor_objects_numbers(const struct spoor_instance *instance);

/* The executable's position in the registry; -1 if it has not registered. Under the registry's lock. */
int64_t spoor_objects_executable(void);

/* The loaded module with this object number, or null. Under the registry's lock. */
struct spoor_instance *spoor_objects_instance(int32_t object);

/* The address of the function that has sled @sled of the module's sled map. */
static inline uintptr_t spoor_object_function(const struct spoor_dso *dso, uint32_t sled)
{
	return (uintptr_t)&dso->sleds_begin[sled].function + (uintptr_t)dso->sleds_begin[sled].function;
}

/* The function `packed` of struct spoor_objects. Signal-safe. */
bool spoor_objects_packed(uint64_t function_id, uint32_t *packed);

/* Numbers the functions of modules before they are patched. */
extern const struct spoor_module_observer spoor_xray_modules;

#endif
