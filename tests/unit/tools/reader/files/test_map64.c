/* SPDX-License-Identifier: MIT */
/* test_map64.c - keys keep their values, in any number and however similar they are. */
#include "reader/files/map64.h"

#include "tests/unit/support/unit.h"

static struct map64 map;

static void set(uint64_t key, uint32_t value)
{
	uint32_t *at = map64_at(&map, key);

	ck_assert_ptr_nonnull(at);
	*at = value;
}

static uint32_t get(uint64_t key)
{
	return *map64_at(&map, key);
}

START_TEST(a_new_key_has_no_value_and_a_known_key_keeps_its_value)
{
	ck_assert_uint_eq(get(5), 0);
	set(5, 50);
	set(0, 1);
	set(UINT64_MAX, 2);
	ck_assert_uint_eq(get(5), 50);
	ck_assert_uint_eq(get(0), 1);
	ck_assert_uint_eq(get(UINT64_MAX), 2);
	set(5, 51);
	ck_assert_uint_eq(get(5), 51);
	map64_free(&map);
	ck_assert_uint_eq(get(5), 0);
	map64_free(&map);
}
END_TEST

/* Keys like function IDs: neighbours, equal lower halves, equal upper halves. */
START_TEST(many_similar_keys_are_all_found)
{
	static const int shifts[] = { 0, 12, 32, 44 };

	for (size_t s = 0; s < sizeof(shifts) / sizeof(*shifts); s++) {
		for (uint32_t i = 1; i <= 50000; i++)
			set((uint64_t)i << shifts[s], i);
		ck_assert_uint_eq(map.count, 50000);
		ck_assert_uint_ge(map.capacity, 2 * map.count);
		for (uint32_t i = 1; i <= 50000; i++)
			ck_assert_uint_eq(get((uint64_t)i << shifts[s]), i);
		ck_assert_uint_eq(map.count, 50000);
		map64_free(&map);
	}
}
END_TEST

UNIT_MAIN("map64", a_new_key_has_no_value_and_a_known_key_keeps_its_value, many_similar_keys_are_all_found)
