/* SPDX-License-Identifier: MIT */
/*
 * slot_binding.h - finds the functions of slots that lazy binding has not bound yet.
 *
 * dlsym(3) must not be called in a callback of dl_iterate_phdr, so names are collected in a callback, resolved without
 * any lock of the loader, and looked up by slot in a later callback.
 */
#ifndef SPOOR_SLOT_BINDING_H
#define SPOOR_SLOT_BINDING_H

#include <stdbool.h>

#include "library_calls/dynamic_module.h"

/* Adds a slot to the list. Under the registry's lock, like the last two functions. */
void spoor_slot_binding_add(const struct spoor_dynamic_module *module, const ElfW(Rela) *relocation);

/* Resolves all slots in the list. Not under the registry's lock. */
void spoor_slot_bindings_resolve(void);

/* Returns the function for a slot; null: unknown. */
const void *spoor_slot_binding_find(void *const *slot);

/* Empties the list. */
void spoor_slot_bindings_end(void);

#endif
