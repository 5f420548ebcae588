/* SPDX-License-Identifier: MIT */
/* test_symbol_file.c - gives names to functions, and prefers no name to a wrong one. */
#include "reader/symbols/symbol_file.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/support/unit.h"

#define COUNT 9u

static const uint8_t build_id[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 };

static struct symbol_file *open_file(const char *name, bool demangle)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/golden/%s", getenv("top_builddir"), name);
	return symbol_file_new(path, "libsample.so.1", build_id, sizeof(build_id), 1, COUNT, demangle);
}

static void expect(struct symbol_file *file, const char *const *names)
{
	for (uint32_t i = 0; i < COUNT; i++)
		ck_assert_str_eq(symbol_file_name(file, i), names[i]);
	ck_assert_str_eq(symbol_file_name(file, COUNT), "?");
	ck_assert_ptr_null(symbol_file_linkage(file, COUNT));
	symbol_file_free(file);
}

START_TEST(names_are_demangled_and_the_best_of_several_is_taken)
{
	expect(open_file("libsample.so", true),
	       (const char *const[]){ "alpha", "beta", "gamma", "local_function", "geo::Shape::area(int, double)",
				      "std::vector<int, std::allocator<int> >::push_back(int&&)", "mycrate::foo::bar",
				      "other_name", "libsample.so.1+0x1080" });
}
END_TEST

START_TEST(names_stay_linkage_names_if_requested)
{
	expect(open_file("libsample.so", false),
	       (const char *const[]){ "alpha", "beta", "gamma", "local_function", "_ZN3geo5Shape4areaEid",
				      "_ZNSt6vectorIiSaIiEE9push_backEOi", "_RNvNtCs1234_7mycrate3foo3bar",
				      "other_name", "libsample.so.1+0x1080" });
}
END_TEST

START_TEST(a_stripped_file_has_its_dynamic_symbols)
{
	expect(open_file("libstripped.so", true),
	       (const char *const[]){ "alpha", "beta", "gamma", "libsample.so.1+0x1030",
				      "geo::Shape::area(int, double)",
				      "std::vector<int, std::allocator<int> >::push_back(int&&)", "mycrate::foo::bar",
				      "other_name", "libsample.so.1+0x1080" });
}
END_TEST

/* Checks that no function of the file has a name, and that the reason is @fault. */
static void expect_fault(struct symbol_file *file, const char *fault)
{
	char name[64];

	for (uint32_t i = 0; i < file->count && i < 20; i++) {
		snprintf(name, sizeof(name), "libsample.so.1[%s]+#%u", fault, i);
		ck_assert_str_eq(symbol_file_name(file, i), name);
		ck_assert_ptr_null(symbol_file_linkage(file, i));
	}
	symbol_file_free(file);
}

START_TEST(another_build_of_the_file_names_nothing)
{
	struct symbol_file *file = open_file("libsample.so", true);

	file->build_id[19] ^= 1;
	expect_fault(file, "mismatch");
	file = open_file("libsample.so", true);
	file->build_id_bytes = 19;
	expect_fault(file, "mismatch");
}
END_TEST

START_TEST(a_function_table_of_another_length_names_nothing)
{
	struct symbol_file *file = open_file("libsample.so", true);

	file->count = COUNT - 1;
	expect_fault(file, "mismatch");
	file = open_file("libsample.so", true);
	file->count = COUNT + 1;
	expect_fault(file, "mismatch");
}
END_TEST

START_TEST(without_a_build_id_the_function_table_identifies_the_file)
{
	struct symbol_file *file = open_file("libnobuildid.so", true);

	file->build_id_bytes = 0;
	expect_fault(file, "mismatch");		/* module ID 1 is not the table's hash */
}
END_TEST

START_TEST(a_missing_file_or_one_in_another_format_names_nothing)
{
	expect_fault(open_file("there_is_no_such_file", true), "missing");
	expect_fault(open_file("golden.sh", true), "missing");
	expect_fault(open_file(".", true), "missing");
}
END_TEST

UNIT_MAIN("symbol_file", names_are_demangled_and_the_best_of_several_is_taken,
	  names_stay_linkage_names_if_requested, a_stripped_file_has_its_dynamic_symbols,
	  another_build_of_the_file_names_nothing, a_function_table_of_another_length_names_nothing,
	  without_a_build_id_the_function_table_identifies_the_file,
	  a_missing_file_or_one_in_another_format_names_nothing)
