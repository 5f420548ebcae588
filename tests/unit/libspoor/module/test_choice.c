/* SPDX-License-Identifier: MIT */
/* test_choice.c - pattern lists choose functions of this program by any of their names. */
#define _GNU_SOURCE
#include "module/choice.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/warning.h"
#include "api/runtime.h"
#include "tests/unit/support/unit.h"

extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

/* The functions to choose among. They are compiled code, so a linker cannot merge them. */
#define FUNCTIONS                                                            \
	FUNCTION(plain_one, "plain_one")                                     \
	FUNCTION(plain_two, "plain_two")                                     \
	FUNCTION(bar_int, "_ZN3foo3barEi")                                   \
	FUNCTION(bar_text, "_ZN3foo3barEPKcd")                               \
	FUNCTION(promoted, "_ZN3foo4quuxEv.llvm.1234567890")                 \
	FUNCTION(rusty, "_ZN4core3fmt5write17h0123456789abcdefE")            \
	FUNCTION(operator_new, "_Znwm_not_a_name")

#define FUNCTION(name, symbol)                                               \
	int name(int x) __asm__(symbol);                                     \
	__attribute__((noinline, used)) int name(int x)                      \
	{                                                                    \
		return x + __LINE__ + (int)sizeof(symbol);                   \
	}
FUNCTIONS
#undef FUNCTION

enum {
#define FUNCTION(name, symbol) NUMBER_##name,
	FUNCTIONS
#undef FUNCTION
	COUNT
};

static int (*const addresses[])(int) = {
#define FUNCTION(name, symbol) name,
	FUNCTIONS
#undef FUNCTION
};

static struct spoor_function table[COUNT];
static struct spoor_dso dso;
static char path[4096];
static struct spoor_instance instance;
static uint64_t bits[1];

static void begin(void)
{
	struct spoor_image image;

	spoor_image_read(&__ehdr_start, &image);
	strcpy(path, spoor_executable_path());
	dso.functions_begin = table;
	dso.functions_end = table + COUNT;
	for (int i = 0; i < COUNT; i++)
		table[i].address = (int32_t)((uintptr_t)addresses[i] - (uintptr_t)&table[i].address);
	instance = (struct spoor_instance){
		.dso = &dso, .count = COUNT, .load_bias = image.load_bias, .build_id_bytes = image.build_id_bytes,
		.path = path, .soname = (char *)(uintptr_t)"libsome.so.1",
	};
	memcpy(instance.build_id, image.build_id, image.build_id_bytes);
	bits[0] = 0;
}

static void swap_first_two(void)
{
	for (int i = 0; i < 2; i++)
		table[i].address = (int32_t)((uintptr_t)addresses[1 - i] - (uintptr_t)&table[i].address);
}

#define BIT(name) (1ull << NUMBER_##name)
#define ALL ((1ull << COUNT) - 1)

static void chooses(const char *patterns, uint64_t expected)
{
	uint64_t chosen = 0;

	ck_assert_msg(spoor_choice_functions(&instance, patterns, &chosen, true) == __builtin_popcountll(expected) &&
		      chosen == expected, "%s chooses %llx, not %llx", patterns, (unsigned long long)chosen,
		      (unsigned long long)expected);
}

START_TEST(a_function_is_chosen_by_any_of_its_names)
{
	begin();
	chooses("plain_one", BIT(plain_one));
	chooses("_ZN3foo3barEi", BIT(bar_int));
	chooses("foo::bar(int)", BIT(bar_int));
	chooses("foo::bar(char const*, double)", BIT(bar_text));
	chooses("foo::bar", BIT(bar_int) | BIT(bar_text));
	chooses("foo::quux", BIT(promoted));
	chooses("_ZN3foo4quuxEv", BIT(promoted));
	chooses("_ZN3foo4quuxEv.llvm.1234567890", BIT(promoted));
	chooses("core::fmt::write", BIT(rusty));
	chooses("foo::ba", 0);
	chooses("nothing", 0);
}
END_TEST

START_TEST(a_glob_chooses_all_that_it_matches)
{
	begin();
	chooses("plain_*", BIT(plain_one) | BIT(plain_two));
	chooses("plain_[a-o]??", BIT(plain_one));
	chooses("foo::*", BIT(bar_int) | BIT(bar_text) | BIT(promoted));
	chooses("*", ALL);
	chooses("plain_one,*bar*", BIT(plain_one) | BIT(bar_int) | BIT(bar_text));
}
END_TEST

START_TEST(the_last_matching_pattern_wins)
{
	begin();
	chooses("plain_*,-plain_one", BIT(plain_two));
	chooses("-plain_one", ALL & ~BIT(plain_one));
	chooses("plain_*,-plain_*,plain_two", BIT(plain_two));
	chooses("-foo::*,foo::bar(int)", ALL & ~(BIT(bar_text) | BIT(promoted)));
	chooses("plain_two,-*", 0);
}
END_TEST

