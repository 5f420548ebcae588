/* SPDX-License-Identifier: MIT */
/* test_unit_symbols.c - finds the facts about functions that the pass wrote. */
#include "reader/symbols/unit_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/support/unit.h"

static struct unit_symbols symbols;

/* Adds a message about one function. */
static int add(uint64_t key, const char *name, int line)
{
	Spoor__FunctionInfo info = SPOOR__FUNCTION_INFO__INIT, *infos[] = { &info };
	Spoor__FunctionInfos value = SPOOR__FUNCTION_INFOS__INIT;
	Spoor__Symbols__Entry entry = SPOOR__SYMBOLS__ENTRY__INIT, *entries[] = { &entry };
	Spoor__Symbols message = SPOOR__SYMBOLS__INIT;
	uint8_t bytes[200];

	info.linkage_name = (char *)name;
	info.has_line = 1;
	info.line = line;
	value.n_function_infos = 1;
	value.function_infos = infos;
	entry.has_key = 1;
	entry.key = key;
	entry.value = &value;
	message.n_function_symbols_table = 1;
	message.function_symbols_table = entries;
	ck_assert_uint_le(spoor__symbols__get_packed_size(&message), sizeof(bytes));
	return unit_symbols_add(&symbols, bytes, spoor__symbols__pack(&message, bytes));
}

START_TEST(keys_are_found_for_any_order_of_messages)
{
	ck_assert_ptr_null(unit_symbols_find(&symbols, 1));
	for (uint64_t i = 0; i < 300; i++)
		ck_assert_int_eq(add(i * 7919 % 300 << 32 | i, "f", (int)i), 0);
	unit_symbols_sort(&symbols);
	ck_assert_uint_eq(symbols.count, 300);
	for (uint64_t i = 0; i < 300; i++) {
		const struct unit_symbol *found = unit_symbols_find(&symbols, i * 7919 % 300 << 32 | i);

		ck_assert_ptr_nonnull(found);
		ck_assert_uint_eq(found->same_key, 1);
		ck_assert_int_eq(found->info->line, (int)i);
	}
	ck_assert_ptr_null(unit_symbols_find(&symbols, UINT64_MAX));
	ck_assert_ptr_null(unit_symbols_find(&symbols, 1));
	unit_symbols_free(&symbols);
}
END_TEST

START_TEST(all_messages_about_a_key_are_kept_in_their_order)
{
	const struct unit_symbol *found;

	add(5, "f", 1);
	add(4, "e", 1);
	add(5, "g", 2);
	add(5, "f", 3);
	unit_symbols_sort(&symbols);
	found = unit_symbols_find(&symbols, 5);
	ck_assert_uint_eq(found->same_key, 3);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(found[i].info->line, i + 1);
	unit_symbols_free(&symbols);
}
END_TEST

START_TEST(two_functions_with_one_key_are_a_clash)
{
	add(5, "f", 1);
	add(5, "g", 1);
	add(6, "f", 1);
	add(6, "f", 2);
	add(7, "f", 1);
	unit_symbols_sort(&symbols);
	ck_assert(unit_symbols_find(&symbols, 5)->clash);
	ck_assert(unit_symbols_find(&symbols, 6)->clash);
	ck_assert(!unit_symbols_find(&symbols, 7)->clash);
	unit_symbols_free(&symbols);
}
END_TEST

START_TEST(equal_messages_are_kept_once)
{
	const struct unit_symbol *found;

	add(5, "g", 1);
	add(5, "f", 1);
	add(5, "g", 1);
	add(5, "f", 1);
	unit_symbols_sort(&symbols);
	found = unit_symbols_find(&symbols, 5);
	ck_assert_uint_eq(symbols.count, 2);
	ck_assert_uint_eq(found->same_key, 2);
	ck_assert_str_eq(found[0].info->linkage_name, "g");
	ck_assert_str_eq(found[1].info->linkage_name, "f");
	unit_symbols_free(&symbols);
}
END_TEST

START_TEST(names_are_safe_for_a_terminal)
{
	add(1, "\1plain", 1);
	add(2, "a\033[2Jb\n", 1);
	unit_symbols_sort(&symbols);
	ck_assert_str_eq(symbols.list[0].info->linkage_name, "plain");
	ck_assert_str_eq(symbols.list[1].info->linkage_name, "a?[2Jb?");
	unit_symbols_free(&symbols);
}
END_TEST

START_TEST(invalid_messages_are_rejected_and_earlier_ones_stay)
{
	static const uint8_t torn[] = { 0x0a, 0x7f, 0x08 };

	add(1, "f", 1);
	ck_assert_int_eq(unit_symbols_add(&symbols, torn, sizeof(torn)), -EBADMSG);
	ck_assert_int_eq(unit_symbols_add(&symbols, NULL, 0), 0);
	ck_assert_uint_eq(symbols.count, 1);
	ck_assert_str_eq(unit_symbols_add_file(&symbols, "/no/such/file"), "No such file or directory");
	ck_assert_str_eq(unit_symbols_add_file(&symbols, "/"), "Is a directory");
	unit_symbols_free(&symbols);
}
END_TEST

UNIT_MAIN("unit_symbols", keys_are_found_for_any_order_of_messages,
	  all_messages_about_a_key_are_kept_in_their_order, two_functions_with_one_key_are_a_clash,
	  equal_messages_are_kept_once, names_are_safe_for_a_terminal,
	  invalid_messages_are_rejected_and_earlier_ones_stay)
