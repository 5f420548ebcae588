/* SPDX-License-Identifier: MIT */
/* function_order.c - sorts functions by address with a radix sort that begins with the lowest digit. */
#include "elf/function_order.h"

#include <errno.h>

#include "base/memory.h"

#define DIGIT_BITS 8
#define DIGITS (1u << DIGIT_BITS)

static inline uint32_t digit(uint64_t address, int shift)
{
	return (uint32_t)(address >> shift) & (DIGITS - 1);
}

static void sort_by_digit(const struct spoor_address *from, struct spoor_address *to, uint32_t count, int shift)
{
	uint32_t places[DIGITS] = { 0 }, before = 0;

	for (uint32_t i = 0; i < count; i++)
		places[digit(from[i].address, shift)]++;
	for (uint32_t i = 0; i < DIGITS; i++) {
		uint32_t here = places[i];

		places[i] = before;
		before += here;
	}
	for (uint32_t i = 0; i < count; i++)
		to[places[digit(from[i].address, shift)]++] = from[i];
}

struct spoor_address *spoor_addresses_sort(struct spoor_address *items, struct spoor_address *spare, uint32_t count)
{
	uint64_t differ = 0;

	for (uint32_t i = 1; i < count; i++)
		differ |= items[i].address ^ items[0].address;
	/* Skip digits that are equal in all addresses. */
	for (int shift = differ ? __builtin_ctzll(differ) : 64; shift < 64 && differ >> shift; shift += DIGIT_BITS) {
		struct spoor_address *sorted = spare;

		sort_by_digit(items, sorted, count, shift);
		spare = items;
		items = sorted;
	}
	return items;
}

uint32_t spoor_addresses_find(const struct spoor_address *sorted, uint32_t count, uint64_t address)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (sorted[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int spoor_function_order_make(struct spoor_function_order *order, const struct spoor_functions *functions)
{
	struct spoor_address *items;
	uint32_t count = functions->count;

	order->bytes = 2 * (size_t)count * sizeof(*items) + 1;
	order->memory = items = spoor_memory_map(order->bytes);
	if (!items)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		items[i] = (struct spoor_address){ spoor_function_address(functions, i), i };
	order->sorted = spoor_addresses_sort(items, items + count, count);
	return 0;
}

void spoor_function_order_free(struct spoor_function_order *order)
{
	spoor_memory_unmap(order->memory, order->bytes);
}
