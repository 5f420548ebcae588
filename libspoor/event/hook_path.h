/* SPDX-License-Identifier: MIT */
/* hook_path.h - what a hook's event runs through once its module is known. */
#ifndef SPOOR_HOOK_PATH_H
#define SPOOR_HOOK_PATH_H

#include "format/registration.h"

/* The functions of a module that are awake; its sleds have it (sled_index.h). Never freed. */
struct spoor_awake {
	uint32_t base;		/* of the module's dense indexes */
	uint64_t *patched;	/* bits by local ID; null while the module has no index */
};

/* What an event needs to know of a module whose functions call hooks, or were compiled for order mode. */
struct spoor_hooked_code {
	uint64_t load_bias;
	uint32_t count;
	uint32_t *functions;		/* virtual addresses, ascending */
	const struct spoor_awake *awake;
	void *slots[SPOOR_THUNK_COUNT];	/* as if it had thunks */
};

/* The function of the module that has the code at @address. Any context. */
uint32_t spoor_hooked_around(const struct spoor_hooked_code *module, uintptr_t address);

/* An event of a module's function: goes on through the slot, where the function is awake. */
void spoor_hooked_follow(const struct spoor_hooked_code *module, uint32_t local, enum spoor_thunk thunk);

/* The trampoline of spoor_first_entry calls it. @at: an address in the function. Any context, in an event. */
void spoor_first_run(const struct spoor_dso *dso, uintptr_t at);

#endif
