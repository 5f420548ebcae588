/* SPDX-License-Identifier: MIT */
/* test_sled_index.c - assigns the sleds of a map to their functions, for maps and tables in any order. */
#include "patch/sled_index.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/support/hand_module.h"
#include "tests/unit/support/unit.h"

static struct hand_module module;

static void begin(void)
{
	hand_module_begin(&module, 4);
}

static void build(void)
{
	hand_module_finish(&module);
	module.sleds.awake.base = 0;
	ck_assert_int_eq(spoor_sled_index_build(&module.sleds), 0);
}

static void end(void)
{
	spoor_sled_index_free(&module.sleds);
	hand_module_end(&module);
}

/* Returns a function's sleds as "entry@100 exit@112": kinds, and offsets into the text. */
static const char *sleds_of(uint32_t local)
{
	static const char *const kinds[] = { "entry", "exit", "tail", "alone" };
	static char text[256];
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = module.sleds.first_sled[local]; i < module.sleds.first_sled[local + 1]; i++) {
		uint32_t word = module.sleds.sleds[i];
		uintptr_t at = module.sleds.text_low + SPOOR_SLED_WORD_DISTANCE(word) - (uintptr_t)module.text;
		uint32_t kind = SPOOR_SLED_WORD_KIND(word);

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", used ? " " : "", kinds[kind]);
		if (kind != SPOOR_SLED_ALONE)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "@%zu", (size_t)at);
	}
	return text;
}

static size_t low(void)
{
	return module.sleds.text_low - (uintptr_t)module.text;
}

static size_t high(void)
{
	return module.sleds.text_high - (uintptr_t)module.text;
}

START_TEST(a_map_in_order_is_used_as_it_is)
{
	begin();
	hand_module_function(&module, 100);
	hand_module_function(&module, 200);
	hand_module_function(&module, 300);
	hand_module_sled(&module, SPOOR_SLED_ENTRY, 100, 100);
	hand_module_sled(&module, SPOOR_SLED_EXIT, 120, 100);
	hand_module_sled(&module, SPOOR_SLED_EXIT, 140, 100);
	hand_module_sled(&module, SPOOR_SLED_ENTRY_ARGUMENTS, 300, 300);
	hand_module_sled(&module, SPOOR_SLED_TAIL, 320, 300);
	build();
	ck_assert_str_eq(sleds_of(0), "entry@100 exit@120 exit@140");
	ck_assert_str_eq(sleds_of(1), "");
	ck_assert_str_eq(sleds_of(2), "entry@300 tail@320");
	ck_assert_uint_eq(low(), 100);
	ck_assert_uint_eq(high(), 320);
	ck_assert_uint_eq(*module.sleds.prepared | *module.sleds.awake.patched | *module.sleds.wanted, 0);
	end();
}
END_TEST

START_TEST(a_table_out_of_order_gives_each_function_its_own)
{
	begin();
	hand_module_function(&module, 300);
	hand_module_function(&module, 100);
	hand_module_function(&module, 200);
	hand_module_sled(&module, SPOOR_SLED_ENTRY, 100, 100);
	hand_module_sled(&module, SPOOR_SLED_EXIT, 120, 100);
	hand_module_sled(&module, SPOOR_SLED_ENTRY, 300, 300);
	hand_module_sled(&module, SPOOR_SLED_EXIT, 320, 300);
	build();
	ck_assert_str_eq(sleds_of(0), "entry@300 exit@320");
	ck_assert_str_eq(sleds_of(1), "entry@100 exit@120");
	ck_assert_str_eq(sleds_of(2), "");
	end();
}
END_TEST

START_TEST(a_map_out_of_order_gives_each_function_its_own)
{
	begin();
	hand_module_function(&module, 100);
	hand_module_function(&module, 200);
	hand_module_sled(&module, SPOOR_SLED_ENTRY, 200, 200);
	hand_module_sled(&module, SPOOR_SLED_EXIT, 220, 200);
	hand_module_sled(&module, SPOOR_SLED_ENTRY, 100, 100);
	hand_module_sled(&module, SPOOR_SLED_EXIT, 120, 100);
	build();
	ck_assert_str_eq(sleds_of(0), "entry@100 exit@120");
	ck_assert_str_eq(sleds_of(1), "entry@200 exit@220");
	ck_assert_uint_eq(low(), 100);
	ck_assert_uint_eq(high(), 220);
	end();
}
END_TEST

/* Adds a function whose entry sled is not in the map. @more: further flags */
static void own_entry(uint32_t at, uint32_t more)
{
	hand_module_function(&module, at);
	hand_module_flags(&module, SPOOR_FUNCTION_NOP_ENTRY | more);
}

