/* SPDX-License-Identifier: MIT */
/* sled_index.h - a module's sled map, decoded: the sleds of each function. */
#ifndef SPOOR_SLED_INDEX_H
#define SPOOR_SLED_INDEX_H

#include "registry.h"

/*
 * spoor_sled_index_build - fills in the instance's bits and sleds: all functions
 * dormant and none wanted.
 *
 * About 10 ns a function. Return: 0 (also where it is there already), or -ENOMEM.
 *
 * Context: under the registry's lock, with the module mapped.
 */
int spoor_sled_index_build(struct spoor_instance *instance);
void spoor_sled_index_free(struct spoor_instance *instance);

/* The address of function @local, and of the sled at @position in the map. */
static inline uintptr_t spoor_function_address(const struct spoor_dso *dso, uint32_t local)
{
	return (uintptr_t)&dso->functions_begin[local].address + (uintptr_t)dso->functions_begin[local].address;
}

static inline uint8_t *spoor_sled_address(const struct spoor_dso *dso, uint32_t position)
{
	const struct spoor_sled *sled = &dso->sleds_begin[position];

	return (uint8_t *)((uintptr_t)&sled->address + (uintptr_t)sled->address);
}

/* Sled @i of the index, as a position in the map. */
static inline uint32_t spoor_sled_position(const struct spoor_instance *instance, uint32_t i)
{
	return instance->sleds ? instance->sleds[i] : i;
}

/* LLVM tells entries whose arguments are logged apart; for us they are entries. */
static inline uint8_t spoor_sled_kind(const struct spoor_dso *dso, uint32_t position)
{
	uint8_t kind = dso->sleds_begin[position].kind;

	return kind == SPOOR_SLED_ENTRY_ARGUMENTS ? SPOOR_SLED_ENTRY : kind;
}

#endif
