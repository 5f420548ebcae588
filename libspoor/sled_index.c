/* SPDX-License-Identifier: MIT */
/*
 * sled_index.c - which sleds belong to which function of the table.
 *
 * Linkers lay both out in the order of the text, so one walk joins them. What
 * is out of order is sorted first.
 */
#include "sled_index.h"

#include <errno.h>
#include <string.h>

#include "framed.h"
#include "function_order.h"
#include "memory.h"

#define BIT_WORDS(count) (((size_t)(count) + 63) / 64)
#define AHEAD 64	/* sleds; a prefetch beyond the map does nothing */
#define NO_FUNCTION UINT32_MAX

static uintptr_t sled_function(const struct spoor_sled *sled)
{
	return (uintptr_t)&sled->function + (uintptr_t)sled->function;
}

/* LLVM tells entries whose arguments are logged apart; for us they are entries. */
static const uint8_t our_kinds[] = {
	[SPOOR_SLED_ENTRY] = SPOOR_SLED_ENTRY,
	[SPOOR_SLED_EXIT] = SPOOR_SLED_EXIT,
	[SPOOR_SLED_TAIL] = SPOOR_SLED_TAIL,
	[SPOOR_SLED_ENTRY_ARGUMENTS] = SPOOR_SLED_ENTRY,
};

static bool kind_is_ours(uint8_t kind)
{
	return kind < sizeof(our_kinds);
}

/* Lays the instance's arrays out in one piece of memory. */
static int allocate(struct spoor_instance *instance, uint32_t sleds)
{
	size_t functions = instance->count;
	size_t bits = BIT_WORDS(functions) * 8;
	size_t bytes = spoor_memory_size_now(4 * bits + (functions + 1 + sleds) * 4);
	char *memory = spoor_memory_map_now(bytes);

	if (!memory)
		return -ENOMEM;
	instance->memory_bytes = bytes;
	instance->prepared = (uint64_t *)memory;
	instance->patched = (uint64_t *)(memory + bits);
	instance->wanted = (uint64_t *)(memory + 2 * bits);
	instance->framed = (uint64_t *)(memory + 3 * bits);
	instance->first_sled = (uint32_t *)(memory + 4 * bits);
	instance->sleds = instance->first_sled + functions + 1;
	return 0;
}

static void measure(struct spoor_instance *instance, uint32_t sleds)
{
	instance->text_low = UINTPTR_MAX;
	instance->text_high = 0;
	for (uint32_t i = 0; i < sleds; i++) {
		uintptr_t at = (uintptr_t)spoor_sled_address(instance->dso, i);

		instance->text_low = at < instance->text_low ? at : instance->text_low;
		instance->text_high = at > instance->text_high ? at : instance->text_high;
	}
}

/* One that stays dormant. */
static uint32_t word_alone(struct spoor_instance *instance, const struct spoor_sled *sled, bool owned, uintptr_t distance)
{
	struct spoor_left_alone *left_alone = &instance->left_alone;

	if (!kind_is_ours(sled->kind))
		left_alone->other_kind++;
	else if (!owned || sled->version != 2)
		left_alone->no_function++;
	else if (distance % 2)
		left_alone->unexpected_bytes++;
	else
		left_alone->out_of_reach++;
	return SPOOR_SLED_ALONE;
}

/* A sled of the map for the index. @owned: its function is in the table. */
static inline uint32_t sled_word(struct spoor_instance *instance, const struct spoor_sled *sled, bool owned)
{
	uintptr_t distance = (uintptr_t)&sled->address + (uintptr_t)sled->address - instance->text_low;

	if (__builtin_expect(owned && sled->version == 2 && kind_is_ours(sled->kind) &&
			     !(distance & ~(SPOOR_SLED_WORD_REACH - 2)), true))
		return SPOOR_SLED_WORD(distance, our_kinds[sled->kind]);
	return word_alone(instance, sled, owned, distance);
}

/* Goes to the next function of the table. Return: whether it is in order. */
static inline bool next_function(const struct spoor_instance *instance, uint32_t *local, uintptr_t *next)
{
	uintptr_t before = *next;

	*next = ++*local < instance->count ? spoor_function_address(instance, *local) : UINTPTR_MAX;
	return *next >= before;
}

/* Joins map and table in one walk. Return: false where functions are out of order in
 * either, or sleds in the text: parts of functions may stand elsewhere. */
