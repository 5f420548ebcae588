/* SPDX-License-Identifier: MIT */
/* test_pattern.c - pattern lists follow the rules in pattern.h. */
#include "text/pattern.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/support/unit.h"

static bool chooses(const char *patterns, const char *name)
{
	ck_assert_int_eq(spoor_patterns_check(patterns), 0);
	return spoor_patterns_choose(patterns, &name, 1);
}

START_TEST(the_last_matching_pattern_wins)
{
	ck_assert(chooses("libfoo*,-libfoo_test.so", "libfoo.so"));
	ck_assert(!chooses("libfoo*,-libfoo_test.so", "libfoo_test.so"));
	ck_assert(chooses("-lib*,libfoo.so", "libfoo.so"));
	ck_assert(chooses("a,-a,a", "a"));
	ck_assert(!chooses("libfoo*", "libbar.so"));
}
END_TEST

START_TEST(a_list_that_begins_with_a_minus_begins_with_everything)
{
	ck_assert(chooses("-libbar.so", "libfoo.so"));
	ck_assert(!chooses("-libbar.so", "libbar.so"));
}
END_TEST

START_TEST(no_list_and_a_star_choose_everything)
{
	const char *name = "f";

	ck_assert(spoor_patterns_choose(NULL, &name, 1));
	ck_assert(chooses("*", ""));
	ck_assert(spoor_patterns_are_all("*"));
	ck_assert(!spoor_patterns_are_all("**"));
}
END_TEST

START_TEST(a_comma_in_brackets_or_parentheses_does_not_separate)
{
	ck_assert(chooses("f(int, char),g", "f(int, char)"));
	ck_assert(chooses("f(int, char),g", "g"));
	ck_assert(!chooses("f(int, char),g", "f(int"));
	ck_assert(chooses("[a,b],c", ","));
}
END_TEST

START_TEST(a_comma_in_template_arguments_does_not_separate)
{
	ck_assert(chooses("Pair<int, char>::sum(),g", "Pair<int, char>::sum()"));
	ck_assert(chooses("Pair<int, char>::sum(),g", "g"));
	ck_assert(!chooses("Pair<int, char>::sum(),g", "Pair<int"));
	ck_assert(chooses("-Map<A<int, B>, C>*,Map<*, C>::f", "Map<A<int, B>, C>::f"));
	ck_assert(chooses("a<f(x<y, z), b>,c", "c"));
	ck_assert(chooses("<A as B<fn(x) -> y, z>>::f,c", "<A as B<fn(x) -> y, z>>::f"));
	ck_assert(chooses("a->b<int, char>,c", "a->b<int, char>"));
}
END_TEST

START_TEST(operators_and_a_lone_less_than_are_no_brackets)
{
	static const char *const operators[] = { "<", "<<", "<<=", "<=", "<=>", ">", ">>", ">>=", ">=", "->", "->*" };
	char list[80], name[64];

	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		snprintf(name, sizeof(name), "operator%s", operators[i]);
		snprintf(list, sizeof(list), "%s,g", name);
		ck_assert_msg(chooses(list, name) && chooses(list, "g"), "%s", list);
		snprintf(list, sizeof(list), "%s <int, char>,g", name);
		snprintf(name + strlen(name), 16, " <int, char>");
		ck_assert_msg(chooses(list, name) && chooses(list, "g"), "%s", list);
		snprintf(list, sizeof(list), "T<&A::operator%s, int>,g", operators[i]);
		snprintf(name, sizeof(name), "T<&A::operator%s, int>", operators[i]);
		ck_assert_msg(chooses(list, name) && chooses(list, "g"), "%s", list);
	}
	ck_assert(chooses("a<*,g", "g"));
	ck_assert(chooses("a<*,g", "a<b>"));
	ck_assert(chooses("*<*,-std::vector<*,-std::map<int, *", "a<b>"));
	ck_assert(!chooses("*<*,-std::vector<*", "std::vector<int>"));
	ck_assert(chooses("a<b, c>,d<e,f<g, h>", "d<e"));
	ck_assert(chooses("a<b, c>,d<e,f<g, h>", "f<g, h>"));
	ck_assert(chooses("a>b,c", "c"));
	ck_assert(chooses("a\\<b,c>", "c>"));
}
END_TEST

