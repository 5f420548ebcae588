/* SPDX-License-Identifier: MIT */
/* test_symbol_cache.c - equal modules share their names, and different modules do not. */
#include "reader/symbols/symbol_cache.h"

#include <string.h>

#include "tests/unit/support/unit.h"

static struct symbol_cache cache = { .demangle = true };
static uint8_t build_id[] = { 1, 2, 3, 4 };

static struct module module(const char *path)
{
	return (struct module){ .module_id = 1, .count = 10, .path = (char *)(uintptr_t)path,
				.soname = (char *)(uintptr_t)"libx.so", .build_id = build_id, .build_id_bytes = 4 };
}

static struct symbol_file *find(const struct module *wanted)
{
	struct symbol_file *file;

	ck_assert_int_eq(symbol_cache_find(&cache, wanted, &file), 0);
	return file;
}

START_TEST(two_instances_of_a_module_share_its_names)
{
	struct module first = module("/x/libx.so"), again = first;

	again.base = 1000;
	again.load_bias = 0x7f00;
	again.gone_counter = 5;
	ck_assert_ptr_eq(find(&first), find(&again));
	ck_assert_uint_eq(cache.count, 1);
	ck_assert_str_eq(find(&first)->library, "libx.so");
	ck_assert(find(&first)->demangle);
	symbol_cache_free(&cache);
}
END_TEST

START_TEST(modules_that_differ_in_a_detail_do_not_share_names)
{
	uint8_t other_id[] = { 1, 2, 3, 5 };
	struct module modules[6];
	struct symbol_file *files[6];

	for (size_t i = 0; i < 6; i++)
		modules[i] = module("/x/libx.so");
	modules[1].path = (char *)(uintptr_t)"/y/libx.so";
	modules[2].module_id = 2;
	modules[3].count = 11;
	modules[4].build_id = other_id;
	modules[5].build_id_bytes = 3;
	for (size_t i = 0; i < 6; i++)
		files[i] = find(&modules[i]);
	ck_assert_uint_eq(cache.count, 6);
	for (uint32_t i = 0; i < 6; i++) {
		ck_assert_ptr_eq(find(&modules[i]), files[i]);
		ck_assert_uint_eq(files[i]->number, i);
	}
	symbol_cache_free(&cache);
	ck_assert_uint_eq(cache.count, 0);
}
END_TEST

START_TEST(no_file_is_read_before_a_name_is_requested)
{
	struct module absent = module("/nowhere/libx.so");

	ck_assert(!find(&absent)->read);
	ck_assert_str_eq(symbol_file_name(find(&absent), 3), "libx.so[missing]+#3");
	ck_assert(find(&absent)->read);
	symbol_cache_free(&cache);
}
END_TEST

UNIT_MAIN("symbol_cache", two_instances_of_a_module_share_its_names,
	  modules_that_differ_in_a_detail_do_not_share_names, no_file_is_read_before_a_name_is_requested)
