/* SPDX-License-Identifier: MIT */
/* test_pattern_options.c - pattern lists choose functions of a trace by any of their names. */
#include "walk/pattern_options.h"

#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "tests/unit/support/reading.h"

/* The functions of the golden sample library. */
enum sample { ALPHA, BETA, GAMMA, LOCAL, AREA, PUSH, RUST, SEVERAL, NAMELESS, COUNT };

static const uint8_t build_id[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 };
static struct trace trace;
static struct process process;
static struct functions functions;
static char folder[64];

static void begin(void)
{
	struct trace_writer writer;
	char path[4096];

	strcpy(folder, reading_folder());
	snprintf(path, sizeof(path), "%s/tests/golden/libsample.so", getenv("top_builddir"));
	trace_writer_begin(&writer, folder, "1", 1);
	trace_writer_module(&writer, 1, 0, COUNT, build_id, sizeof(build_id), path, "libsample.so.1");
	trace_writer_module(&writer, 2, 100, 10, "x", 1, "/nowhere/libgone.so", "");
	trace_writer_end(&writer, true);
	reading_open(folder, &trace, &process);
	ck_assert_int_eq(functions_begin(&functions, &process), 0);
}

static void end(void)
{
	functions_end(&functions);
	reading_close(&trace, &process);
	reading_remove(folder);
}

static bool matches(uint32_t index, const char *patterns)
{
	ck_assert_int_eq(pattern_options_check(patterns), 0);
	return function_matches(&functions, functions_number(&functions, index, 0), patterns);
}

START_TEST(a_function_is_chosen_by_each_of_its_names)
{
	begin();
	ck_assert(matches(ALPHA, "alpha"));
	ck_assert(!matches(BETA, "alpha"));
	ck_assert(matches(AREA, "_ZN3geo5Shape4areaEid"));
	ck_assert(matches(AREA, "geo::Shape::area(int, double)"));
	ck_assert(matches(AREA, "geo::Shape::area"));
	ck_assert(matches(AREA, "geo::*"));
	ck_assert(!matches(AREA, "geo::Shape::are"));
	ck_assert(matches(RUST, "mycrate::foo::*"));
	end();
}
END_TEST

START_TEST(a_function_without_a_name_is_chosen_by_its_shown_text)
{
	begin();
	ck_assert(matches(NAMELESS, "libsample.so.1+0x*"));
	ck_assert(matches(103, "libgone.so\\[missing\\]+#3"));
	ck_assert(!matches(103, "alpha"));
	ck_assert(matches(5000, "unknown#5000"));
	end();
}
END_TEST

START_TEST(the_last_matching_pattern_wins)
{
	begin();
	ck_assert(!matches(ALPHA, "*,-alpha"));
	ck_assert(matches(BETA, "*,-alpha"));
	ck_assert(matches(BETA, "-alpha"));
	ck_assert(matches(ALPHA, "-alpha,al*"));
	end();
}
END_TEST

START_TEST(a_list_without_a_meaning_is_wrong_usage)
{
	ck_assert(freopen("/dev/null", "w", stderr) != NULL);
	ck_assert_int_eq(pattern_options_check("a,,b"), SPOOR_EXIT_USAGE);
	ck_assert_int_eq(pattern_options_check("[a"), SPOOR_EXIT_USAGE);
	ck_assert_int_eq(pattern_options_check("a,-b*"), 0);
}
END_TEST

static bool library_chosen(uint32_t index, const char *patterns)
{
	ck_assert_int_eq(pattern_options_check(patterns), 0);
	return library_matches(&functions, functions_number(&functions, index, 0), patterns);
}

START_TEST(a_library_is_chosen_by_soname_file_name_or_path)
{
	begin();
	ck_assert(library_chosen(ALPHA, "libsample.so.1"));
	ck_assert(library_chosen(ALPHA, "libsample.so"));
	ck_assert(library_chosen(ALPHA, "*/golden/libsample.so"));
	ck_assert(!library_chosen(ALPHA, "*/golden/libsample.so.1"));
	/* A pattern without a slash does not match paths. */
	ck_assert(!library_chosen(ALPHA, "*golden*"));
	ck_assert(!library_chosen(ALPHA, "libgone.so"));
	ck_assert(library_chosen(101, "libgone.so"));
	ck_assert(library_chosen(101, "/nowhere/*"));
	ck_assert(!library_chosen(101, "*,-libgone.so"));
	ck_assert(library_chosen(ALPHA, "-libgone.so"));
	ck_assert(library_chosen(101, "-lib*,libg*"));
	end();
}
END_TEST

START_TEST(lists_from_several_options_are_joined)
{
	char *list = NULL;

	begin();
	ck_assert_int_eq(pattern_options_add(&list, "alpha"), 0);
	ck_assert_str_eq(list, "alpha");
	ck_assert_int_eq(pattern_options_add(&list, "beta,-gamma"), 0);
	ck_assert_str_eq(list, "alpha,beta,-gamma");
	ck_assert(matches(ALPHA, list) && matches(BETA, list) && !matches(LOCAL, list));
	ck_assert_int_eq(pattern_options_add(&list, ","), SPOOR_EXIT_USAGE);
	ck_assert_str_eq(list, "alpha,beta,-gamma");
	free(list);
	end();
}
END_TEST

UNIT_MAIN("patterns", a_library_is_chosen_by_soname_file_name_or_path,
	  a_function_is_chosen_by_each_of_its_names, a_function_without_a_name_is_chosen_by_its_shown_text,
	  the_last_matching_pattern_wins, a_list_without_a_meaning_is_wrong_usage,
	  lists_from_several_options_are_joined)
