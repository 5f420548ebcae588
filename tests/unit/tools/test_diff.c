/* SPDX-License-Identifier: MIT */
/* test_diff.c - matches functions of two builds, and sorts them by their difference. */
#include "report/diff.h"

#include <stdlib.h>

#include "tests/unit/support/unit.h"

#define TEXT(text) ((char *)(uintptr_t)(text))

static struct report_row row(const char *name, const char *library, const char *file, uint32_t line, uint64_t self_ns)
{
	return (struct report_row){
		.name = TEXT(name),
		.library = TEXT(library),
		.file = TEXT(file),
		.line = line,
		.statistics = { .self_ns = self_ns, .total_ns = self_ns, .sum_ns = self_ns, .min_ns = self_ns,
				.max_ns = self_ns, .durations = 1, .calls = 1 },
	};
}

static struct report_look look;
static struct report_threshold threshold;
static struct report_table tables[2];
static struct report_diff diff;

static void begin(struct report_row *before, size_t before_count, struct report_row *after, size_t after_count)
{
	look = (struct report_look){ .sort = COLUMN_SELF, .limit = SIZE_MAX, .format = REPORT_CSV,
				     .columns = COLUMN_BIT(COLUMN_FUNCTION) | COLUMN_BIT(COLUMN_SELF) };
	threshold = (struct report_threshold){ 0 };
	tables[0] = (struct report_table){ .rows = before, .row_count = before_count };
	tables[1] = (struct report_table){ .rows = after, .row_count = after_count };
	diff = (struct report_diff){ &look, &threshold, { &tables[0], &tables[1] }, { "a", "b" } };
}

/* Returns the partner of row @index of the later table, or null. */
static const struct report_row *partner(size_t index)
{
	const struct report_row *found = NULL;
	struct report_pair *pairs;
	long count = report_diff_match(&diff, &pairs);

	ck_assert_int_ge(count, 0);
	for (long i = 0; i < count; i++)
		if (pairs[i].rows[0] == &tables[0].rows[index])
			found = pairs[i].rows[1];
	free(pairs);
	return found;
}

static const char *written(void)
{
	static char text[8192];
	struct output out;

	ck_assert_int_eq(output_begin(&out, "/dev/null"), 0);
	report_diff_write(&diff, &out);
	memcpy(text, out.buffer, out.used);
	text[out.used] = '\0';
	out.used = 0;
	ck_assert_int_eq(output_end(&out), 0);
	return text;
}

START_TEST(functions_are_matched_by_name_and_library)
{
	struct report_row before[] = { row("f", "liba.so", "/old/f.c", 10, 5), row("f", "libb.so", "/old/g.c", 10, 5),
				       row("gone", "liba.so", "/old/f.c", 20, 5) };
	struct report_row after[] = { row("f", "libb.so", "/new/g.c", 99, 5), row("new", "liba.so", "/new/f.c", 1, 5),
				      row("f", "liba.so", "/new/elsewhere.c", 12, 5) };

	begin(before, 3, after, 3);
	ck_assert_ptr_eq(partner(0), &after[2]);
	ck_assert_ptr_eq(partner(1), &after[0]);
	ck_assert_ptr_null(partner(2));
}
END_TEST

START_TEST(functions_with_the_same_name_are_matched_by_file_and_then_by_line)
{
	struct report_row before[] = { row("init", "lib.so", "/old/b.c", 10, 5), row("init", "lib.so", "/old/a.c", 80, 5),
				       row("init", "lib.so", "/old/a.c", 20, 5), row("init", "lib.so", "/old/c.c", 1, 5) };
	struct report_row after[] = { row("init", "lib.so", "/new/a.c", 24, 5), row("init", "lib.so", "/new/a.c", 85, 5),
				      row("init", "lib.so", "/new/b.c", 10, 5), row("init", "lib.so", "/new/d.c", 1, 5) };

	begin(before, 4, after, 4);
	ck_assert_ptr_eq(partner(0), &after[2]);
	ck_assert_ptr_eq(partner(1), &after[1]);
	ck_assert_ptr_eq(partner(2), &after[0]);
	/* The file of the last function may have been renamed: no other partner is left. */
	ck_assert_ptr_eq(partner(3), &after[3]);
}
END_TEST

START_TEST(a_new_library_is_matched_with_a_library_that_is_gone)
{
	struct report_row before[] = { row("main", "program.old", "m.c", 1, 5), row("f", "libx.so.1", "x.c", 1, 5),
				       row("f", "libkept.so", "x.c", 1, 5), row("h", "libkept.so", "x.c", 9, 5) };
	struct report_row after[] = { row("main", "program", "m.c", 1, 5), row("f", "libx.so.2", "x.c", 1, 5),
				      row("f", "libkept.so", "x.c", 1, 5), row("h", "libx.so.2", "x.c", 9, 5) };

	begin(before, 4, after, 4);
	ck_assert_ptr_eq(partner(0), &after[0]);
	ck_assert_ptr_eq(partner(1), &after[1]);
	ck_assert_ptr_eq(partner(2), &after[2]);
	ck_assert_ptr_null(partner(3));	/* libkept.so still exists, without this function */
}
END_TEST