START_TEST(entry_sleds_of_the_table_come_before_entry_sleds_of_the_map)
{
	begin();
	own_entry(100, 0);
	hand_module_function(&module, 200);
	own_entry(300, SPOOR_FUNCTION_ENTRY_BEHIND_PAD);
	own_entry(400, 0);
	hand_module_sled(&module, SPOOR_SLED_EXIT, 120, 100);
	hand_module_sled(&module, SPOOR_SLED_ENTRY, 200, 200);
	hand_module_sled(&module, SPOOR_SLED_EXIT, 220, 200);
	hand_module_sled(&module, SPOOR_SLED_EXIT, 320, 300);
	hand_module_sled(&module, SPOOR_SLED_TAIL, 340, 300);
	build();
	ck_assert(module.sleds.in_order);
	ck_assert_str_eq(sleds_of(0), "entry@100 exit@120");
	ck_assert_str_eq(sleds_of(1), "entry@200 exit@220");
	ck_assert_str_eq(sleds_of(2), "entry@304 exit@320 tail@340");
	ck_assert_str_eq(sleds_of(3), "entry@400");
	ck_assert_uint_eq(low(), 100);
	ck_assert_uint_eq(high(), 400);
	end();
}
END_TEST

START_TEST(entry_sleds_of_a_table_out_of_order_come_first_too)
{
	begin();
	own_entry(300, 0);
	own_entry(100, SPOOR_FUNCTION_ENTRY_BEHIND_PAD);
	hand_module_function(&module, 200);
	hand_module_sled(&module, SPOOR_SLED_EXIT, 120, 100);
	hand_module_sled(&module, SPOOR_SLED_EXIT, 140, 100);
	hand_module_sled(&module, SPOOR_SLED_ENTRY, 200, 200);
	build();
	ck_assert(!module.sleds.in_order);
	ck_assert_str_eq(sleds_of(0), "entry@300");
	ck_assert_str_eq(sleds_of(1), "entry@104 exit@120 exit@140");
	ck_assert_str_eq(sleds_of(2), "entry@200");
	ck_assert_uint_eq(low(), 104);
	ck_assert_uint_eq(high(), 300);
	end();
}
END_TEST

/* Only one of the functions that a linker folded into one gets the sleds. */
START_TEST(functions_of_one_address_have_one_entry)
{
	for (int in_order = 0; in_order < 2; in_order++) {
		begin();
		own_entry(in_order ? 100 : 300, 0);
		own_entry(in_order ? 100 : 300, 0);
		own_entry(in_order ? 300 : 100, 0);
		hand_module_sled(&module, SPOOR_SLED_EXIT, 120, 100);
		hand_module_sled(&module, SPOOR_SLED_EXIT, 320, 300);
		build();
		ck_assert_int_eq(module.sleds.in_order, in_order);
		ck_assert_uint_eq(module.sleds.first_sled[3], 4);
		ck_assert_uint_eq(strlen(sleds_of(0)) * strlen(sleds_of(1)), 0);
		ck_assert(strcmp(in_order ? sleds_of(0) : sleds_of(2), "entry@100 exit@120") == 0);
		end();
	}
}
END_TEST

/* A compiler places the cold part of a function before or after all other functions. */
START_TEST(a_cold_part_elsewhere_belongs_to_its_function)
{
	begin();
	hand_module_function(&module, 1000);
	hand_module_function(&module, 1100);
	hand_module_sled(&module, SPOOR_SLED_ENTRY, 1000, 1000);
	hand_module_sled(&module, SPOOR_SLED_EXIT, 64, 1000);
	hand_module_sled(&module, SPOOR_SLED_EXIT, 8000, 1000);
	hand_module_sled(&module, SPOOR_SLED_ENTRY, 1100, 1100);
	hand_module_sled(&module, SPOOR_SLED_EXIT, 1120, 1100);
	build();
	ck_assert_str_eq(sleds_of(0), "entry@1000 exit@64 exit@8000");
	ck_assert_str_eq(sleds_of(1), "entry@1100 exit@1120");
	ck_assert_uint_eq(low(), 64);
	ck_assert_uint_eq(high(), 8000);
	ck_assert_uint_eq(module.sleds.skipped_sleds.out_of_reach, 0);
	end();
}
END_TEST

