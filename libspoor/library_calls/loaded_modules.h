/* SPDX-License-Identifier: MIT */
/*
 * loaded_modules.h - the modules that are loaded during a callback of dl_iterate_phdr, and which one has a function.
 *
 * All functions run under the registry's lock, in a callback of dl_iterate_phdr, between begin and end.
 */
#ifndef SPOOR_LOADED_MODULES_H
#define SPOOR_LOADED_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include "library_calls/dynamic_module.h"

struct spoor_loaded_modules {
	struct spoor_dynamic_module *list;	/* in the order in which the loader searches them */
	uint32_t count;
	size_t bytes;
	unsigned long long adds;	/* dlpi_adds: changes if a module is loaded */
	bool any_path;			/* a module has DT_RPATH or DT_RUNPATH */
};

/* Lists the modules. Returns false, with an empty list, without memory. */
bool spoor_loaded_modules_begin(struct spoor_loaded_modules *modules);
void spoor_loaded_modules_end(struct spoor_loaded_modules *modules);

/* The module with the code of a function, or null. */
const struct spoor_dynamic_module *spoor_loaded_module_of(const struct spoor_loaded_modules *modules, const void *function);

/* The library of a function that is called by this name and version: an indirect function may have chosen code of the
 * kernel, such as libc's time(). */
const struct spoor_dynamic_module *spoor_loaded_module_called(const struct spoor_loaded_modules *modules, const void *function,
							      const char *name, const char *version);

/* Whether the function has sleds: these record its calls. */
bool spoor_loaded_function_has_sleds(const struct spoor_dynamic_module *module, const void *function);

#endif
