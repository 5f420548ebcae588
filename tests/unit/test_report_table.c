/* SPDX-License-Identifier: MIT */
/* test_report_table.c - rows in the order that is asked for, as text and as CSV. */
#include "report_table.h"

#include <stdio.h>

#include "unit.h"

static struct report_row rows[] = {
	{ (char *)(uintptr_t)"slow", "libb.so", { 1, 9000, 9000, 9000, 9000, 9000, 0, 0, 0 }, NULL, 0 },
	{ (char *)(uintptr_t)"busy", "liba.so", { 1000, 5000, 100, 5000, 1, 70, 0, 0, 0 }, NULL, 0 },
	{ (char *)(uintptr_t)"f(int, \"x\")", "liba.so", { 3, 5000, 400, 5000, 1000, 2000, 0, 0, 0 }, NULL, 0 },
	{ (char *)(uintptr_t)"alone", "libc.so", { 2, 8, 8, 8, 4, 4, 0, 0, 0 }, NULL, 0 },
};

static struct output out;

static struct report_table table(enum report_sort sort, bool csv)
{
	return (struct report_table){ .rows = rows, .row_count = 4, .sort = sort, .csv = csv, .limit = SIZE_MAX };
}

/* What a table is written as. */
static const char *text_of(struct report_table *written)
{
	static char text[8192];

	ck_assert_int_eq(output_begin(&out, "/dev/null"), 0);
	report_table_write(written, &out);
	memcpy(text, out.buffer, out.used);
	text[out.used] = '\0';
	out.used = 0;
	ck_assert_int_eq(output_end(&out), 0);
	return text;
}

/* The functions' first letters in the order of the rows. */
static const char *order(enum report_sort sort)
{
	struct report_table sorted = table(sort, true);
	static char letters[8];

	text_of(&sorted);
	for (size_t i = 0; i < 4; i++)
		letters[i] = rows[i].name[0];
	return letters;
}

START_TEST(rows_are_sorted_largest_first_and_equal_ones_by_name)
{
	ck_assert_str_eq(order(SORT_TOTAL), "sbfa");
	ck_assert_str_eq(order(SORT_SELF), "sfba");
	ck_assert_str_eq(order(SORT_CALLS), "bfas");
	ck_assert_str_eq(order(SORT_AVG), "sfba");
	ck_assert_str_eq(order(SORT_MIN), "sfab");
	ck_assert_str_eq(order(SORT_MAX), "sfba");
	ck_assert_str_eq(order(SORT_FUNCTION), "abfs");
	ck_assert_str_eq(order(SORT_LIBRARY), "bfsa");
}
END_TEST

START_TEST(csv_has_its_header_and_hostile_names_quoted)
{
	struct report_table written = table(SORT_CALLS, true);

	ck_assert_str_eq(text_of(&written), "function,library,calls,total_ns,self_ns,avg_ns,min_ns,max_ns\n"
					    "busy,liba.so,1000,5000,100,5,1,70\n"
					    "\"f(int, \"\"x\"\")\",liba.so,3,5000,400,1666,1000,2000\n"
					    "alone,libc.so,2,8,8,4,4,4\n"
					    "slow,libb.so,1,9000,9000,9000,9000,9000\n");
}
END_TEST

START_TEST(text_has_its_columns_and_what_is_not_shown_is_said)
{
	struct report_table written = table(SORT_TOTAL, false);

	written.limit = 2;
	written.repaired = 1;
	written.losses = 3;
	ck_assert_str_eq(text_of(&written),
		"        CALLS       TOTAL        SELF         AVG         MIN         MAX  LIBRARY  FUNCTION\n"
		"            1    9.000 us    9.000 us    9.000 us    9.000 us    9.000 us  libb.so  slow\n"
		"        1,000    5.000 us      100 ns        5 ns        1 ns       70 ns  liba.so  busy\n"
		"# 2 functions are not shown: --limit\n"
		"# 3 places where events are missing: times around them are not to be trusted\n"
		"# 1 call was left without returning; it ends where a caller returned\n");
}
END_TEST

START_TEST(an_empty_table_is_its_header)
{
	struct report_table written = { .csv = true };

	ck_assert_str_eq(text_of(&written), "function,library,calls,total_ns,self_ns,avg_ns,min_ns,max_ns\n");
	written.csv = false;
	written.orphans = 2;
	ck_assert_str_eq(text_of(&written),
		"        CALLS       TOTAL        SELF         AVG         MIN         MAX  LIBRARY  FUNCTION\n"
		"# 2 returns of functions whose entry is not in the trace\n");
}
END_TEST

START_TEST(a_long_library_name_widens_its_own_row_alone)
{
	struct report_row wide[] = { rows[0], rows[1] };
	struct report_table written = { .rows = wide, .row_count = 2, .limit = 2 };
	const char *text;

	wide[0].library = "libabcdefghijklmnopqrstuvwxyz0123456789.so";
	wide[1].library = "libtwelve.so";
	text = text_of(&written);
	ck_assert_ptr_nonnull(strstr(text, "  LIBRARY       FUNCTION\n"));
	ck_assert_ptr_nonnull(strstr(text, "  libtwelve.so  "));
	ck_assert_ptr_nonnull(strstr(text, "  libabcdefghijklmnopqrstuvwxyz0123456789.so  "));
}
END_TEST

START_TEST(what_began_before_recording_has_a_total_and_no_call)
{
	struct report_row root = { (char *)(uintptr_t)"main", "libb.so", { .total_ns = 9000, .self_ns = 1000, .roots = 2 }, NULL, 0 };
	struct report_table written = { .rows = &root, .row_count = 1, .limit = SIZE_MAX, .roots = 2 };

	ck_assert_str_eq(text_of(&written),
			 "        CALLS       TOTAL        SELF         AVG         MIN         MAX  LIBRARY  FUNCTION\n"
			 "            0    9.000 us    1.000 us                                      libb.so  main\n"
			 "# 2 calls had begun before they could be recorded: they are not counted, and their time is that "
			 "since then\n");
	written.csv = true;
	ck_assert_str_eq(text_of(&written), "function,library,calls,total_ns,self_ns,avg_ns,min_ns,max_ns\n"
					    "main,libb.so,0,9000,1000,,,\n");
}
END_TEST

UNIT_MAIN("report_table", rows_are_sorted_largest_first_and_equal_ones_by_name,
	  csv_has_its_header_and_hostile_names_quoted, text_has_its_columns_and_what_is_not_shown_is_said,
	  an_empty_table_is_its_header, a_long_library_name_widens_its_own_row_alone,
	  what_began_before_recording_has_a_total_and_no_call)
