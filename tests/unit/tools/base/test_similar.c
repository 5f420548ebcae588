/* SPDX-License-Identifier: MIT */
/* test_similar.c - counts edits between names, and proposes the name that a user meant. */
#include "base/similar.h"

#include <string.h>

#include "tests/unit/support/unit.h"

static unsigned int edits(const char *pattern, const char *name)
{
	return similar_edits(pattern, strlen(pattern), name, 100);
}

START_TEST(edits_are_those_of_damerau_and_levenshtein)
{
	ck_assert_uint_eq(edits("", ""), 0);
	ck_assert_uint_eq(edits("", "abc"), 3);
	ck_assert_uint_eq(edits("abc", ""), 3);
	ck_assert_uint_eq(edits("report", "report"), 0);
	ck_assert_uint_eq(edits("recrod", "record"), 1);	/* a swap */
	ck_assert_uint_eq(edits("funtion", "function"), 1);
	ck_assert_uint_eq(edits("kitten", "sitting"), 3);
	ck_assert_uint_eq(edits("REPORT", "report"), 0);
	ck_assert_uint_eq(edits("ca", "abc"), 3);	/* no substring is edited twice */
}
END_TEST

START_TEST(stars_and_question_marks_match_as_in_a_glob)
{
	ck_assert_uint_eq(edits("handle_*", "handle_request"), 0);
	ck_assert_uint_eq(edits("hanlde_*", "handle_request"), 1);
	ck_assert_uint_eq(edits("*_requset", "handle_request"), 1);
	ck_assert_uint_eq(edits("*", "anything"), 0);
	ck_assert_uint_eq(edits("f?o", "foo"), 0);
	ck_assert_uint_eq(edits("f?", "foo"), 1);
}
END_TEST

START_TEST(a_bound_ends_the_comparison)
{
	char longest[SIMILAR_MAX + 2];

	ck_assert_uint_gt(similar_edits("abcdefgh", 8, "zyxwvuts", 2), 2);
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	ck_assert_uint_gt(similar_edits(longest, SIMILAR_MAX + 1, "a", 3), 3);
	ck_assert_uint_gt(similar_edits("a", 1, longest, 3), 3);
	longest[SIMILAR_MAX] = '\0';
	ck_assert_uint_eq(similar_edits(longest, SIMILAR_MAX, longest, 3), 0);
}
END_TEST

START_TEST(the_most_similar_name_is_proposed)
{
	struct similar similar;

	similar_begin(&similar, "hanlde_requests", 15);
	ck_assert_ptr_null(similar_best(&similar));
	similar_offer(&similar, "unrelated_name", "unrelated_name");
	ck_assert_ptr_null(similar_best(&similar));
	similar_offer(&similar, "handle_request", "handle_request");
	ck_assert_str_eq(similar_best(&similar), "handle_request");
	similar_offer(&similar, "handle_requests", "handle_requests");
	similar_offer(&similar, "handle_requests", "another");
	ck_assert_str_eq(similar_best(&similar), "handle_requests");

	similar_begin(&similar, "x", 1);
	similar_offer(&similar, "y", "y");
	ck_assert_ptr_null(similar_best(&similar));

	similar_begin(&similar, "run", 3);
	similar_offer_function(&similar, "ns::Worker<a::b>::run");
	ck_assert_str_eq(similar_best(&similar), "ns::Worker<a::b>::run");
}
END_TEST

UNIT_MAIN("similar", edits_are_those_of_damerau_and_levenshtein, stars_and_question_marks_match_as_in_a_glob,
	  a_bound_ends_the_comparison, the_most_similar_name_is_proposed)
