/* SPDX-License-Identifier: MIT */
/* test_table.c - writes rows in the requested order, as text, CSV and JSON. */
#include "walk/table/table.h"

#include <stdio.h>

#include "tests/unit/support/unit.h"

#define TEXT(text) ((char *)(uintptr_t)(text))
#define CSV_HEAD "function,library,calls,total_ns,self_ns,avg_ns,min_ns,max_ns,stddev_ns,p50_ns,p99_ns,file,line," \
		 "process,thread,thread_name,process_name,short_name,self_percent,cpu_ns,wait_ns,preempted_ns,faults," \
		 "self_cpu_ns,self_wait_ns\n"

static struct report_row rows[] = {
	{ .name = TEXT("slow"), .library = TEXT("libb.so"), .file = TEXT("b.c"), .line = 7 },
	{ .name = TEXT("busy"), .library = TEXT("liba.so"), .file = TEXT("a.c"), .line = 70 },
	{ .name = TEXT("f(int, \"x\")"), .library = TEXT("liba.so"), .file = TEXT("a.c"), .line = 8 },
	{ .name = TEXT("alone"), .library = TEXT("libc.so") },
};

/* Fills a row with these durations. Total and self time are as given. */
static void set(struct report_row *row, uint64_t calls, uint64_t total_ns, uint64_t self_ns, uint64_t min_ns, uint64_t max_ns)
{
	row->statistics = (struct report_statistics){ .total_ns = total_ns, .self_ns = self_ns };
	ck_assert_int_eq(report_statistics_add(&row->statistics, min_ns), 0);
	if (calls > 1)
		ck_assert_int_eq(report_statistics_add(&row->statistics, max_ns), 0);
	for (uint64_t i = 2; i < calls; i++)
		ck_assert_int_eq(report_statistics_add(&row->statistics, (min_ns + max_ns) / 2), 0);
	row->statistics.calls = calls;
}

static void begin(void)
{
	static bool begun;

	if (begun)
		return;
	begun = true;
	set(&rows[0], 1, 9000, 9000, 9000, 9000);
	set(&rows[1], 1000, 5000, 100, 1, 70);
	set(&rows[2], 3, 5000, 400, 1000, 2000);
	set(&rows[3], 2, 8, 8, 4, 4);
}

static struct output out;

static struct report_table table(enum report_column sort, enum report_format format)
{
	begin();
	return (struct report_table){
		.rows = rows,
		.row_count = 4,
		.look = { .format = format, .sort = sort, .limit = SIZE_MAX,
			  .columns = format == REPORT_TEXT ? report_group_default(GROUP_FUNCTION) : COLUMNS_ALL },
	};
}

/* Returns the text of a table. */
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

/* Returns the first letters of the functions in the order of the rows. */
static const char *order(enum report_column sort)
{
	struct report_table sorted = table(sort, REPORT_CSV);
	static char letters[8];

	text_of(&sorted);
	for (size_t i = 0; i < 4; i++)
		letters[i] = rows[i].name[0];
	return letters;
}

START_TEST(rows_are_sorted_largest_first_and_equal_ones_by_name)
{
	ck_assert_str_eq(order(COLUMN_TOTAL), "sbfa");
	ck_assert_str_eq(order(COLUMN_SELF), "sfba");
	ck_assert_str_eq(order(COLUMN_CALLS), "bfas");
	ck_assert_str_eq(order(COLUMN_AVG), "sfba");
	ck_assert_str_eq(order(COLUMN_MIN), "sfab");
	ck_assert_str_eq(order(COLUMN_MAX), "sfba");
	ck_assert_str_eq(order(COLUMN_STDDEV), "fbas");
	ck_assert_str_eq(order(COLUMN_P50), "sfba");
	ck_assert_str_eq(order(COLUMN_P99), "sfba");
	ck_assert_str_eq(order(COLUMN_FUNCTION), "abfs");
	ck_assert_str_eq(order(COLUMN_LIBRARY), "bfsa");
	ck_assert_str_eq(order(COLUMN_FILE), "afbs");
	ck_assert_str_eq(order(COLUMN_LINE), "asfb");
}
END_TEST

START_TEST(csv_has_its_header_and_hostile_names_quoted)
{
	struct report_table written = table(COLUMN_CALLS, REPORT_CSV);

	ck_assert_str_eq(text_of(&written), CSV_HEAD "busy,liba.so,1000,5000,100,35,1,70,2,35,35,a.c,70,,,,,,1.05,,,,,,\n"
						     "\"f(int, \"\"x\"\")\",liba.so,3,5000,400,1500,1000,2000,408,1488,2000,"
						     "a.c,8,,,,,,4.21,,,,,,\n"
						     "alone,libc.so,2,8,8,4,4,4,0,4,4,,,,,,,,0.08,,,,,,\n"
						     "slow,libb.so,1,9000,9000,9000,9000,9000,0,9000,9000,b.c,7,,,,,,94.66,,,,,,\n");
}
END_TEST

