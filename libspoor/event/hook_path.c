/* SPDX-License-Identifier: MIT */
/*
 * hook_path.c - from a hook, or a function's first run, to the trampoline.
 *
 * An event goes on through the slots that a module with thunks would have, so that all modes
 * and handlers see it as they see one of a sled.
 */
#include "event/hook_path.h"

#include "event/event_path.h"

/* trampolines/: to where a slot leads, with the event's code where trampolines look for it. */
void spoor_hook_follow(uint32_t code, const void *slot);

#define KIND_OF(thunk) ((thunk) == SPOOR_THUNK_ENTRY ? SPOOR_EVENT_ENTRY : SPOOR_EVENT_EXIT)

/* The last one that begins there or before. */
uint32_t spoor_hooked_around(const struct spoor_hooked_code *module, uintptr_t address)
{
	uint64_t wanted = address - module->load_bias;
	uint32_t low = 0, high = module->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (module->functions[middle] <= wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : 0;
}

static void follow(const struct spoor_hooked_code *module, uint32_t local, enum spoor_thunk thunk, const void *slot)
{
	const struct spoor_awake *awake = module->awake;
	const uint64_t *patched = __atomic_load_n(&awake->patched, __ATOMIC_ACQUIRE);

	if (patched && __atomic_load_n(&patched[local / 64], __ATOMIC_RELAXED) >> (local % 64) & 1)
		spoor_hook_follow(SPOOR_EVENT_CODE(KIND_OF(thunk), awake->base + local), slot);
}

void spoor_hooked_follow(const struct spoor_hooked_code *module, uint32_t local, enum spoor_thunk thunk)
{
	follow(module, local, thunk, __atomic_load_n(&module->slots[thunk], __ATOMIC_ACQUIRE));
}

/* In all other modes it would be an entry without an exit. */
void spoor_first_run(const struct spoor_dso *dso, uintptr_t at)
{
	const struct spoor_hooked_code *module;
	const void *slot;

	/* README, 7: no module older than the slot. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	module = __atomic_load_n(&dso->first_runs, __ATOMIC_ACQUIRE);
	if (!module)
		return;
	slot = __atomic_load_n(&module->slots[SPOOR_THUNK_ENTRY], __ATOMIC_ACQUIRE);
	if (slot == (const void *)spoor_order_hooked)
		follow(module, spoor_hooked_around(module, at), SPOOR_THUNK_ENTRY, slot);
}
