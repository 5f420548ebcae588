/* SPDX-License-Identifier: MIT */
/* test_clock.c - converts values of the counter to nanoseconds, in order. */
#include "reader/events/clock.h"

#include <string.h>

#include "tests/unit/support/unit.h"

#define COUNTER 123456789012345ull
#define STEADY_NS 987654321000ll

static struct clock clock_;

static void begin(void)
{
	memset(&clock_, 0, sizeof(clock_));
	clock_init(&clock_);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

START_TEST(time_runs_evenly_between_two_readings_and_beyond)
{
	begin();
	clock_add(&clock_, COUNTER, STEADY_NS, 1);
	clock_add(&clock_, COUNTER + 2300000000, STEADY_NS + 1000000000, 1);
	ck_assert_int_eq(clock_finish(&clock_), 0);
	ck_assert(!clock_.uncalibrated);
	ck_assert_uint_eq(clock_ns(&clock_, COUNTER), STEADY_NS);
	for (int64_t second = -5; second <= 100; second++) {
		uint64_t expected = (uint64_t)(STEADY_NS + second * 1000000000);

		ck_assert_uint_le(distance(clock_ns(&clock_, COUNTER + (uint64_t)(second * 2300000000)), expected), 1);
	}
	clock_free(&clock_);
}
END_TEST

START_TEST(a_slow_counter_is_converted_exactly)
{
	begin();
	clock_add(&clock_, COUNTER, STEADY_NS, 1);
	clock_add(&clock_, COUNTER + 24000000, STEADY_NS + 1000000000, 1);
	ck_assert_int_eq(clock_finish(&clock_), 0);
	ck_assert_uint_le(distance(clock_ns(&clock_, COUNTER + 24 * 7), STEADY_NS + 7000), 1);
	clock_free(&clock_);
}
END_TEST

START_TEST(segments_follow_a_rate_that_changes)
{
	begin();
	clock_add(&clock_, COUNTER + 3000000000, STEADY_NS + 1500000000, 1);
	clock_add(&clock_, COUNTER, STEADY_NS, 1);
	clock_add(&clock_, COUNTER + 2000000000, STEADY_NS + 1000100000, 1);
	ck_assert_int_eq(clock_finish(&clock_), 0);
	ck_assert_uint_le(distance(clock_ns(&clock_, COUNTER + 1000000000), STEADY_NS + 500050000), 1);
	ck_assert_uint_le(distance(clock_ns(&clock_, COUNTER + 2500000000), STEADY_NS + 1250050000), 1);
	clock_free(&clock_);
}
END_TEST

START_TEST(an_interrupted_reading_is_ignored)
{
	begin();
	for (uint64_t i = 0; i <= 10; i++)
		clock_add(&clock_, COUNTER + i * 1000000000, STEADY_NS + (int64_t)i * 500000000 + (i == 5 ? 7000000 : 0),
			  1);
	ck_assert_int_eq(clock_finish(&clock_), 0);
	ck_assert_uint_le(distance(clock_ns(&clock_, COUNTER + 5000000000), STEADY_NS + 2500000000), 1);
	clock_free(&clock_);
}
END_TEST

START_TEST(a_million_readings_take_no_more_memory_and_stay_exact)
{
	begin();
	for (uint64_t i = 0; i <= 1000000; i++)
		clock_add(&clock_, COUNTER + i * 2300000, STEADY_NS + (int64_t)i * 1000000, 1);
	ck_assert_int_eq(clock_finish(&clock_), 0);
	ck_assert_uint_lt(clock_.segment_count, CLOCK_PAIRS_MAX);
	for (uint64_t i = 0; i <= 1000000; i += 997)
		ck_assert_uint_le(distance(clock_ns(&clock_, COUNTER + i * 2300000), STEADY_NS + i * 1000000), 1);
	clock_free(&clock_);
}
END_TEST

START_TEST(time_never_runs_backwards_whatever_the_readings)
{
	uint64_t random = 1;

	begin();
	for (int i = 0; i < 3000; i++) {
		random = random * 6364136223846793005ull + 1442695040888963407ull;
		clock_add(&clock_, COUNTER + (random >> 30), STEADY_NS + (int64_t)(random >> 31) % 1000000000, 1);
	}
	ck_assert_int_eq(clock_finish(&clock_), 0);
	uint64_t before = 0;
	for (uint64_t counter = COUNTER; counter < COUNTER + (1ull << 34); counter += 1000003) {
		uint64_t ns = clock_ns(&clock_, counter);

		ck_assert_uint_ge(ns, before);
		before = ns;
	}
	clock_free(&clock_);
}
END_TEST

START_TEST(time_never_runs_backwards_after_extreme_readings)
{
	static const uint64_t counters[] = { 0, 1, UINT64_MAX, UINT64_MAX - 1, 1ull << 63 };
	static const int64_t times[] = { 0, INT64_MAX, INT64_MIN, 1, INT64_MAX - 1 };

	for (size_t i = 0; i < 5 * 5 * 5; i++) {
		begin();
		clock_add(&clock_, counters[i % 5], times[i / 5 % 5], 0);
		clock_add(&clock_, counters[i / 5 % 5], times[i / 25], 0);
		clock_add(&clock_, counters[i / 25], times[i % 5], 0);
		ck_assert_int_eq(clock_finish(&clock_), 0);
		uint64_t before = 0;
		for (unsigned int j = 0; j < 1024; j++) {
			uint64_t ns = clock_ns(&clock_, (uint64_t)j << 54 | j);

			ck_assert_uint_ge(ns, before);
			before = ns;
		}
		clock_ns(&clock_, UINT64_MAX);
		clock_free(&clock_);
	}
}
END_TEST

START_TEST(with_a_single_reading_a_tick_is_a_nanosecond_and_the_clock_is_marked)
{
	begin();
	clock_add(&clock_, COUNTER, STEADY_NS, 1);
	ck_assert_int_eq(clock_finish(&clock_), 0);
	ck_assert(clock_.uncalibrated);
	ck_assert_uint_eq(clock_ns(&clock_, COUNTER + 100), STEADY_NS + 100);
	clock_free(&clock_);
	begin();
	ck_assert_int_eq(clock_finish(&clock_), 0);
	ck_assert(clock_.uncalibrated);
	ck_assert_uint_eq(clock_ns(&clock_, 100), 100);
	clock_free(&clock_);
}
END_TEST

UNIT_MAIN("clock", time_runs_evenly_between_two_readings_and_beyond, a_slow_counter_is_converted_exactly,
	  segments_follow_a_rate_that_changes, an_interrupted_reading_is_ignored,
	  a_million_readings_take_no_more_memory_and_stay_exact,
	  time_never_runs_backwards_whatever_the_readings, time_never_runs_backwards_after_extreme_readings,
	  with_a_single_reading_a_tick_is_a_nanosecond_and_the_clock_is_marked)
