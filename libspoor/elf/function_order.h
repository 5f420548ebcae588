/* SPDX-License-Identifier: MIT */
/*
 * function_order.h - functions in the order of their addresses.
 *
 * Sorted without qsort, which takes memory by the program's malloc.
 */
#ifndef SPOOR_FUNCTION_ORDER_H
#define SPOOR_FUNCTION_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "format/registration.h"

/* The functions of a loaded module. */
struct spoor_functions {
	const struct spoor_dso *dso;	/* has their table; or else */
	const uint32_t *hooked;		/* their virtual addresses; null where the table is in use */
	uint64_t load_bias;
	uint32_t count;
};

/* The address of function @local in the process. */
static inline uintptr_t spoor_function_address(const struct spoor_functions *functions, uint32_t local)
{
	const struct spoor_function *function = &functions->dso->functions_begin[local];

	if (functions->hooked)
		return functions->load_bias + functions->hooked[local];
	return (uintptr_t)&function->address + (uintptr_t)function->address;
}

struct spoor_address {
	uint64_t address;
	uint32_t index;
};

/*
 * spoor_addresses_sort - those of one address stay in the order in which they are.
 * @spare: as many again; what it holds does not matter
 *
 * Return: which of the two arrays now holds them sorted.
 */
struct spoor_address *spoor_addresses_sort(struct spoor_address *items, struct spoor_address *spare, uint32_t count);

/* The first of @count sorted ones that is not below @address, or @count. */
uint32_t spoor_addresses_find(const struct spoor_address *sorted, uint32_t count, uint64_t address);

/* The functions of a module, by their addresses in the process; index is the local ID. */
struct spoor_function_order {
	const struct spoor_address *sorted;
	void *memory;
	size_t bytes;
};

/* Return: 0, or -ENOMEM, and then there is nothing to free. */
int spoor_function_order_make(struct spoor_function_order *order, const struct spoor_functions *functions);
void spoor_function_order_free(struct spoor_function_order *order);

#endif
