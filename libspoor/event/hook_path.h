/* SPDX-License-Identifier: MIT */
/* hook_path.h - handles the event of a hook after its module was found. */
#ifndef SPOOR_HOOK_PATH_H
#define SPOOR_HOOK_PATH_H

#include <stdbool.h>

#include "format/registration.h"
#include "format/unwind_table.h"

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
	const struct spoor_unwind_table *table;	/* entry N describes function N */
	/* Code that reported an event and has no unwind entry: the number of events, and the first address. */
	uint64_t unlisted_events;
	uintptr_t unlisted_address;
	const struct spoor_awake *awake;
	void *slots[SPOOR_THUNK_COUNT];	/* as in a module with thunks */
};

/* Finds the last function that begins at @address or before it. Returns false if all begin after it. Any context. */
bool spoor_hooked_before(const struct spoor_hooked_code *module, uintptr_t address, uint32_t *local);

/* Finds the function that contains @address. Returns false if no unwind entry covers @address. Any context. */
bool spoor_hooked_around(const struct spoor_hooked_code *module, uintptr_t address, uint32_t *local);

/* Counts an event of code without an unwind entry. Returns whether it is the module's first. Any context. */
bool spoor_hooked_unlisted(struct spoor_hooked_code *module, uintptr_t address);

/* Handles an event of a module's function: continues through the slot if the function is awake. */
void spoor_hooked_follow(const struct spoor_hooked_code *module, uint32_t local, enum spoor_thunk thunk);

/* Called by the trampoline spoor_first_entry. @at: an address in the function. Any context, in an event. */
void spoor_first_run(const struct spoor_dso *dso, uintptr_t at);

#endif
