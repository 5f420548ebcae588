/* SPDX-License-Identifier: MIT */
/* test_elided.c - shortens names that are too long for their place. */
#include "base/elided.h"

#include <string.h>

#include "tests/unit/support/unit.h"

static void expect(const char *name, size_t room, uint32_t number, const char *elided)
{
	char out[ELIDED_MAX + 1];

	elide(name, room, number, out);
	ck_assert_str_eq(out, elided);
	ck_assert_uint_le(strlen(out), room);
}

START_TEST(a_name_that_fits_stays)
{
	expect("main", 8, 0, "main");
	expect("main", 8, 2, "main");
	expect("std::map<int, int>", 18, 0, "std::map<int, int>");
}
END_TEST

START_TEST(the_longest_template_arguments_go_first)
{
	expect("a::Map<std::string, int>::get<char>", 24, 0, "a::Map<..>::get<char>");
	expect("a::Map<std::string, int>::get<char>", 20, 0, "a::Map<..>::get<..>");
	expect("A<B<C<D>>>::operator<< <char>", 23, 0, "A<..>::operator<< <..>");
	expect("A<decltype (f->g)>::h", 14, 0, "A<..>::h");
}
END_TEST

START_TEST(then_the_middle_goes)
{
	expect("abcdefghijklmnopqrstuvwxyz", 11, 0, "abc..uvwxyz");
	expect("abcdefghijklmnopqrstuvwxyz", 11, 7, "ab..7..wxyz");
}
END_TEST

START_TEST(characters_of_utf8_stay_whole)
{
	expect("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc", 11, 0,
	       "\xc3\xa4..\xc3\xa4\xc3\xb6\xc3\xbc");
}
END_TEST

START_TEST(a_gap_with_a_large_number_fits_a_small_room)
{
	expect("abcdefghijklmnopqrstuvwxyz", 8, 4000000000u, "..400000");
}
END_TEST

UNIT_MAIN("elided", a_name_that_fits_stays, the_longest_template_arguments_go_first, then_the_middle_goes,
	  characters_of_utf8_stay_whole, a_gap_with_a_large_number_fits_a_small_room)
