/* SPDX-License-Identifier: MIT */
/*
 * sled_index.c - which sleds belong to which function of the table.
 *
 * Both come in the order of the text, so a linear walk joins them; a table out
 * of order is looked up by address.
 */
#include "sled_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

#define BIT_WORDS(count) (((size_t)(count) + 63) / 64)

static uintptr_t sled_function(const struct spoor_sled *sled)
{
	return (uintptr_t)&sled->function + (uintptr_t)sled->function;
}

struct by_address {
	uintptr_t address;
	uint32_t local;
};

static int compare_addresses(const void *a, const void *b)
{
	uintptr_t x = ((const struct by_address *)a)->address, y = ((const struct by_address *)b)->address;

	return (x > y) - (x < y);
}

/* The function at @address. The table and the map are in the order of the text, so
 * it is nearly always the one at or right after *@hint. */
static int64_t find_function(const struct spoor_instance *instance, const struct by_address *sorted,
			     uint32_t *hint, uintptr_t address)
{
	struct by_address key = { .address = address };
	const struct by_address *found;

	for (uint32_t i = *hint; i < instance->count && i < *hint + 2; i++) {
		if (spoor_function_address(instance->dso, i) == address) {
			*hint = i;
			return i;
		}
	}
	found = bsearch(&key, sorted, instance->count, sizeof(key), compare_addresses);
	if (!found)
		return -1;
	*hint = found->local;
	return found->local;
}

static bool kind_is_ours(uint8_t kind)
{
	return kind == SPOOR_SLED_ENTRY || kind == SPOOR_SLED_EXIT || kind == SPOOR_SLED_TAIL ||
	       kind == SPOOR_SLED_ENTRY_ARGUMENTS;
}

/* Lays the instance's arrays out in one piece of memory. */
static int allocate(struct spoor_instance *instance, uint32_t sleds)
{
	size_t functions = instance->count;
	size_t bits = BIT_WORDS(functions) * 8;
	size_t bytes = 3 * bits + BIT_WORDS(sleds) * 8 + (functions + 1 + sleds) * 4;
	char *memory = spoor_memory_map(bytes);

	if (!memory)
		return -ENOMEM;
	instance->memory_bytes = bytes;
	instance->prepared = (uint64_t *)memory;
	instance->patched = (uint64_t *)(memory + bits);
	instance->wanted = (uint64_t *)(memory + 2 * bits);
	instance->bad_sleds = (uint64_t *)(memory + 3 * bits);
	instance->first_sled = (uint32_t *)(memory + 3 * bits + BIT_WORDS(sleds) * 8);
	instance->sleds = instance->first_sled + functions + 1;
	return 0;
}

int spoor_sled_index_build(struct spoor_instance *instance)
{
	const struct spoor_dso *dso = instance->dso;
	uint32_t sleds = (uint32_t)(dso->sleds_end - dso->sleds_begin);
	struct by_address *sorted;
	size_t sorted_bytes = (size_t)instance->count * sizeof(*sorted) + 1;
	bool in_order = true;
	uint32_t *owner;
	uint32_t hint = 0;

	if (instance->prepared)
		return 0;
	sorted = spoor_memory_map(sorted_bytes);
	owner = spoor_memory_map((size_t)sleds * 4 + 1);
	if (!sorted || !owner || allocate(instance, sleds) < 0) {
		spoor_memory_unmap(sorted, sorted_bytes);
		spoor_memory_unmap(owner, (size_t)sleds * 4 + 1);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < instance->count; i++) {
		sorted[i] = (struct by_address){ spoor_function_address(dso, i), i };
		in_order &= i == 0 || sorted[i - 1].address <= sorted[i].address;
	}
	if (!in_order)
		qsort(sorted, instance->count, sizeof(*sorted), compare_addresses);

	/* Counting sort of the sleds by function. */
	for (uint32_t i = 0; i < sleds; i++) {
		const struct spoor_sled *sled = &dso->sleds_begin[i];
		int64_t local = -1;

		owner[i] = UINT32_MAX;
		if (!kind_is_ours(sled->kind)) {
			instance->left_alone.other_kind++;
			continue;
		}
		if (sled->version == 2)
			local = find_function(instance, sorted, &hint, sled_function(sled));
		if (local < 0) {
			instance->left_alone.no_function++;
			continue;
		}
		owner[i] = (uint32_t)local;
		instance->first_sled[local + 1]++;
	}
	for (uint32_t i = 0; i < instance->count; i++)
		instance->first_sled[i + 1] += instance->first_sled[i];
	for (uint32_t i = sleds; i-- > 0;) {
		/* From behind, each function's end runs down to its begin. */
		if (owner[i] != UINT32_MAX)
			instance->sleds[--instance->first_sled[owner[i] + 1]] = i;
	}
	/* Now first_sled[f + 1] is where f begins. */
	memmove(instance->first_sled, instance->first_sled + 1, (size_t)instance->count * 4);
	instance->first_sled[instance->count] = 0;
	for (uint32_t i = 0; i < sleds; i++)
		instance->first_sled[instance->count] += owner[i] != UINT32_MAX;

	spoor_memory_unmap(sorted, sorted_bytes);
	spoor_memory_unmap(owner, (size_t)sleds * 4 + 1);
	return 0;
}

void spoor_sled_index_free(struct spoor_instance *instance)
{
	spoor_memory_unmap(instance->prepared, instance->memory_bytes);
	instance->prepared = instance->patched = instance->wanted = instance->bad_sleds = NULL;
	instance->first_sled = instance->sleds = NULL;
	memset(&instance->left_alone, 0, sizeof(instance->left_alone));
}
