/* SPDX-License-Identifier: MIT */
/*
 * call_slots.h - records calls of library functions in modules that were compiled with call slots (-fspoor-calls).
 *
 * A call slot leads to the function, or to a wrapper with sleds in the calling module. The events of the wrapper carry
 * the index of the library's function, so a call is the same in a trace whether a wrapper or a stub recorded it.
 *
 * Invariants
 *   I1  A wrapper's sleds are prepared only after its function is known: their index never changes.
 *   I2  A slot leads to its wrapper only while the wrapper's sleds are awake.
 *   I3  A function with sleds is called directly, so each call is counted once.
 *   I4  A wrapper is awake if its library's function is chosen; or, if the function belongs to no library, if the
 *       wrapper itself is chosen as a function of its module.
 */
#ifndef SPOOR_CALL_SLOTS_H
#define SPOOR_CALL_SLOTS_H

#include <stdbool.h>

#include "module/observer.h"

struct spoor_loaded_modules;

extern const struct spoor_module_observer spoor_call_slot_modules;

/* Lets events of wrappers carry the wrappers' own indexes: tools for XRay know only functions with sleds. Call it before
 * the first module is registered. */
void spoor_call_slots_give_up_libraries(void);

/* Whether a module with call slots was ever registered. Any context. */
bool spoor_call_slots_are_used(void);

/* Finds the functions of slots, and notes which of these functions have sleds by now. Under the registry's lock, in a callback of
 * dl_iterate_phdr. */
void spoor_call_slots_resolve(const struct spoor_loaded_modules *modules);

/* Makes wrappers and slots agree with the choices, after spoor_callee_libraries_apply. Under the registry's lock. */
void spoor_call_slots_apply(void);

#endif
