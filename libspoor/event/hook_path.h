/* SPDX-License-Identifier: MIT */
/* hook_path.h - handles the event of a hook after its module was found. */
#ifndef SPOOR_HOOK_PATH_H
#define SPOOR_HOOK_PATH_H

#include "format/registration.h"

/* The functions of a module that are awake. Shared with the module's sleds (sled_index.h). Never freed. */
struct spoor_awake {
	uint32_t base;		/* the module's first dense index */
	uint64_t *patched;	/* a bit per local ID; null while the module has no index */
};

/* The data that an event needs about a module whose functions call hooks, or are compiled for order mode. */
struct spoor_hooked_code {
	uint64_t load_bias;
	uint32_t count;
	uint32_t *functions;		/* virtual addresses, ascending */
	const struct spoor_awake *awake;
	void *slots[SPOOR_THUNK_COUNT];	/* as in a module with thunks */
};

/* Returns the local ID of the function that contains @address. Any context. */
uint32_t spoor_hooked_around(const struct spoor_hooked_code *module, uintptr_t address);

/* Handles an event of a module's function: continues through the slot if the function is awake. */
void spoor_hooked_follow(const struct spoor_hooked_code *module, uint32_t local, enum spoor_thunk thunk);

/* Called by the trampoline spoor_first_entry. @at: an address in the function. Any context, in an event. */
void spoor_first_run(const struct spoor_dso *dso, uintptr_t at);

#endif
