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

bool spoor_hooked_before(const struct spoor_hooked_code *module, uintptr_t address, uint32_t *local)
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
	*local = low - 1;
	return low != 0;
}

/* Returns the length of the code that an unwind entry describes. In an entry, the address of the code, which is
 * known here, precedes the length (LSB Core, "The .eh_frame section"): so the address shows in which of the
 * encodings that compilers use both are. With any other encoding the length is unknown and counts as endless. */
static uint64_t covered_bytes(const struct spoor_hooked_code *module, uint32_t local)
{
	const uint8_t *entry = (const uint8_t *)module->table + module->table->entries[local].frame;
	uint64_t begin = module->load_bias + module->functions[local], bytes8, address8;
	uint32_t bytes4, address4, length;

	__builtin_memcpy(&length, entry, sizeof(length));
	entry += length == UINT32_MAX ? 20 : 8;		/* a length of 8 bytes follows, and 8 bytes instead of 4 */
	__builtin_memcpy(&address4, entry, sizeof(address4));
	__builtin_memcpy(&bytes4, entry + 4, sizeof(bytes4));
	if ((uintptr_t)entry + (uint64_t)(int64_t)(int32_t)address4 == begin || address4 == begin)
		return bytes4;
	__builtin_memcpy(&address8, entry, sizeof(address8));
	__builtin_memcpy(&bytes8, entry + 8, sizeof(bytes8));
	return (uintptr_t)entry + address8 == begin || address8 == begin ? bytes8 : UINT64_MAX;
}

bool spoor_hooked_around(const struct spoor_hooked_code *module, uintptr_t address, uint32_t *local)
{
	return spoor_hooked_before(module, address, local) &&
	       address - module->load_bias - module->functions[*local] < covered_bytes(module, *local);
}

bool spoor_hooked_unlisted(struct spoor_hooked_code *module, uintptr_t address)
{
	uintptr_t none = 0;

	__atomic_fetch_add(&module->unlisted_events, 1, __ATOMIC_RELAXED);
	return __atomic_compare_exchange_n(&module->unlisted_address, &none, address, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
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
	struct spoor_hooked_code *module;
	const void *slot;
	uint32_t local;

	/* trampolines/README.md, 7: the module must be as new as the slot. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	module = __atomic_load_n(&dso->first_runs, __ATOMIC_ACQUIRE);
	if (!module)
		return;
	slot = __atomic_load_n(&module->slots[SPOOR_THUNK_ENTRY], __ATOMIC_ACQUIRE);
	if (slot != (const void *)spoor_order_hooked)
		return;
	if (spoor_hooked_around(module, at, &local))
		follow(module, local, SPOOR_THUNK_ENTRY, slot);
	else
		spoor_hooked_unlisted(module, at);
}
