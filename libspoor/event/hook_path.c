/* SPDX-License-Identifier: MIT */
/*
 * hook_path.c - leads from a hook, or from a function's first run, to the trampoline.
 *
 * An event goes through slots, as in a module with thunks, so all modes and handlers see it like
 * the event of a sled.
 */
#include "event/hook_path.h"

#include "event/event_path.h"

/* In trampolines/: jumps to the trampoline @slot, with the event's code where trampolines expect it. */
void spoor_hook_follow(uint32_t code, const void *slot);

#define KIND_OF(thunk) ((thunk) == SPOOR_THUNK_ENTRY ? SPOOR_EVENT_ENTRY : SPOOR_EVENT_EXIT)

/* Returns the last function that begins at @address or before it. */
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

/* Only order mode uses first runs: in other modes the event would be an entry without an exit. */
void spoor_first_run(const struct spoor_dso *dso, uintptr_t at)
{
	const struct spoor_hooked_code *module;
	const void *slot;

	/* trampolines/README.md, 7: the module must be as new as the slot. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	module = __atomic_load_n(&dso->first_runs, __ATOMIC_ACQUIRE);
	if (!module)
		return;
	slot = __atomic_load_n(&module->slots[SPOOR_THUNK_ENTRY], __ATOMIC_ACQUIRE);
	if (slot == (const void *)spoor_order_hooked)
		follow(module, spoor_hooked_around(module, at), SPOOR_THUNK_ENTRY, slot);
}