START_TEST(chosen_columns_are_present_and_no_others)
{
	struct report_table written = table(COLUMN_CALLS, REPORT_CSV);

	written.look.limit = 1;
	ck_assert_int_eq(report_columns_parse("p99,function", 0, &written.look.columns), 0);
	ck_assert_str_eq(text_of(&written), "function,p99_ns\nbusy,35\n");
	ck_assert_int_eq(report_columns_parse("+line", COLUMN_BIT(COLUMN_FUNCTION), &written.look.columns), 0);
	ck_assert_str_eq(text_of(&written), "function,line\nbusy,70\n");
	ck_assert_int_eq(report_columns_parse("all", 0, &written.look.columns), 0);
	ck_assert_uint_eq(written.look.columns, COLUMNS_ALL);
	written.look.format = REPORT_TEXT;
	ck_assert_int_eq(report_columns_parse("calls,stddev,file,line,library", 0, &written.look.columns), 0);
	ck_assert_str_eq(text_of(&written), "CALLS      STDDEV  LIBRARY  LINE  FILE\n"
					    "1,000        2 ns  liba.so    70  a.c\n"
					    "# 3 functions are not shown: --limit\n");
}
END_TEST

START_TEST(json_escapes_names_and_has_null_for_unknown_values)
{
	struct report_table written = table(COLUMN_FUNCTION, REPORT_JSON);
	const char *text;

	text = text_of(&written);
	ck_assert_ptr_nonnull(strstr(text, "{\"schema\": \"spoor.report/1\", \"group\": \"function\", \"rows\": ["));
	ck_assert_ptr_nonnull(strstr(text, "{\"function\": \"f(int, \\\"x\\\")\", \"library\": \"liba.so\", \"calls\": 3, "));
	ck_assert_ptr_nonnull(strstr(text, "\"p99_ns\": 4, \"file\": null, \"line\": null, "));
	ck_assert_ptr_null(strstr(text, "histogram"));
	written.look.histograms = true;
	ck_assert_ptr_nonnull(strstr(text_of(&written), "\"histogram\": [{\"from_ns\": 4, \"to_ns\": 4, \"calls\": 2}]"));
}
END_TEST

START_TEST(a_histogram_has_a_bar_for_each_power_of_two)
{
	struct report_table written = table(COLUMN_SELF, REPORT_TEXT);
	const char *text;

	written.look.histograms = true;
	text = text_of(&written);
	ck_assert_ptr_nonnull(strstr(text, "  slow\n            1  from   8.192 us  ########################################\n\n"));
	ck_assert_ptr_nonnull(strstr(text, "  busy\n"
					   "            1  from       0 ns  #\n"
					   "            0  from       2 ns\n"
					   "            0  from       4 ns\n"
					   "            0  from       8 ns\n"
					   "            0  from      16 ns\n"
					   "          998  from      32 ns  ########################################\n"
					   "            1  from      64 ns  #\n\n"));
}
END_TEST

START_TEST(text_has_its_columns_and_notes_about_omissions)
{
	struct report_table written = table(COLUMN_TOTAL, REPORT_TEXT);

	written.look.limit = 2;
	written.repaired = 1;
	written.losses = 3;
	written.least_event_ps = 10420;
	written.most_event_ps = 11000;
	ck_assert_str_eq(text_of(&written),
		"CALLS       TOTAL        SELF  SELF%         AVG         MIN         MAX  LIBRARY  FUNCTION\n"
		"    1    9.000 us    9.000 us  94.66    9.000 us    9.000 us    9.000 us  libb.so  slow\n"
		"1,000    5.000 us      100 ns   1.05       35 ns        1 ns       70 ns  liba.so  busy\n"
		"# 2 functions are not shown: --limit\n"
		"# 3 places where events are missing: times around them are unreliable\n"
		"# 1 call was left without returning; it ends where a caller returned\n"
		"# 10.42 to 11.00 ns are subtracted for each event within a call: --compensate\n");
}
END_TEST

