/* SPDX-License-Identifier: MIT */
/* call_slots.c - finds the functions of call slots, wakes wrappers, and switches slots. */
#define _GNU_SOURCE
#include "library_calls/call_slots.h"

#include <string.h>

#include "base/large.h"
#include "base/memory.h"
#include "elf/function_order.h"
#include "event/library_path.h"
#include "library_calls/callee_library.h"
#include "library_calls/jump_slots.h"
#include "library_calls/loaded_modules.h"
#include "module/registry_apply.h"
#include "patch/sled_index.h"

#define NO_FUNCTION UINT32_MAX

enum state {
	STATE_NEW,	/* the function is not known yet */
	STATE_DIRECT,	/* calls are not recorded here */
	STATE_OWN,	/* the function belongs to no library */
	STATE_LIBRARY,
};

struct called {
	struct spoor_callee_library *library;	/* of STATE_LIBRARY */
	uint32_t symbol;
	uint32_t wrapper;			/* local function ID; NO_FUNCTION: it has no sleds */
	enum state state;
};

/* A module with call slots. */
struct caller {
	struct spoor_instance *instance;
	struct spoor_call_slot *slots;
	uint32_t count;
	bool changed;		/* a state changed since the last application */
	struct called *called;	/* by slot */
	uint64_t *target;	/* by local ID: the functions that may be awake, */
	uint64_t *aliased;	/* ... and the wrappers of library functions */
	uint32_t *indexes;	/* by local ID */
	size_t bytes;		/* of the one block with this struct and all arrays */
};

static struct caller *callers[SPOOR_MODULES_MAX] SPOOR_LARGE;	/* by the module's position in the registry */
static uint32_t caller_positions;			/* after the last one */

static bool has_libraries = true;

void spoor_call_slots_give_up_libraries(void)
{
	has_libraries = false;
}

bool spoor_call_slots_are_used(void)
{
	return __atomic_load_n(&caller_positions, __ATOMIC_RELAXED) != 0;
}

static const char *name_of(const struct spoor_call_slot *slot)
{
	return (const char *)&slot->name + slot->name;
}

static const void *wrapper_of(const struct spoor_call_slot *slot)
{
	return (const char *)&slot->wrapper + slot->wrapper;
}

static bool bit(const uint64_t *bits, uint32_t i)
{
	return bits[i / 64] >> (i % 64) & 1;
}

static void set_bit(uint64_t *bits, uint32_t i, bool on)
{
	bits[i / 64] = (bits[i / 64] & ~(1ull << (i % 64))) | (uint64_t)on << (i % 64);
}

/* Finds the wrappers in the function table. Without memory no slot has a wrapper. */
static void find_wrappers(struct caller *caller)
{
	struct spoor_functions functions = spoor_instance_functions(caller->instance);
	struct spoor_function_order order;
	bool is_sorted = spoor_function_order_make(&order, &functions) == 0;

	for (uint32_t i = 0; i < caller->count; i++) {
		uintptr_t address = (uintptr_t)wrapper_of(&caller->slots[i]);
		uint32_t at = is_sorted ? spoor_addresses_find(order.sorted, functions.count, address) : functions.count;

		caller->called[i].wrapper = at < functions.count && order.sorted[at].address == address
					    ? order.sorted[at].index : NO_FUNCTION;
		if (caller->called[i].wrapper == NO_FUNCTION)
			caller->called[i].state = STATE_DIRECT;
	}
	if (is_sorted)
		spoor_function_order_free(&order);
}

