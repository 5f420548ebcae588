/* SPDX-License-Identifier: MIT */
/* test_time_text.c - reads times with units, and ranges of which one end may be missing. */
#include "base/time_text.h"

#include <errno.h>

#include "tests/unit/support/unit.h"

static uint64_t parsed(const char *text)
{
	uint64_t ns = 1;

	ck_assert_msg(time_text_parse(text, &ns) == 0, "%s", text);
	return ns;
}

START_TEST(a_time_is_a_number_and_a_unit)
{
	ck_assert_uint_eq(parsed("1ns"), 1);
	ck_assert_uint_eq(parsed("20us"), 20000);
	ck_assert_uint_eq(parsed("1.5ms"), 1500000);
	ck_assert_uint_eq(parsed("0.000000001s"), 1);
	ck_assert_uint_eq(parsed("007508008.225us"), 7508008225);
	ck_assert_uint_eq(parsed("1.999ns"), 1);
	ck_assert_uint_eq(parsed("3.1234567899s"), 3123456789);
	ck_assert_uint_eq(parsed("2min"), 120000000000);
	ck_assert_uint_eq(parsed("0.5min"), 30000000000);
	ck_assert_uint_eq(parsed("1.25h"), 4500000000000);
	ck_assert_uint_eq(parsed("0.00000000001h"), 36);
	ck_assert_uint_eq(parsed("0"), 0);
	ck_assert_uint_eq(parsed("18446744073709551615ns"), UINT64_MAX);
	ck_assert_uint_eq(parsed("18446744073.709551615s"), UINT64_MAX);
}
END_TEST

START_TEST(other_texts_are_no_time)
{
	static const char *const wrong[] = {
		"", "1", "ms", "1d", "1 ms", " 1ms", "-1ms", "+1ms", "1.ms", ".5ms", "1.5", "0.0", "1ms ", "1mss", "1e3ns",
		"18446744073709551616ns", "18446744073.709551616s", "99999999999s", "1,5ms", "0x1ns",
	};
	uint64_t ns;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		ck_assert_msg(time_text_parse(wrong[i], &ns) == -EINVAL, "%s", wrong[i]);
}
END_TEST

START_TEST(a_range_has_one_end_or_two)
{
	uint64_t begin_ns, end_ns;

	ck_assert_int_eq(time_text_range("1.5s..1600ms", &begin_ns, &end_ns), 0);
	ck_assert_uint_eq(begin_ns, 1500000000);
	ck_assert_uint_eq(end_ns, 1600000000);
	ck_assert_int_eq(time_text_range("20us..", &begin_ns, &end_ns), 0);
	ck_assert_uint_eq(begin_ns, 20000);
	ck_assert_uint_eq(end_ns, UINT64_MAX);
	ck_assert_int_eq(time_text_range("..3ns", &begin_ns, &end_ns), 0);
	ck_assert_uint_eq(begin_ns, 0);
	ck_assert_uint_eq(end_ns, 3);
	ck_assert_int_eq(time_text_range("0..1ns", &begin_ns, &end_ns), 0);
}
END_TEST

START_TEST(other_texts_are_no_range)
{
	static const char *const wrong[] = { "", ".", "..", "...", "1s", "1s.2s", "1s...2s", "1..2s", "1s..2", "1s..2s..3s", "1s-2s" };
	static const char *const empty[] = { "1s..1s", "2s..1s", "..0", "1s..1000ms" };
	uint64_t begin_ns, end_ns;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		ck_assert_msg(time_text_range(wrong[i], &begin_ns, &end_ns) == -EINVAL, "%s", wrong[i]);
	for (size_t i = 0; i < sizeof(empty) / sizeof(*empty); i++)
		ck_assert_msg(time_text_range(empty[i], &begin_ns, &end_ns) == -ERANGE, "%s", empty[i]);
}
END_TEST

UNIT_MAIN("time_text", a_time_is_a_number_and_a_unit, other_texts_are_no_time, a_range_has_one_end_or_two,
	  other_texts_are_no_range)
