/* SPDX-License-Identifier: MIT */
/* test_number_text.c - parses numbers, counts and sizes. */
#include "base/number_text.h"

#include "tests/unit/support/unit.h"

static uint64_t count(const char *text)
{
	uint64_t number;

	ck_assert_msg(number_text_count(text, 0, UINT64_MAX, &number), "'%s' is rejected", text);
	return number;
}

static uint64_t size(const char *text)
{
	uint64_t bytes;

	ck_assert_msg(number_text_size(text, 0, UINT64_MAX, &bytes), "'%s' is rejected", text);
	return bytes;
}

START_TEST(counts_have_powers_of_1000_in_either_case)
{
	ck_assert_uint_eq(count("0"), 0);
	ck_assert_uint_eq(count("20"), 20);
	ck_assert_uint_eq(count("10k"), 10000);
	ck_assert_uint_eq(count("10K"), 10000);
	ck_assert_uint_eq(count("1.5m"), 1500000);
	ck_assert_uint_eq(count("2G"), 2000000000);
	ck_assert_uint_eq(count("18446744073709551615"), UINT64_MAX);
}
END_TEST

START_TEST(sizes_have_powers_of_1024_unless_B_follows)
{
	ck_assert_uint_eq(size("500000"), 500000);
	ck_assert_uint_eq(size("64k"), 65536);
	ck_assert_uint_eq(size("64K"), 65536);
	ck_assert_uint_eq(size("64KiB"), 65536);
	ck_assert_uint_eq(size("64kB"), 64000);
	ck_assert_uint_eq(size("100M"), 104857600);
	ck_assert_uint_eq(size("1.5g"), 1610612736);
	ck_assert_uint_eq(size("1T"), 1099511627776);
	ck_assert_uint_eq(size("7B"), 7);
}
END_TEST

START_TEST(other_texts_are_rejected)
{
	static const char *const wrong[] = { "", " 1", "-1", "+1", "k", "1x", "1kk", "1 k", "1Mb", "0x10", "1e3", "nan", "inf",
					     "99999999999T", "." };
	uint64_t number;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		ck_assert_msg(!number_text_count(wrong[i], 0, UINT64_MAX, &number), "'%s' is a count", wrong[i]);
		ck_assert_msg(!number_text_size(wrong[i], 0, UINT64_MAX, &number), "'%s' is a size", wrong[i]);
	}
	ck_assert(!number_text_count("1.5", 0, 10, &number));
	ck_assert(!number_text_count("64KiB", 0, UINT64_MAX, &number));
	ck_assert(!number_text_count("11", 1, 10, &number));
	ck_assert(!number_text_count("0", 1, 10, &number));
	ck_assert(!number_text_size("1M", 0, 1000000, &number));
	ck_assert(!number_text_parse("1k", 0, 10000, &number));
}
END_TEST

UNIT_MAIN("number_text", counts_have_powers_of_1000_in_either_case, sizes_have_powers_of_1024_unless_B_follows,
	  other_texts_are_rejected)