START_TEST(columns_disappear_in_their_order_if_a_line_is_narrow)
{
	struct report_table written = table(COLUMN_TOTAL, REPORT_TEXT);
	struct report_row wide = rows[0];

	written.rows = &wide;
	written.row_count = 1;
	wide.short_name = TEXT("a::Map<std::string, int>::look_up_by_name");
	written.look.width = 140;
	ck_assert_ptr_nonnull(strstr(text_of(&written), "MAX  LIBRARY  FUNCTION\n"));
	written.look.width = 105;
	ck_assert_ptr_nonnull(strstr(text_of(&written), "AVG  LIBRARY  FUNCTION\n"));
	written.look.width = 80;
	ck_assert_ptr_nonnull(strstr(text_of(&written), "SELF%  FUNCTION\n"));
	written.look.width = 70;
	ck_assert_ptr_nonnull(strstr(text_of(&written), "  a::Map<..>::look_up_by_name\n"));
	/* Chosen columns stay, and names get shorter. */
	written.look.fixed = COLUMN_BIT(COLUMN_MAX);
	ck_assert_ptr_nonnull(strstr(text_of(&written), "SELF%         MAX  FUNCTION\n"));
	/* Every line fits. */
	for (const char *line = text_of(&written), *end; (end = strchr(line, '\n')); line = end + 1)
		ck_assert_uint_le((size_t)(end - line), 70);
}
END_TEST

START_TEST(names_that_are_cut_alike_get_a_number)
{
	struct report_table written = table(COLUMN_TOTAL, REPORT_TEXT);
	struct report_row wide[] = { rows[0], rows[1] };
	const char *text;

	written.rows = wide;
	written.row_count = 2;
	written.look.width = 60;
	wide[0].short_name = TEXT("one::very::long::name::that::has::one::difference::x::in::its::middle::and::ends::alike");
	wide[1].short_name = TEXT("one::very::long::name::that::has::one::difference::y::in::its::middle::and::ends::alike");
	text = text_of(&written);
	ck_assert_ptr_nonnull(strstr(text, "::alike\n"));
	ck_assert_ptr_nonnull(strstr(text, "..2.."));
}
END_TEST

START_TEST(an_empty_table_is_its_header)
{
	struct report_table written = table(COLUMN_TOTAL, REPORT_CSV);

	written.row_count = 0;
	ck_assert_str_eq(text_of(&written), CSV_HEAD);
	written = table(COLUMN_TOTAL, REPORT_TEXT);
	written.row_count = 0;
	written.orphans = 2;
	ck_assert_str_eq(text_of(&written),
		"CALLS  TOTAL  SELF  SELF%  AVG  MIN  MAX  LIBRARY  FUNCTION\n"
		"# 2 returns of functions whose entry is not in the trace\n");
}
END_TEST

START_TEST(a_long_library_name_widens_its_own_row_alone)
{
	struct report_table written = table(COLUMN_TOTAL, REPORT_TEXT);
	struct report_row wide[] = { rows[0], rows[1] };
	const char *text;

	written.rows = wide;
	written.row_count = 2;
	wide[0].library = TEXT("libabcdefghijklmnopqrstuvwxyz0123456789.so");
	wide[1].library = TEXT("libtwelve.so");
	text = text_of(&written);
	ck_assert_ptr_nonnull(strstr(text, "  LIBRARY       FUNCTION\n"));
	ck_assert_ptr_nonnull(strstr(text, "  libtwelve.so  "));
	ck_assert_ptr_nonnull(strstr(text, "  libabcdefghijklmnopqrstuvwxyz0123456789.so  "));
}
END_TEST

START_TEST(a_call_that_began_before_recording_has_a_total_and_is_not_counted)
{
	struct report_row root = { .name = TEXT("main"), .library = TEXT("libb.so"),
				   .statistics = { .total_ns = 9000, .self_ns = 1000, .roots = 2 } };
	struct report_table written = table(COLUMN_TOTAL, REPORT_TEXT);

	written.rows = &root;
	written.row_count = 1;
	written.roots = 2;
	ck_assert_str_eq(text_of(&written),
			 "CALLS       TOTAL        SELF   SELF%  AVG  MIN  MAX  LIBRARY  FUNCTION\n"
			 "    0    9.000 us    1.000 us  100.00                 libb.so  main\n"
			 "# 2 calls were open before recording began: they are not counted, and their times start "
			 "there\n");
	written.look.format = REPORT_CSV;
	written.look.columns = COLUMNS_ALL;
	ck_assert_str_eq(text_of(&written), CSV_HEAD "main,libb.so,0,9000,1000,,,,,,,,,,,,,,100.00,,,,,,\n");
}
END_TEST

UNIT_MAIN("report_table", rows_are_sorted_largest_first_and_equal_ones_by_name,
	  csv_has_its_header_and_hostile_names_quoted, chosen_columns_are_present_and_no_others,
	  json_escapes_names_and_has_null_for_unknown_values, a_histogram_has_a_bar_for_each_power_of_two,
	  text_has_its_columns_and_notes_about_omissions, columns_disappear_in_their_order_if_a_line_is_narrow, names_that_are_cut_alike_get_a_number,
	  an_empty_table_is_its_header,
	  a_long_library_name_widens_its_own_row_alone,
	  a_call_that_began_before_recording_has_a_total_and_is_not_counted)