static bool join_in_order(struct spoor_instance *instance, uint32_t sleds)
{
	const struct spoor_dso *dso = instance->dso;
	uintptr_t next, last = 0, last_sled = 0;
	uint32_t local = 0;

	next = instance->count ? spoor_function_address(instance, 0) : UINTPTR_MAX;
	for (uint32_t i = 0; i < sleds; i++) {
		uintptr_t function = sled_function(&dso->sleds_begin[i]);
		uintptr_t sled = (uintptr_t)spoor_sled_address(dso, i);

		__builtin_prefetch(&dso->sleds_begin[i + AHEAD]);
		if (function < last || sled < last_sled)
			return false;
		while (next < function) {
			instance->first_sled[local + 1] = i;
			if (!next_function(instance, &local, &next))
				return false;
		}
		last = function;
		last_sled = sled;
		instance->sleds[i] = sled_word(instance, &dso->sleds_begin[i], function == next);
	}
	while (local < instance->count) {
		instance->first_sled[local + 1] = sleds;
		if (!next_function(instance, &local, &next))
			return false;
	}
	return true;
}

/* Joins them by looking each sled's function up: owner[i] is sled i's function. */
static void look_up(struct spoor_instance *instance, uint32_t sleds, const struct spoor_address *sorted,
		    uint32_t *owner)
{
	for (uint32_t i = 0; i < sleds; i++) {
		uintptr_t function = sled_function(&instance->dso->sleds_begin[i]);
		uint32_t at = spoor_addresses_find(sorted, instance->count, function);

		owner[i] = at < instance->count && sorted[at].address == function ? sorted[at].index : NO_FUNCTION;
	}
}

/* Counting sort of the sleds by their owners. */
static void group(struct spoor_instance *instance, uint32_t sleds, const uint32_t *owner)
{
	uint32_t *first = instance->first_sled, before = 0;

	for (uint32_t i = 0; i < sleds; i++) {
		if (owner[i] == NO_FUNCTION)
			sled_word(instance, &instance->dso->sleds_begin[i], false);
		else
			first[owner[i]]++;
	}
	for (uint32_t local = 0; local <= instance->count; local++) {
		before += first[local];
		first[local] = before;
	}
	/* first[] holds each function's end; from behind, it runs down to its begin. */
	for (uint32_t i = sleds; i-- > 0;) {
		if (owner[i] != NO_FUNCTION)
			instance->sleds[--first[owner[i]]] =
				sled_word(instance, &instance->dso->sleds_begin[i], true);
	}
}

static int join_out_of_order(struct spoor_instance *instance, uint32_t sleds)
{
	size_t owner_bytes = (size_t)sleds * 4 + 1;
	struct spoor_function_order order;
	uint32_t *owner;
	int error = spoor_function_order_make(&order, instance);

	if (error < 0)
		return error;
	owner = spoor_memory_map(owner_bytes);
	error = owner ? allocate(instance, sleds) : -ENOMEM;
	if (error == 0) {
		measure(instance, sleds);
		look_up(instance, sleds, order.sorted, owner);
		group(instance, sleds, owner);
	}
	spoor_memory_unmap(owner, owner_bytes);
	spoor_function_order_free(&order);
	return error;
}

int spoor_sled_index_build(struct spoor_instance *instance)
{
	uint32_t sleds = (uint32_t)(instance->dso->sleds_end - instance->dso->sleds_begin);

	if (instance->prepared)
		return 0;
	if (allocate(instance, sleds) < 0)
		return -ENOMEM;
	if (sleds) {
		/* In order, within and between functions. */
		instance->text_low = (uintptr_t)spoor_sled_address(instance->dso, 0);
		instance->text_high = (uintptr_t)spoor_sled_address(instance->dso, sleds - 1);
	}
	instance->in_order = join_in_order(instance, sleds);
	if (!instance->in_order) {
		spoor_sled_index_free(instance);
		if (join_out_of_order(instance, sleds) < 0)
			return -ENOMEM;
	}
	spoor_framed_find(instance);
	return 0;
}

void spoor_sled_index_free(struct spoor_instance *instance)
{
	spoor_memory_unmap(instance->prepared, instance->memory_bytes);
	instance->prepared = instance->patched = instance->wanted = instance->framed = NULL;
	instance->first_sled = instance->sleds = NULL;
	memset(&instance->left_alone, 0, sizeof(instance->left_alone));
}
