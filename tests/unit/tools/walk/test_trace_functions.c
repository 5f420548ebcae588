/* SPDX-License-Identifier: MIT */
/* test_trace_functions.c - the same function in several processes is one function. */
#include "walk/trace_functions.h"
#include "tests/unit/support/reading.h"

#include <stdlib.h>
#include <string.h>

static struct trace_functions table;
static struct trace trace;
static struct process process;
static struct functions functions;

/* Writes a process that has this file at this base. */
static void write_process(const char *folder, const char *name, uint32_t base)
{
	struct trace_writer writer;

	trace_writer_begin(&writer, folder, name, (uint32_t)strtoul(name, NULL, 10));
	trace_writer_module(&writer, 1, base, 5, "b", 1, "/x/a.so", "");
	trace_writer_end(&writer, true);
}

static void open_process(size_t which)
{
	ck_assert_int_eq(trace_open_process(&trace, which, &process), 0);
	ck_assert_int_eq(functions_begin(&functions, &process), 0);
	trace_functions_process_begin(&table);
}

static void close_process(void)
{
	functions_end(&functions);
	process_close(&process);
}

static uint32_t number(uint32_t index)
{
	return trace_functions_number(&table, &functions, functions_number(&functions, index, UINT64_MAX));
}

START_TEST(a_function_of_two_processes_has_one_number)
{
	char folder[64];

	strcpy(folder, reading_folder());
	write_process(folder, "1", 0);
	write_process(folder, "2", 100);
	ck_assert_int_eq(trace_open(&trace, folder, true), 0);
	open_process(0);
	ck_assert_uint_eq(number(3), 1);
	ck_assert_uint_eq(number(4), 2);
	ck_assert_uint_eq(number(3), 1);
	/* A function of no file has a text that belongs to the process. */
	ck_assert_uint_eq(number(77), 3);
	close_process();
	open_process(1);
	ck_assert_uint_eq(number(104), 2);
	ck_assert_uint_eq(number(103), 1);
	ck_assert_uint_eq(number(77), 3);
	ck_assert_uint_eq(number(78), 4);
	close_process();
	ck_assert_uint_eq(table.count, 4);
	ck_assert_str_eq(table.list[1].name, "a.so[missing]+#3");
	ck_assert_str_eq(table.list[1].library, "a.so");
	ck_assert_uint_eq(table.list[1].id, 1ull << 32 | 3);
	ck_assert_ptr_null(table.list[1].file);
	ck_assert_str_eq(table.list[3].name, "unknown#77");
	ck_assert_str_eq(table.list[3].library, "?");
	ck_assert_uint_eq(table.list[3].id, 77);
	trace_functions_free(&table);
	trace_close(&trace);
	reading_remove(folder);
}
END_TEST

START_TEST(many_functions_keep_their_numbers)
{
	char folder[64];

	strcpy(folder, reading_folder());
	write_process(folder, "1", 0);
	ck_assert_int_eq(trace_open(&trace, folder, true), 0);
	open_process(0);
	for (int turn = 0; turn < 2; turn++)
		for (uint32_t i = 0; i < 3000; i++)
			ck_assert_uint_eq(number(i), i + 1);
	for (uint32_t i = 5; i < 3000; i++)
		ck_assert_uint_eq(table.list[i + 1].id, i);
	close_process();
	trace_functions_free(&table);
	trace_close(&trace);
	reading_remove(folder);
}
END_TEST

UNIT_MAIN("trace_functions", a_function_of_two_processes_has_one_number, many_functions_keep_their_numbers)
