/* SPDX-License-Identifier: MIT */
/* test_statistics.c - sums, deviations and percentiles of durations of any size, and of parts of them. */
#include "walk/table/statistics.h"

#include "tests/unit/support/unit.h"

#define HOURS_100 UINT64_C(360000000000000)

static void add(struct report_statistics *statistics, uint64_t ns, uint64_t times)
{
	while (times--)
		ck_assert_int_eq(report_statistics_add(statistics, ns), 0);
	statistics->calls = statistics->durations - statistics->resumed;
}

START_TEST(a_single_duration_is_every_percentile_and_needs_no_histogram)
{
	struct report_statistics one = { 0 };

	add(&one, HOURS_100 + 7, 1);
	ck_assert_uint_eq(one.min_ns, HOURS_100 + 7);
	ck_assert_uint_eq(one.max_ns, HOURS_100 + 7);
	ck_assert_uint_eq(report_statistics_average(&one), HOURS_100 + 7);
	ck_assert_uint_eq(report_statistics_deviation(&one), 0);
	ck_assert_uint_eq(report_statistics_percentile(&one, 50), HOURS_100 + 7);
	ck_assert_uint_eq(report_statistics_percentile(&one, 99), HOURS_100 + 7);
	ck_assert_ptr_null(one.histogram.counts);
}
END_TEST

START_TEST(small_differences_between_long_durations_are_not_lost)
{
	struct report_statistics statistics = { 0 };

	for (uint64_t i = 0; i < 1000; i++) {
		add(&statistics, HOURS_100 - 300, 1);
		add(&statistics, HOURS_100 + 300, 1);
	}
	ck_assert_uint_eq(report_statistics_average(&statistics), HOURS_100);
	ck_assert_uint_eq(report_statistics_deviation(&statistics), 300);
	histogram_free(&statistics.histogram);
}
END_TEST

START_TEST(short_durations_beside_long_ones_count)
{
	struct report_statistics statistics = { 0 };

	add(&statistics, 10, 99);
	add(&statistics, HOURS_100, 1);
	/* The deviation is sqrt(0.01 * 0.99) of the distance. */
	ck_assert_uint_ge(report_statistics_deviation(&statistics), 35819547732400 - 1000000);
	ck_assert_uint_le(report_statistics_deviation(&statistics), 35819547732400 + 1000000);
	ck_assert_uint_eq(report_statistics_percentile(&statistics, 50), 10);
	ck_assert_uint_eq(report_statistics_percentile(&statistics, 99), 10);
	add(&statistics, HOURS_100, 1);
	ck_assert_uint_ge(report_statistics_percentile(&statistics, 99), HOURS_100 - HOURS_100 / 64);
	ck_assert_uint_le(report_statistics_percentile(&statistics, 99), HOURS_100);
	histogram_free(&statistics.histogram);
}
END_TEST

START_TEST(equal_durations_do_not_deviate)
{
	struct report_statistics statistics = { 0 };

	add(&statistics, 11, 1000003);
	ck_assert_uint_eq(report_statistics_deviation(&statistics), 0);
	ck_assert_uint_eq(report_statistics_percentile(&statistics, 99), 11);
	histogram_free(&statistics.histogram);
}
END_TEST

/* Compares the whole with each way to split it into two parts. */
START_TEST(parts_merge_to_the_whole)
{
	static const uint64_t durations[] = { 5, 900, 12, 1000000, 12, 7 };

	for (size_t part = 0; part <= 6; part++) {
		struct report_statistics whole = { 0 }, first = { 0 }, second = { 0 };

		for (size_t i = 0; i < 6; i++) {
			add(&whole, durations[i], 1);
			add(i < part ? &first : &second, durations[i], 1);
		}
		ck_assert_int_eq(report_statistics_merge(&first, &second), 0);
		first.calls = first.durations;
		ck_assert_uint_eq(first.durations, 6);
		ck_assert_uint_eq(first.min_ns, 5);
		ck_assert_uint_eq(first.max_ns, 1000000);
		ck_assert_uint_eq(report_statistics_average(&first), report_statistics_average(&whole));
		ck_assert_uint_eq(report_statistics_deviation(&first), report_statistics_deviation(&whole));
		for (uint32_t percent = 1; percent < 100; percent++)
			ck_assert_uint_eq(report_statistics_percentile(&first, percent),
					  report_statistics_percentile(&whole, percent));
		histogram_free(&whole.histogram);
		histogram_free(&first.histogram);
		histogram_free(&second.histogram);
	}
}
END_TEST

START_TEST(impossible_durations_cause_no_overflow)
{
	struct report_statistics statistics = { 0 };

	add(&statistics, UINT64_MAX, 3);
	add(&statistics, 0, 1);
	report_statistics_deviation(&statistics);
	ck_assert_uint_le(report_statistics_percentile(&statistics, 99), UINT64_MAX);
	ck_assert_uint_eq(report_statistics_percentile(&statistics, 1), 0);
	histogram_free(&statistics.histogram);
}
END_TEST

UNIT_MAIN("report_statistics", a_single_duration_is_every_percentile_and_needs_no_histogram,
	  small_differences_between_long_durations_are_not_lost, short_durations_beside_long_ones_count,
	  equal_durations_do_not_deviate, parts_merge_to_the_whole, impossible_durations_cause_no_overflow)