static void added(struct spoor_instance *instance)
{
	uint32_t count, words = spoor_instance_words(instance);
	struct spoor_sleds *sleds = spoor_sleds_make(instance->position);
	struct caller *caller;
	size_t bytes;

	if (instance->hooked || !spoor_dso_has_calls(instance->dso) || !sleds)
		return;
	count = (uint32_t)(instance->dso->calls_end - instance->dso->calls_begin);
	bytes = sizeof(*caller) + count * sizeof(*caller->called) + 2 * words * sizeof(uint64_t) +
		instance->count * sizeof(uint32_t);
	caller = spoor_memory_map(bytes);
	/* Then the slots lead to their functions, whatever happens to the wrappers. */
	if (!caller)
		return;
	caller->instance = instance;
	caller->slots = instance->dso->calls_begin;
	caller->count = count;
	caller->bytes = bytes;
	caller->called = (struct called *)(caller + 1);
	caller->target = (uint64_t *)(caller->called + count);
	caller->aliased = caller->target + words;
	caller->indexes = (uint32_t *)(caller->aliased + words);
	for (uint32_t i = 0; i < instance->count; i++)
		caller->indexes[i] = instance->base + i;
	find_wrappers(caller);
	sleds->indexes = caller->indexes;
	sleds->aliased = caller->aliased;
	callers[instance->position] = caller;
	if (caller_positions <= instance->position)
		__atomic_store_n(&caller_positions, instance->position + 1, __ATOMIC_RELAXED);
}

static bool removed(struct spoor_instance *instance)
{
	struct spoor_sleds *sleds = spoor_sleds_make(instance->position);
	struct caller *caller = callers[instance->position];

	if (!caller)
		return false;
	sleds->indexes = NULL;
	sleds->aliased = NULL;
	callers[instance->position] = NULL;
	spoor_memory_unmap(caller, caller->bytes);
	return false;
}

/* Chooses wrappers by their libraries' functions. */
static const uint64_t *allowed(struct spoor_instance *instance, const uint64_t *target)
{
	struct caller *caller = callers[instance->position];

	if (!caller || !target)
		return target;
	memcpy(caller->target, target, spoor_instance_words(instance) * sizeof(*target));
	for (uint32_t i = 0; i < caller->count; i++) {
		const struct called *called = &caller->called[i];

		if (called->wrapper == NO_FUNCTION || called->state == STATE_OWN)
			continue;
		set_bit(caller->target, called->wrapper, called->state == STATE_LIBRARY &&
							 spoor_callee_library_is_awake(called->library, called->symbol));
	}
	return caller->target;
}

static void switch_slots(struct caller *caller)
{
	const struct spoor_sleds *sleds = spoor_instance_sleds(caller->instance);

	for (uint32_t i = 0; i < caller->count; i++) {
		struct spoor_call_slot *slot = &caller->slots[i];
		const struct called *called = &caller->called[i];
		bool on = sleds && called->state >= STATE_OWN && bit(sleds->awake.patched, called->wrapper);
		const void *to = on ? wrapper_of(slot) : slot->function;

		if (slot->slot != to)
			__atomic_store_n(&slot->slot, to, __ATOMIC_RELEASE);
	}
}

static bool calls_into(const struct caller *caller, const struct spoor_instance *library)
{
	for (uint32_t i = 0; i < caller->count; i++)
		if (caller->called[i].state == STATE_LIBRARY && spoor_callee_library_is(caller->called[i].library, library))
			return true;
	return false;
}

static void changed(struct spoor_instance *instance)
{
	if (callers[instance->position])
		switch_slots(callers[instance->position]);
	for (uint32_t i = 0; instance->switch_functions && i < caller_positions; i++)
		if (callers[i] && calls_into(callers[i], instance))
			spoor_registry_apply_to(callers[i]->instance);
}

const struct spoor_module_observer spoor_call_slot_modules = {
	.added = added,
	.allowed = allowed,
	.changed = changed,
	.removed = removed,
};

/* Whether the module itself calls the name through a jump slot. */
static bool imports(const struct spoor_dynamic_module *module, const char *name)
{
	for (uint32_t i = 0; i < module->slot_count; i++) {
		const char *imported = spoor_jump_slot_name(module, &module->slots[i]);

		if (imported && strcmp(imported, name) == 0)
			return true;
	}
	return false;
}

/*
 * In an executable that is not position-independent, the address of a library function may be an entry of the
 * executable's own procedure linkage table. The wrapper then has to call the function itself, because a jump slot may
 * lead to a stub, which would record the call again. Returns the library, or null.
 */