START_TEST(a_list_adds_functions_to_the_choice_or_removes_them)
{
	begin();
	ck_assert_int_eq(spoor_choice_functions(&instance, "*", bits, true), COUNT);
	ck_assert_uint_eq(bits[0], ALL);
	ck_assert_int_eq(spoor_choice_functions(&instance, "plain_*", bits, false), 2);
	ck_assert_uint_eq(bits[0], ALL & ~(BIT(plain_one) | BIT(plain_two)));
	ck_assert_int_eq(spoor_choice_functions(&instance, "plain_one", bits, true), 1);
	ck_assert_uint_eq(bits[0], ALL & ~BIT(plain_two));
	ck_assert_int_eq(spoor_choice_functions(&instance, "*", bits, false), COUNT);
	ck_assert_uint_eq(bits[0], 0);
}
END_TEST

START_TEST(a_table_out_of_order_is_searched_correctly)
{
	begin();
	swap_first_two();
	chooses("plain_one", BIT(plain_two));
	chooses("plain_two", BIT(plain_one));
	chooses("foo::bar", BIT(bar_int) | BIT(bar_text));
}
END_TEST

START_TEST(the_same_choice_again_reads_no_file)
{
	begin();
	chooses("plain_one", BIT(plain_one));
	strcpy(path, "/nowhere");
	chooses("plain_one", BIT(plain_one));
	ck_assert_int_eq(spoor_choice_functions(&instance, "plain_two", bits, true), -ENOENT);
	ck_assert_uint_eq(bits[0], 0);
	chooses("plain_one", BIT(plain_one));
	spoor_choice_forget(&instance);
	ck_assert_int_eq(spoor_choice_functions(&instance, "plain_one", bits, true), -ENOENT);
}
END_TEST

START_TEST(another_build_of_the_file_names_nothing)
{
	begin();
	instance.build_id[0] ^= 1;
	instance.build_id_bytes |= 1;
	ck_assert_int_eq(spoor_choice_functions(&instance, "plain_one", bits, true), -ENOENT);
	ck_assert_uint_eq(bits[0], 0);
	/* A list that means all functions needs no names. */
	ck_assert_int_eq(spoor_choice_functions(&instance, "*", bits, true), COUNT);
}
END_TEST

static bool module(const char *patterns)
{
	return spoor_choice_module(&instance, patterns);
}

START_TEST(a_module_is_chosen_by_soname_file_name_or_path)
{
	begin();
	strcpy(path, "/opt/lib/libsome.so.1.2");
	ck_assert(module("*"));
	ck_assert(module("libsome.so.1"));
	ck_assert(module("libsome.so.1.2"));
	ck_assert(module("libsome*"));
	ck_assert(!module("libother*"));
	ck_assert(module("/opt/*"));
	ck_assert(module("*/lib/*"));
	ck_assert(!module("/usr/*"));
	ck_assert(!module("opt"));
	ck_assert(!module("libsome*,-*.so.1"));
	ck_assert(module("-libother.so"));
	ck_assert(!module("-libsome.so.1"));
	ck_assert(module("-libsome.so.1,/opt/*"));
}
END_TEST

/* Returns the text that the runtime prints to stderr at its end, for the lists in the configuration. */
static const char *unmatched(const char *modules, const char *functions)
{
	static char said[2048];
	int ends[2], saved = dup(STDERR_FILENO);
	ssize_t length;

	strcpy(spoor_configuration.modules, modules);
	strcpy(spoor_configuration.functions, functions);
	begin();
	if (spoor_choice_module(&instance, spoor_configuration.modules))
		spoor_choice_functions(&instance, spoor_configuration.functions, bits, true);
	ck_assert_int_eq(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	spoor_warning_begin();
	spoor_choice_unmatched(" in test");
	dup2(saved, STDERR_FILENO);
	close(saved);
	length = read(ends[0], said, sizeof(said) - 1);
	close(ends[0]);
	said[length > 0 ? length : 0] = '\0';
	return said;
}

START_TEST(patterns_that_matched_nothing_are_named)
{
	ck_assert_str_eq(unmatched("libsome*,libmissing.so", "plain_one,absent::*,foo::bar(int),gone"),
			 "spoor: SPOOR_RUNTIME_MODULES: no library with sleds matches 'libmissing.so' in test\n"
			 "spoor: SPOOR_RUNTIME_FUNCTIONS: no traced function matches 'absent::*', 'gone' in test\n");
}
END_TEST

START_TEST(no_message_if_all_patterns_matched_or_no_name_was_read)
{
	ck_assert_str_eq(unmatched("*", "plain_one,-plain_two"), "");
}
END_TEST

START_TEST(function_patterns_are_not_reported_if_a_library_pattern_matched_none)
{
	ck_assert_str_eq(unmatched("libmissing.so", "plain_one"),
			 "spoor: SPOOR_RUNTIME_MODULES: no library with sleds matches 'libmissing.so' in test\n");
}
END_TEST

UNIT_MAIN("choice", a_function_is_chosen_by_any_of_its_names, a_glob_chooses_all_that_it_matches,
	  the_last_matching_pattern_wins, a_list_adds_functions_to_the_choice_or_removes_them,
	  a_table_out_of_order_is_searched_correctly, the_same_choice_again_reads_no_file,
	  another_build_of_the_file_names_nothing, a_module_is_chosen_by_soname_file_name_or_path,
	  patterns_that_matched_nothing_are_named, no_message_if_all_patterns_matched_or_no_name_was_read,
	  function_patterns_are_not_reported_if_a_library_pattern_matched_none)
