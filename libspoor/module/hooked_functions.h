/* SPDX-License-Identifier: MIT */
/* hooked_functions.h - the functions of a module with hooks: one for each entry of its unwind table. */
#ifndef SPOOR_HOOKED_FUNCTIONS_H
#define SPOOR_HOOKED_FUNCTIONS_H

#include "module/hooked_modules.h"

/* Reads the address of each function from the unwind table. Returns false without a sorted table or memory. */
bool spoor_hooked_functions_read(struct spoor_hooked *module, const struct spoor_unwind_table *table, uint64_t load_bias);

/* Tells if a function of the module begins at @address. Sets @local to its local ID. Any context. */
bool spoor_hooked_function_at(struct spoor_hooked *module, uintptr_t address, uint32_t *local);

/*
 * spoor_hooked_function_of - finds the function of an event.
 * @function: the address that the hook was called with
 * @at:       the place of the call
 *
 * If @function is an entry of the procedure linkage table in the executable, @at says which function it is.
 * Code without an unwind entry has no local ID: its first event prints a message.
 *
 * Returns the module, or null if the event is not to be recorded. Context: as spoor_hooked_find.
 */
struct spoor_hooked *spoor_hooked_function_of(uintptr_t function, uintptr_t at, int (*begin)(void), uint32_t *local);

/* The same if only the place of the call is known. */
struct spoor_hooked *spoor_hooked_function_around(uintptr_t at, int (*begin)(void), uint32_t *local);

/* Prints what spoor_first_run could not print: code without unwind entries was called. */
void spoor_hooked_functions_warn(void);

#endif
