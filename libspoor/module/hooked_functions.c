/* SPDX-License-Identifier: MIT */
/*
 * hooked_functions.c - finds the function of an event by address.
 *
 * A function that was compiled without unwind information (-fno-asynchronous-unwind-tables) has no entry in the
 * table. Its events must not be recorded under the name of the function with the preceding entry.
 */
#include "module/hooked_functions.h"

#include "base/libc_stack.h"
#include "base/memory.h"
#include "base/warning.h"

#include SPOOR_HOOK_HEADER

bool spoor_hooked_functions_read(struct spoor_hooked *module, const struct spoor_unwind_table *table, uint64_t load_bias)
{
	uint64_t last = 0;

	if (!table || !spoor_unwind_table_is_one(table))
		return false;
	module->code.functions = spoor_memory_map((size_t)table->count * sizeof(*module->code.functions) + 1);
	module->code.count = table->count;
	for (uint32_t i = 0; module->code.functions && i < table->count; i++) {
		uint64_t address = (uintptr_t)table + (uint64_t)(int64_t)table->entries[i].function - load_bias;

		if (address > UINT32_MAX || address < last) {
			spoor_memory_unmap(module->code.functions, (size_t)table->count * sizeof(*module->code.functions) + 1);
			module->code.functions = NULL;
		} else {
			module->code.functions[i] = (uint32_t)address;
			last = address;
		}
	}
	return module->code.functions != NULL;
}

bool spoor_hooked_function_at(struct spoor_hooked *module, uintptr_t address, uint32_t *local)
{
	uint64_t wanted = address - module->code.load_bias, known;
	uint64_t *place = &module->cache[wanted / 16 % SPOOR_HOOKED_CACHE];

	known = __atomic_load_n(place, __ATOMIC_RELAXED);
	if (known >> 32 == wanted && known) {
		*local = (uint32_t)known - 1;
		return true;
	}
	if (!spoor_hooked_before(&module->code, address, local) || module->code.functions[*local] != wanted ||
	    spoor_is_jump_elsewhere((const uint8_t *)address))
		return false;
	__atomic_store_n(place, wanted << 32 | (*local + 1), __ATOMIC_RELAXED);
	return true;
}

static void warn_unlisted(void *argument)
{
	const struct spoor_hooked *module = argument;

	spoor_warning("%.500s: the function at 0x%llx has no unwind entry and stays untraced, and so may others: "
		      "compile them with -fasynchronous-unwind-tables", module->instance->path,
		      (unsigned long long)(module->code.unlisted_address - module->code.load_bias));
}

static void note_unlisted(struct spoor_hooked *module, uintptr_t address)
{
	if (spoor_hooked_unlisted(&module->code, address) && spoor_registry_is_on() &&
	    !__atomic_exchange_n(&module->warned, true, __ATOMIC_RELAXED))
		spoor_libc_stack_call(warn_unlisted, module);
}

struct spoor_hooked *spoor_hooked_function_around(uintptr_t at, int (*begin)(void), uint32_t *local)
{
	struct spoor_hooked *module = spoor_hooked_find(at, begin);

	if (!module || spoor_hooked_around(&module->code, at, local))
		return module;
	note_unlisted(module, at);
	return NULL;
}

struct spoor_hooked *spoor_hooked_function_of(uintptr_t function, uintptr_t at, int (*begin)(void), uint32_t *local)
{
	struct spoor_hooked *module = spoor_hooked_find(function, begin);

	if (module && spoor_hooked_function_at(module, function, local))
		return module;
	if (!module || spoor_is_jump_elsewhere((const uint8_t *)function))
		return spoor_hooked_function_around(at, begin, local);
	note_unlisted(module, function);
	return NULL;
}

void spoor_hooked_functions_warn(void)
{
	for (uint32_t i = 0; i < spoor_registry_count(); i++) {
		struct spoor_hooked *module = spoor_hooked_of(spoor_registry_at(i));

		if (module && __atomic_load_n(&module->code.unlisted_events, __ATOMIC_RELAXED) &&
		    !__atomic_exchange_n(&module->warned, true, __ATOMIC_RELAXED))
			warn_unlisted(module);
	}
}
