/* SPDX-License-Identifier: MIT */
/*
 * jump_slots.h - the jump slots of calling modules: led to stubs, and restored byte by byte.
 *
 * All functions run under the registry's lock, in a callback of dl_iterate_phdr, so no module is unmapped meanwhile.
 */
#ifndef SPOOR_JUMP_SLOTS_H
#define SPOOR_JUMP_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "library_calls/dynamic_module.h"

/* Whether calls from this module are recorded. The C library, the dynamic loader and spoor are excluded. */
bool spoor_jump_slots_has_calls(const struct spoor_dynamic_module *module);

/* Whether lazy binding has not bound a slot yet: it leads to its module's own procedure linkage table. */
bool spoor_jump_slot_is_unbound(const struct spoor_dynamic_module *module, const ElfW(Rela) *relocation);

/* The name of the function that a slot leads to; null if the relocation is not for a jump slot. */
const char *spoor_jump_slot_name(const struct spoor_dynamic_module *module, const ElfW(Rela) *relocation);

/* Finds the library function of a bound slot. Returns the number of its stub; 0: none. */
typedef uint32_t spoor_stub_finder(const struct spoor_dynamic_module *module, const ElfW(Rela) *relocation, const void *real);

/*
 * spoor_jump_slots_update - leads the slots of awake functions to their stubs, and restores the others.
 * @resolve: returns the function of an unbound slot, or null
 * @find:    finds stubs
 *
 * Returns 0, or a negative errno if the slots cannot be made writable.
 */
int spoor_jump_slots_update(const struct spoor_dynamic_module *module, const void *(*resolve)(void *const *slot),
			    spoor_stub_finder *find);

/* The same for slots that already lead to stubs: restores those of dormant functions, finds no new ones. */
int spoor_jump_slots_restore(const struct spoor_dynamic_module *module);

/* Forgets the modules that are not in the list of loaded modules. */
void spoor_jump_slots_forget(const struct spoor_dynamic_module *modules, uint32_t count);

#endif