/* A map with sleds that no function has, in order or out of order. */
static void foreign(bool in_order)
{
	struct spoor_skipped_sleds *skipped_sleds = &module.sleds.skipped_sleds;

	begin();
	hand_module_function(&module, in_order ? 200 : 300);
	hand_module_function(&module, in_order ? 300 : 200);
	hand_module_sled(&module, SPOOR_SLED_ENTRY, 100, 100);	/* before the first function */
	hand_module_sled(&module, SPOOR_SLED_ENTRY, 200, 200);
	hand_module_sled(&module, SPOOR_SLED_CUSTOM_EVENT, 210, 200);
	hand_module_sled(&module, SPOOR_SLED_TYPED_EVENT, 220, 200);
	hand_module_sled(&module, 77, 226, 200);
	hand_module_sled(&module, SPOOR_SLED_EXIT, 230, 200);
	hand_module_sled(&module, SPOOR_SLED_EXIT, 241, 200);	/* sleds are aligned to two */
	hand_module_sled(&module, SPOOR_SLED_EXIT, 250, 200)->version = 0;
	hand_module_sled(&module, SPOOR_SLED_ENTRY, 260, 260);	/* in no table */
	hand_module_sled(&module, SPOOR_SLED_ENTRY, 300, 300);
	hand_module_sled(&module, SPOOR_SLED_EXIT, 320, 300);
	hand_module_sled(&module, SPOOR_SLED_ENTRY, 400, 400);	/* after the last function */
	build();
	ck_assert_uint_eq(skipped_sleds->other_kind, 3);
	ck_assert_uint_eq(skipped_sleds->unexpected_bytes, 1);
	ck_assert_uint_eq(skipped_sleds->no_function, 4);
	ck_assert_uint_eq(skipped_sleds->out_of_reach, 0);
}

/* Returns the function's sleds without the skipped ones. */
static const char *patchable(uint32_t local)
{
	static char text[256];
	const char *all = sleds_of(local), *word;
	char *at = text;

	for (word = all; *word; word += strcspn(word, " "), word += *word == ' ') {
		if (strncmp(word, "alone", 5) == 0)
			continue;
		at += sprintf(at, "%s%.*s", at > text ? " " : "", (int)strcspn(word, " "), word);
	}
	*at = '\0';
	return text;
}

START_TEST(sleds_of_no_function_are_skipped)
{
	foreign(true);
	ck_assert_str_eq(patchable(0), "entry@200 exit@230");
	ck_assert_str_eq(patchable(1), "entry@300 exit@320");
	end();
	foreign(false);
	ck_assert_str_eq(patchable(0), "entry@300 exit@320");
	ck_assert_str_eq(patchable(1), "entry@200 exit@230");
	end();
}
END_TEST

START_TEST(a_sled_beyond_the_reach_of_the_index_is_skipped_and_counted)
{
	begin();
	hand_module_function(&module, 100);
	hand_module_sled(&module, SPOOR_SLED_ENTRY, 100, 100);
	hand_module_sled(&module, SPOOR_SLED_EXIT, 120, 100)->address += 1ll << 31;
	build();
	ck_assert_str_eq(sleds_of(0), "entry@100 alone");
	ck_assert_uint_eq(module.sleds.skipped_sleds.out_of_reach, 1);
	end();
}
END_TEST

START_TEST(an_index_is_built_once_and_again_after_it_was_freed)
{
	char last[64];
	uint64_t *bits;

	begin();
	hand_module_functions(&module, 64, 100);
	build();
	bits = module.sleds.wanted;
	*bits = 5;
	ck_assert_int_eq(spoor_sled_index_build(&module.sleds), 0);
	ck_assert_ptr_eq(module.sleds.wanted, bits);
	ck_assert_uint_eq(*bits, 5);
	spoor_sled_index_free(&module.sleds);
	ck_assert_ptr_null(module.sleds.wanted);
	ck_assert_int_eq(spoor_sled_index_build(&module.sleds), 0);
	ck_assert_uint_eq(*module.sleds.wanted, 0);
	snprintf(last, sizeof(last), "entry@%u exit@%u", 64 + 99 * HAND_FUNCTION_BYTES,
		 64 + 99 * HAND_FUNCTION_BYTES + HAND_EXIT);
	ck_assert_str_eq(sleds_of(99), last);
	end();
}
END_TEST

START_TEST(a_module_without_functions_or_sleds_has_an_empty_index)
{
	begin();
	build();
	end();
	begin();
	hand_module_function(&module, 100);
	build();
	ck_assert_str_eq(sleds_of(0), "");
	end();
	begin();
	hand_module_sled(&module, SPOOR_SLED_ENTRY, 100, 100);
	build();
	ck_assert_uint_eq(module.sleds.skipped_sleds.no_function, 1);
	end();
}
END_TEST

UNIT_MAIN("sled_index", a_map_in_order_is_used_as_it_is, a_table_out_of_order_gives_each_function_its_own,
	  a_map_out_of_order_gives_each_function_its_own,
	  entry_sleds_of_the_table_come_before_entry_sleds_of_the_map,
	  entry_sleds_of_a_table_out_of_order_come_first_too, functions_of_one_address_have_one_entry,
	  a_cold_part_elsewhere_belongs_to_its_function, sleds_of_no_function_are_skipped,
	  a_sled_beyond_the_reach_of_the_index_is_skipped_and_counted,
	  an_index_is_built_once_and_again_after_it_was_freed,
	  a_module_without_functions_or_sleds_has_an_empty_index)
