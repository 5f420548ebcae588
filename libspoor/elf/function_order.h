/* SPDX-License-Identifier: MIT */
/*
 * function_order.h - sorts the functions of a module by their addresses.
 *
 * Does not use qsort, which calls the program's malloc.
 */
#ifndef SPOOR_FUNCTION_ORDER_H
#define SPOOR_FUNCTION_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "format/registration.h"

/* The functions of a loaded module: in the table of @dso, or in @hooked. */
struct spoor_functions {
	const struct spoor_dso *dso;	/* has the function table; unused with @hooked */
	const uint32_t *hooked;		/* virtual addresses of the functions; null: see @dso */
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
 * spoor_addresses_sort - sorts by address. Elements with equal addresses keep their order.
 * @spare: room for @count elements
 *
 * Return: @items or @spare, whichever holds the sorted elements.
 */
struct spoor_address *spoor_addresses_sort(struct spoor_address *items, struct spoor_address *spare, uint32_t count);

/* Returns the index of the first of @count sorted elements that is not below @address, or @count. */
uint32_t spoor_addresses_find(const struct spoor_address *sorted, uint32_t count, uint64_t address);

/* The functions of a module, sorted by address. `index` is the local ID. */
struct spoor_function_order {
	const struct spoor_address *sorted;
	void *memory;
	size_t bytes;
};

/* Returns 0, or -ENOMEM: then there is no memory to free. */
int spoor_function_order_make(struct spoor_function_order *order, const struct spoor_functions *functions);
void spoor_function_order_free(struct spoor_function_order *order);

#endif