START_TEST(the_largest_increase_is_first_and_the_largest_decrease_last)
{
	struct report_row before[] = { row("same", "l", NULL, 0, 100), row("faster", "l", NULL, 0, 900),
				       row("slower", "l", NULL, 0, 100), row("gone", "l", NULL, 0, 300) };
	struct report_row after[] = { row("slower", "l", NULL, 0, 350), row("new", "l", NULL, 0, 70),
				      row("faster", "l", NULL, 0, 100), row("same", "l", NULL, 0, 100) };

	begin(before, 4, after, 4);
	ck_assert_str_eq(written(), "function,self_ns_before,self_ns_after,self_ns_change,self_ns_percent,in\n"
				    "slower,100,350,250,250.00,both\n"
				    "new,,70,70,,after\n"
				    "same,100,100,0,0.00,both\n"
				    "gone,300,,-300,-100.00,before\n"
				    "faster,900,100,-800,-88.89,both\n");
}
END_TEST

START_TEST(a_threshold_excludes_smaller_changes)
{
	struct report_row before[] = { row("little", "l", NULL, 0, 1000), row("much", "l", NULL, 0, 100) };
	struct report_row after[] = { row("little", "l", NULL, 0, 1049), row("much", "l", NULL, 0, 105),
				      row("new", "l", NULL, 0, 1) };

	begin(before, 2, after, 3);
	threshold = (struct report_threshold){ THRESHOLD_PERCENT, 5 };
	ck_assert_str_eq(written(), "function,self_ns_before,self_ns_after,self_ns_change,self_ns_percent,in\n"
				    "much,100,105,5,5.00,both\nnew,,1,1,,after\n");
	threshold = (struct report_threshold){ THRESHOLD_TIME, 49 };
	ck_assert_str_eq(written(), "function,self_ns_before,self_ns_after,self_ns_change,self_ns_percent,in\n"
				    "little,1000,1049,49,4.90,both\n");
}
END_TEST

START_TEST(averages_of_functions_without_calls_do_not_differ)
{
	struct report_row before[] = { row("gone", "l", NULL, 0, 300) };
	struct report_pair pair = { .rows = { before, NULL } };
	struct report_change change = report_pair_change(&pair, COLUMN_AVG);

	ck_assert(change.has[0] && !change.has[1] && !change.has_both);
	change = report_pair_change(&pair, COLUMN_CALLS);
	ck_assert(change.has_both && change.is_less && change.size == 1);
}
END_TEST

START_TEST(unknown_times_do_not_differ_from_any_time)
{
	struct report_row logged[] = { row("f", "l", NULL, 0, 300), row("only", "l", NULL, 0, 7) };
	struct report_row counted[] = { row("f", "l", NULL, 0, 0) };

	counted[0].statistics = (struct report_statistics){ .calls = 3 };
	begin(logged, 2, counted, 1);
	look.columns |= COLUMN_BIT(COLUMN_CALLS);
	ck_assert_str_eq(written(), "function,calls_before,calls_after,calls_change,calls_percent,"
				    "self_ns_before,self_ns_after,self_ns_change,self_ns_percent,in\n"
				    "only,1,,-1,-100.00,7,,-7,-100.00,before\n"
				    "f,1,3,2,200.00,300,,,,both\n");
	begin(counted, 1, logged, 2);
	look.format = REPORT_JSON;
	ck_assert_ptr_nonnull(strstr(written(), "\"self_ns\": {\"before\": null, \"after\": 300, "
						"\"change\": null, \"percent\": null}"));
	look.format = REPORT_TEXT;
	ck_assert_ptr_null(strstr(written(), "+300 ns"));
}
END_TEST

START_TEST(empty_reports_do_not_differ)
{
	begin(NULL, 0, NULL, 0);
	ck_assert_str_eq(written(), "function,self_ns_before,self_ns_after,self_ns_change,self_ns_percent,in\n");
}
END_TEST

UNIT_MAIN("report_diff", functions_are_matched_by_name_and_library,
	  functions_with_the_same_name_are_matched_by_file_and_then_by_line,
	  a_new_library_is_matched_with_a_library_that_is_gone,
	  the_largest_increase_is_first_and_the_largest_decrease_last, a_threshold_excludes_smaller_changes,
	  averages_of_functions_without_calls_do_not_differ, unknown_times_do_not_differ_from_any_time,
	  empty_reports_do_not_differ)