START_TEST(any_of_several_names_is_enough)
{
	const char *names[] = { "_ZN1a1fEi", NULL, "a::f" };

	ck_assert(spoor_patterns_choose("a::f", names, 3));
	ck_assert(spoor_patterns_choose("_ZN*", names, 3));
	ck_assert(!spoor_patterns_choose("a::f,-_ZN*", names, 3));
	ck_assert(!spoor_patterns_choose("a::g", names, 3));
}
END_TEST

START_TEST(a_list_without_a_meaning_is_EINVAL)
{
	static const char *const bad[] = { "", ",", "a,", ",a", "a,,b", "-", "a,-", "[a" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ck_assert_msg(spoor_patterns_check(bad[i]) == -EINVAL, "'%s'", bad[i]);
}
END_TEST

START_TEST(a_backslash_takes_the_next_character_as_it_is)
{
	ck_assert(chooses("operator\\[\\]*", "operator[](int)"));
	ck_assert(chooses("a\\*", "a*"));
	ck_assert(!chooses("a\\*", "ab"));
	ck_assert(chooses("a\\,b", "a,b"));
}
END_TEST

/* Compares both ways to match with the C library's fnmatch. */
static void matches_as_fnmatch_does(const char *text, const char *name)
{
	struct spoor_glob glob = { .begin = text, .end = text + strlen(text) };
	bool expected = fnmatch(text, name, 0) == 0;

	spoor_glob_prepare(&glob);
	ck_assert_msg(spoor_glob_matches(glob.begin, glob.end, name) == expected, "%s %s", text, name);
	ck_assert_msg(spoor_glob_takes(&glob, name, strlen(name)) == expected, "%s %s, prepared", text, name);
}

/* Tries all short globs over a small alphabet. */
START_TEST(a_glob_matches_what_fnmatch_matches)
{
	static const char alphabet[] = "ab*?";
	static const char letters[] = "ab";
	char glob[6] = "", name[6];

	for (unsigned int g = 0; g < 4 * 4 * 4 * 4 * 4; g++) {
		unsigned int rest = g;

		for (int i = 0; i < 5; i++, rest /= 4)
			glob[i] = alphabet[rest % 4];
		for (int length = 1; length <= 5; length++) {
			for (unsigned int n = 0; n < 1u << length; n++) {
				for (int i = 0; i < length; i++)
					name[i] = letters[n >> i & 1];
				name[length] = '\0';
				for (int shorter = 0; shorter < 5; shorter++)
					matches_as_fnmatch_does(glob + shorter, name);
			}
		}
	}
}
END_TEST

START_TEST(a_set_matches_what_fnmatch_matches)
{
	static const char *const globs[] = { "[abc]", "[a-c]x", "[!a-c]", "[]a]", "[!]a]", "[a-]", "*[xyz]", "\\a*", "*\\]", "*" };
	static const char *const names[] = { "a", "b", "c", "d", "]", "-", "ax", "cx", "dx", "qqz", "" };

	for (size_t g = 0; g < sizeof(globs) / sizeof(*globs); g++) {
		for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++)
			matches_as_fnmatch_does(globs[g], names[n]);
	}
}
END_TEST

START_TEST(patterns_without_a_bit_are_listed_until_the_text_is_full)
{
	char list[16];

	ck_assert(!spoor_patterns_unmatched("a,-b", 3, list, sizeof(list)));
	ck_assert(spoor_patterns_unmatched("a,-b*,f(int, char),c", 1, list, sizeof(list)));
	ck_assert_str_eq(list, "'b*', 'c'");
}
END_TEST

UNIT_MAIN("pattern", the_last_matching_pattern_wins, a_list_that_begins_with_a_minus_begins_with_everything,
	  no_list_and_a_star_choose_everything, a_comma_in_brackets_or_parentheses_does_not_separate,
	  a_comma_in_template_arguments_does_not_separate, operators_and_a_lone_less_than_are_no_brackets,
	  any_of_several_names_is_enough, a_list_without_a_meaning_is_EINVAL,
	  a_backslash_takes_the_next_character_as_it_is, a_glob_matches_what_fnmatch_matches,
	  a_set_matches_what_fnmatch_matches, patterns_without_a_bit_are_listed_until_the_text_is_full)