static const struct spoor_dynamic_module *see_through(const struct spoor_loaded_modules *modules,
						      const struct spoor_dynamic_module *own, struct spoor_call_slot *slot)
{
	for (uint32_t i = 0; i < modules->count; i++) {
		const struct spoor_dynamic_module *module = &modules->list[i];
		uint32_t symbol = module == own ? 0 : spoor_dynamic_symbol_find(module, name_of(slot), NULL);

		if (!symbol)
			continue;
		/* Only the loader may call the resolver of an indirect function. */
		if (ELF64_ST_TYPE(module->symbols[symbol].st_info) == STT_GNU_IFUNC)
			return NULL;
		slot->function = (const void *)(module->bias + module->symbols[symbol].st_value);
		return module;
	}
	return NULL;
}

/* Whether the module is spoor's own: its functions may run within an event. */
static bool is_spoor(const struct spoor_dynamic_module *module)
{
	return (uintptr_t)spoor_library_calls >= module->low && (uintptr_t)spoor_library_calls < module->high;
}

static enum state find_library(const struct spoor_loaded_modules *modules, const struct spoor_dynamic_module *own,
			       struct spoor_call_slot *slot, struct called *called)
{
	const struct spoor_dynamic_module *module = spoor_loaded_module_called(modules, slot->function, name_of(slot), NULL);

	if (!slot->function || (module && is_spoor(module)))
		return STATE_DIRECT;
	if (module == own && !spoor_dynamic_symbol_find(own, name_of(slot), NULL) && imports(own, name_of(slot))) {
		module = see_through(modules, own, slot);
		if (!module)
			return STATE_DIRECT;
	}
	if (module && spoor_loaded_function_has_sleds(module, slot->function))
		return STATE_DIRECT;
	called->symbol = has_libraries && module && module != own ? spoor_dynamic_symbol_at(module, name_of(slot), slot->function) : 0;
	called->library = called->symbol ? spoor_callee_library_find(module) : NULL;
	if (!called->library)
		return STATE_OWN;
	spoor_callee_library_add_slot(called->library, called->symbol);
	return STATE_LIBRARY;
}

static void resolve(struct caller *caller, const struct spoor_loaded_modules *modules)
{
	const struct spoor_dynamic_module *own = spoor_loaded_module_of(modules, caller->slots);

	for (uint32_t i = 0; own && i < caller->count; i++) {
		struct called *called = &caller->called[i];
		const struct spoor_dynamic_module *module;
		enum state before = called->state;

		if (before == STATE_NEW) {
			called->state = find_library(modules, own, &caller->slots[i], called);
			if (called->state == STATE_LIBRARY) {
				caller->indexes[called->wrapper] = spoor_callee_library_index(called->library, called->symbol);
				set_bit(caller->aliased, called->wrapper, true);
			}
		} else if (before != STATE_DIRECT) {
			/* The function's module may have registered since. */
			module = spoor_loaded_module_of(modules, caller->slots[i].function);
			if (module && spoor_loaded_function_has_sleds(module, caller->slots[i].function))
				called->state = STATE_DIRECT;
		}
		caller->changed |= called->state != before;
	}
	/* Captures of library functions need the indexes of their wrappers. */
	if (caller->changed)
		spoor_instance_index(caller->instance);
}

void spoor_call_slots_resolve(const struct spoor_loaded_modules *modules)
{
	for (uint32_t i = 0; i < caller_positions; i++)
		if (callers[i])
			resolve(callers[i], modules);
}

void spoor_call_slots_apply(void)
{
	for (uint32_t i = 0; i < caller_positions; i++) {
		struct caller *caller = callers[i];

		if (!caller || !caller->changed)
			continue;
		caller->changed = false;
		/* Without an index no function of the module was chosen, but a library's function may be. */
		if (spoor_instance_index(caller->instance) == 0)
			spoor_registry_apply_to(caller->instance);
	}
}
