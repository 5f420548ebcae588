/* SPDX-License-Identifier: MIT */
/* test_functions.c - a dense index means the function that had it at the time of the event. */
#include "tests/unit/support/reading.h"

#include <string.h>

static struct trace_writer writer;
static struct trace trace;
static struct process process;
static struct functions functions;
static char folder[64];

static void begin(void)
{
	strcpy(folder, reading_folder());
	trace_writer_begin(&writer, folder, "1", 1);
}

static void module(uint32_t module_id, uint32_t base, uint32_t count, const char *path)
{
	trace_writer_module(&writer, module_id, base, count, "b", 1, path, "");
	writer.counter += 1000;
}

static void gone(uint32_t base, uint32_t count)
{
	struct spoor_module_gone record = { base, count, writer.counter };

	trace_writer_block(&writer, SPOOR_BLOCK_MODULE_GONE, 0, &record, sizeof(record));
	writer.counter += 1000;
}

static void finish(void)
{
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

static const char *name(uint32_t index, uint64_t counter)
{
	return function_name(&functions, functions_number(&functions, index, counter));
}

START_TEST(each_module_has_its_range)
{
	begin();
	module(1, 10, 5, "/x/a.so");
	module(2, 15, 5, "/x/b.so");
	finish();
	ck_assert_str_eq(name(10, 0), "a.so[missing]+#0");
	ck_assert_str_eq(name(14, 0), "a.so[missing]+#4");
	ck_assert_str_eq(name(15, 0), "b.so[missing]+#0");
	ck_assert_str_eq(name(19, 0), "b.so[missing]+#4");
	ck_assert_uint_eq(function_id(&functions, functions_number(&functions, 19, 0)), 2ull << 32 | 4);
	end();
}
END_TEST

START_TEST(an_index_of_no_module_is_shown_as_unknown)
{
	begin();
	module(1, 10, 5, "/x/a.so");
	finish();
	ck_assert_str_eq(name(9, 0), "unknown#9");
	ck_assert_str_eq(name(15, 0), "unknown#15");
	ck_assert_str_eq(name(SPOOR_INDEX_MAX, 0), "unknown#536870911");
	ck_assert_str_eq(function_library(&functions, functions_number(&functions, 9, 0)), "?");
	end();
}
END_TEST

START_TEST(modules_with_the_same_base_in_turn_are_distinguished_by_time)
{
	uint64_t first, second, third;

	begin();
	module(1, 10, 5, "/x/a.so");
	first = writer.counter;
	gone(10, 5);
	module(2, 8, 20, "/x/b.so");
	second = writer.counter;
	gone(8, 20);
	module(3, 12, 1, "/x/c.so");
	third = writer.counter;
	finish();
	ck_assert_str_eq(name(12, second), "b.so[missing]+#4");
	ck_assert_str_eq(name(12, first), "a.so[missing]+#2");
	ck_assert_str_eq(name(12, third), "c.so[missing]+#0");
	ck_assert_str_eq(name(12, 0), "a.so[missing]+#2");
	ck_assert_str_eq(name(20, first), "b.so[missing]+#12");
	/* A function has the same number each time. */
	ck_assert_uint_eq(functions_number(&functions, 12, second), functions_number(&functions, 12, second + 1));
	end();
}
END_TEST

START_TEST(a_module_that_is_loaded_again_at_its_base_is_the_same_module)
{
	uint64_t first;

	begin();
	module(1, 10, 5, "/x/a.so");
	first = writer.counter;
	gone(10, 5);
	module(1, 10, 5, "/x/a.so");
	finish();
	ck_assert_uint_eq(functions_number(&functions, 12, first), functions_number(&functions, 12, writer.counter));
	ck_assert_uint_eq(functions.count, 1);
	end();
}
END_TEST

START_TEST(a_function_ID_of_an_injected_call_is_the_same_function)
{
	begin();
	module(7, 10, 5, "/x/a.so");
	finish();
	ck_assert_uint_eq(functions_number_of_id(&functions, 7ull << 32 | 3), functions_number(&functions, 13, 0));
	ck_assert_str_eq(function_name(&functions, functions_number_of_id(&functions, 7ull << 32 | 5)),
			 "unknown#00000007:5");
	ck_assert_uint_eq(functions_number_of_id(&functions, 8ull << 32), functions_number_of_id(&functions, 8ull << 32));
	end();
}
END_TEST

UNIT_MAIN("functions", each_module_has_its_range, an_index_of_no_module_is_shown_as_unknown,
	  modules_with_the_same_base_in_turn_are_distinguished_by_time,
	  a_module_that_is_loaded_again_at_its_base_is_the_same_module,
	  a_function_ID_of_an_injected_call_is_the_same_function)
