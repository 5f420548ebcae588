/* SPDX-License-Identifier: MIT */
/*
 * callee_library.h - libraries whose functions are recorded when other modules call them, by stubs or by wrappers.
 *
 * Such a library is a module of the registry of its own kind. Its functions are its dynamic symbols: local function ID
 * N is symbol N. So names are in every file, and a version of a symbol is a function of its own.
 * All functions run under the registry's lock, in a callback of dl_iterate_phdr.
 */
#ifndef SPOOR_CALLEE_LIBRARY_H
#define SPOOR_CALLEE_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

#include "library_calls/dynamic_module.h"

struct spoor_callee_library;
struct spoor_instance;

/* Returns the library, which is new if it was not seen before, or null if there is no room. */
struct spoor_callee_library *spoor_callee_library_find(const struct spoor_dynamic_module *module);

/* Returns the number of the stub for a call of @symbol, whose code is at @real; 0: the call cannot be recorded. */
uint32_t spoor_callee_library_stub(struct spoor_callee_library *library, const struct spoor_dynamic_module *module,
				   uint32_t symbol, const void *real);

/* Notes that a call slot leads to @symbol: patterns for modules and functions choose it too. */
void spoor_callee_library_add_slot(struct spoor_callee_library *library, uint32_t symbol);

/* Of @symbol: its dense index, and whether its calls are recorded. */
uint32_t spoor_callee_library_index(const struct spoor_callee_library *library, uint32_t symbol);
bool spoor_callee_library_is_awake(const struct spoor_callee_library *library, uint32_t symbol);

/* Whether the instance is the library's. */
bool spoor_callee_library_is(const struct spoor_callee_library *library, const struct spoor_instance *instance);

/* Removes the libraries that are not in the list of loaded modules from the registry. */
void spoor_callee_libraries_remove(const struct spoor_dynamic_module *modules, uint32_t count);

/* Applies the choices to stubs and call slots that were added. */
void spoor_callee_libraries_apply(void);

/* Calls observers of removed libraries. Not under the lock. */
void spoor_callee_libraries_settle(void);

/* The number of functions that had no stub left. */
uint32_t spoor_callee_libraries_left_out(void);

#endif
