/* SPDX-License-Identifier: MIT */
/* test_histogram.c - finds durations of all lengths by rank, within the promised error. */
#include "base/histogram.h"

#include <stdlib.h>

#include "tests/unit/support/unit.h"

START_TEST(buckets_follow_each_other_without_gap_or_overlap)
{
	ck_assert_uint_eq(histogram_bucket(0), 0);
	ck_assert_uint_eq(histogram_bucket(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
	for (uint32_t bucket = 1; bucket < HISTOGRAM_BUCKETS; bucket++) {
		uint64_t begin = histogram_begin_ns(bucket);

		ck_assert_uint_eq(histogram_bucket(begin), bucket);
		ck_assert_uint_eq(histogram_bucket(begin - 1), bucket - 1);
	}
	ck_assert_uint_eq(histogram_begin_ns(HISTOGRAM_BUCKETS), 0);
}
END_TEST

START_TEST(the_middle_of_a_bucket_differs_by_a_64th_at_most)
{
	for (uint32_t bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
		uint64_t begin = histogram_begin_ns(bucket), last = histogram_begin_ns(bucket + 1) - 1, middle;
		struct histogram histogram = { 0 };

		ck_assert_int_eq(histogram_add(&histogram, begin), 0);
		middle = histogram_ranked_ns(&histogram, 1);
		ck_assert_uint_ge(middle, begin);
		ck_assert_uint_le(middle, last);
		ck_assert_uint_le(middle - begin, begin / 64);
		ck_assert_uint_le(last - middle, begin / 64);
		histogram_free(&histogram);
	}
}
END_TEST

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

START_TEST(durations_are_found_by_rank_after_merging)
{
	static uint64_t durations[5000];
	struct histogram histograms[2] = { 0 };
	uint64_t state = 1;

	for (size_t i = 0; i < 5000; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		/* From 1 ns to a hundred hours. */
		durations[i] = (state >> 16) >> (state & 31);
		ck_assert_int_eq(histogram_add(&histograms[i % 2], durations[i]), 0);
	}
	ck_assert_int_eq(histogram_merge(&histograms[0], &histograms[1]), 0);
	qsort(durations, 5000, sizeof(*durations), compare);
	for (size_t i = 0; i < 5000; i++) {
		uint64_t found = histogram_ranked_ns(&histograms[0], i + 1);
		uint64_t error = found > durations[i] ? found - durations[i] : durations[i] - found;

		ck_assert_uint_le(error, durations[i] / 64);
	}
	histogram_free(&histograms[0]);
	histogram_free(&histograms[1]);
}
END_TEST

START_TEST(memory_is_for_the_powers_of_two_between_shortest_and_longest)
{
	struct histogram histogram = { 0 };

	for (int i = 0; i < 1000000; i++)
		ck_assert_int_eq(histogram_add(&histogram, 1000 + (uint64_t)i % 24), 0);
	ck_assert_uint_eq(histogram.size, HISTOGRAM_STEP);
	ck_assert_int_eq(histogram_add(&histogram, 4096), 0);
	ck_assert_uint_eq(histogram.size, 4 * HISTOGRAM_STEP);
	ck_assert_int_eq(histogram_add(&histogram, 0), 0);
	ck_assert_int_eq(histogram_add(&histogram, UINT64_MAX), 0);
	ck_assert_uint_eq(histogram.size, HISTOGRAM_BUCKETS);
	ck_assert_uint_eq(histogram_ranked_ns(&histogram, 1), 0);
	ck_assert_uint_ge(histogram_ranked_ns(&histogram, 1000003), UINT64_MAX - (UINT64_MAX >> 6));
	histogram_free(&histogram);
}
END_TEST

START_TEST(merging_with_an_empty_one_changes_nothing)
{
	struct histogram histogram = { 0 }, empty = { 0 };

	ck_assert_int_eq(histogram_merge(&histogram, &empty), 0);
	ck_assert_ptr_null(histogram.counts);
	ck_assert_int_eq(histogram_add(&empty, 77), 0);
	ck_assert_int_eq(histogram_merge(&histogram, &empty), 0);
	ck_assert_uint_eq(histogram_ranked_ns(&histogram, 1), histogram_ranked_ns(&empty, 1));
	histogram_free(&histogram);
	histogram_free(&empty);
}
END_TEST

UNIT_MAIN("histogram", buckets_follow_each_other_without_gap_or_overlap,
	  the_middle_of_a_bucket_differs_by_a_64th_at_most, durations_are_found_by_rank_after_merging,
	  memory_is_for_the_powers_of_two_between_shortest_and_longest,
	  merging_with_an_empty_one_changes_nothing)
