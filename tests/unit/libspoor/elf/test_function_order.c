/* SPDX-License-Identifier: MIT */
/* test_function_order.c - addresses are sorted as qsort sorts them, and a search finds them. */
#include "elf/function_order.h"

#include <stdlib.h>

#include "tests/unit/support/unit.h"

enum { COUNT = 5000 };

static struct spoor_address items[COUNT], spare[COUNT], expected[COUNT];

static int compare(const void *a, const void *b)
{
	const struct spoor_address *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Fills both arrays with addresses that differ only in the bits of @mask. */
static void fill(uint64_t mask)
{
	uint64_t random = 88172645463325252ull;

	for (uint32_t i = 0; i < COUNT; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		items[i] = expected[i] = (struct spoor_address){ 0x7f0012345000 ^ (random & mask), i };
	}
	qsort(expected, COUNT, sizeof(*expected), compare);
}

START_TEST(sorting_is_stable_for_every_range_of_bits)
{
	static const uint64_t masks[] = { 0, 1, 0xff, 0x1f0, 0xfffff0, 0x800000000001, UINT64_MAX };

	for (size_t mask = 0; mask < sizeof(masks) / sizeof(*masks); mask++) {
		const struct spoor_address *sorted;

		fill(masks[mask]);
		sorted = spoor_addresses_sort(items, spare, COUNT);
		for (uint32_t i = 0; i < COUNT; i++) {
			ck_assert_uint_eq(sorted[i].address, expected[i].address);
			ck_assert_uint_eq(sorted[i].index, expected[i].index);
		}
	}
}
END_TEST

START_TEST(arrays_of_no_and_one_address_are_sorted)
{
	items[0] = (struct spoor_address){ 7, 3 };
	ck_assert_ptr_eq(spoor_addresses_sort(items, spare, 0), items);
	ck_assert_ptr_eq(spoor_addresses_sort(items, spare, 1), items);
	ck_assert_uint_eq(items[0].index, 3);
}
END_TEST

START_TEST(the_search_finds_the_first_address_that_is_not_below)
{
	static const struct spoor_address sorted[] = { { 10, 0 }, { 20, 1 }, { 20, 2 }, { 30, 3 } };

	ck_assert_uint_eq(spoor_addresses_find(sorted, 4, 0), 0);
	ck_assert_uint_eq(spoor_addresses_find(sorted, 4, 10), 0);
	ck_assert_uint_eq(spoor_addresses_find(sorted, 4, 11), 1);
	ck_assert_uint_eq(spoor_addresses_find(sorted, 4, 20), 1);
	ck_assert_uint_eq(spoor_addresses_find(sorted, 4, 31), 4);
	ck_assert_uint_eq(spoor_addresses_find(sorted, 0, 31), 0);
}
END_TEST

UNIT_MAIN("function_order", sorting_is_stable_for_every_range_of_bits,
	  arrays_of_no_and_one_address_are_sorted, the_search_finds_the_first_address_that_is_not_below)
