/* SPDX-License-Identifier: MIT */
/* sled_index.h - a module's sled map, decoded: the sleds of each function. */
#ifndef SPOOR_SLED_INDEX_H
#define SPOOR_SLED_INDEX_H

#include "module/registry.h"

/*
 * spoor_sled_index_build - fills in the instance's bits and sleds: all functions
 * dormant and none wanted.
 *
 * Return: 0 (also where it is there already), or -ENOMEM.
 *
 * Context: under the registry's lock, with the module mapped.
 */
int spoor_sled_index_build(struct spoor_instance *instance);
void spoor_sled_index_free(struct spoor_instance *instance);

/*
 * A sled in the index: its distance from the module's first one, which is even, in
 * units of two, and its kind in the low two bits.
 */
#define SPOOR_SLED_WORD(distance, kind) ((uint32_t)(distance) << 1 | (kind))
#define SPOOR_SLED_WORD_KIND(word) ((word) & 3)
#define SPOOR_SLED_WORD_DISTANCE(word) ((uintptr_t)((word) >> 2) * 2)
#define SPOOR_SLED_WORD_REACH (1ull << 31)
#define SPOOR_SLED_ALONE 3	/* for a kind: never touched */

static inline uint8_t *spoor_sled_at(uintptr_t text_low, uint32_t word)
{
	return (uint8_t *)(text_low + SPOOR_SLED_WORD_DISTANCE(word));
}

/* The address of function @local. */
static inline uintptr_t spoor_function_address(const struct spoor_instance *instance, uint32_t local)
{
	const struct spoor_function *function = &instance->dso->functions_begin[local];

	if (instance->hooked)
		return instance->load_bias + instance->hooked[local];
	return (uintptr_t)&function->address + (uintptr_t)function->address;
}

#endif
