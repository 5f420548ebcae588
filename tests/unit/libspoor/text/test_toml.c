/* SPDX-License-Identifier: MIT */
/* test_toml.c - the values that toml.c accepts, and the errors that it rejects with their line. */
#include "text/toml.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/support/unit.h"

static struct spoor_toml toml;
static struct spoor_toml_pair pair;

static int first(const char *text)
{
	spoor_toml_begin(&toml, text, strlen(text));
	return spoor_toml_next(&toml, &pair);
}

static void refused(const char *text, uint32_t line, const char *why)
{
	int more;

	spoor_toml_begin(&toml, text, strlen(text));
	while ((more = spoor_toml_next(&toml, &pair)) > 0)
		;
	ck_assert_msg(more == -EINVAL, "accepted: %s", text);
	ck_assert_msg(strstr(toml.fault, why) != NULL, "%s: %s", text, toml.fault);
	ck_assert_uint_eq(toml.line, line);
}

static void number(const char *text, uint64_t value, bool negative)
{
	ck_assert_msg(first(text) == 1, "%s: %s", text, toml.fault);
	ck_assert_int_eq(pair.kind, SPOOR_TOML_INTEGER);
	ck_assert_uint_eq(pair.number, value);
	ck_assert_int_eq(pair.negative, negative);
}

START_TEST(empty_files_blank_lines_and_comments_have_no_pair)
{
	ck_assert_int_eq(first(""), 0);
	ck_assert_int_eq(first("\n \t\r\n# x = 1\n#"), 0);
}
END_TEST

START_TEST(strings_are_decoded)
{
	ck_assert_int_eq(first("a_B-9=\"\\b\\t\\n\\f\\r\\\"\\\\\\u00e9\\U0001f600é#\" # c"), 1);
	ck_assert_str_eq(pair.key, "a_B-9");
	ck_assert_int_eq(pair.kind, SPOOR_TOML_STRING);
	ck_assert_str_eq(pair.text, "\b\t\n\f\r\"\\\xc3\xa9\xf0\x9f\x98\x80\xc3\xa9#");
	ck_assert_int_eq(first("x = '\\u0041\"$HOME'"), 1);
	ck_assert_str_eq(pair.text, "\\u0041\"$HOME");
	ck_assert_int_eq(first("x = ''"), 1);
	ck_assert_str_eq(pair.text, "");
}
END_TEST

START_TEST(integers_of_every_base_and_booleans_are_read)
{
	number("x = 0", 0, false);
	number("x = +7", 7, false);
	number("x = -12", 12, true);
	number("x = 1_000_000", 1000000, false);
	number("x = 0xDead_beef", 0xdeadbeef, false);
	number("x = 0o17", 15, false);
	number("x = 0b1_01", 5, false);
	number("x = 18446744073709551615", UINT64_MAX, false);
	ck_assert_int_eq(first("x = true"), 1);
	ck_assert(pair.kind == SPOOR_TOML_BOOLEAN && pair.boolean);
	ck_assert_int_eq(first("x\t=\tfalse\r\n"), 1);
	ck_assert(pair.kind == SPOOR_TOML_BOOLEAN && !pair.boolean);
}
END_TEST

START_TEST(a_pair_knows_its_line)
{
	static const char text[] = "# one\n\r\na = 1\n\nb = 2 # five\nc = 3";

	spoor_toml_begin(&toml, text, strlen(text));
	ck_assert_int_eq(spoor_toml_next(&toml, &pair), 1);
	ck_assert_uint_eq(toml.line, 3);
	ck_assert_int_eq(spoor_toml_next(&toml, &pair), 1);
	ck_assert_uint_eq(toml.line, 5);
	ck_assert_int_eq(spoor_toml_next(&toml, &pair), 1);
	ck_assert_uint_eq(toml.line, 6);
	ck_assert_int_eq(spoor_toml_next(&toml, &pair), 0);
}
END_TEST

START_TEST(malformed_numbers_are_rejected)
{
	refused("a = 1\nx = 007", 2, "begins with 0");
	refused("x = 1__0", 1, "invalid value");
	refused("x = _1", 1, "invalid value");
	refused("x = 1_", 1, "invalid value");
	refused("x = 0x", 1, "invalid value");
	refused("x = 1.5", 1, "fraction");
	refused("x = 1e3", 1, "fraction");
	refused("x = 2026-11-20", 1, "date");
	refused("x = 18446744073709551616", 1, "64 bits");
	refused("x = -0x1", 1, "after the value");
	refused("x = inf", 1, "invalid value");
	refused("x =", 1, "invalid value");
}
END_TEST

START_TEST(unsupported_parts_of_toml_are_rejected_by_name)
{
	refused("\n\n[table]", 3, "a table");
	refused("x = [1]", 1, "an array");
	refused("x = { a = 1 }", 1, "a table");
	refused("x = \"\"\"\n\"\"\"", 1, "several lines");
	refused("x = '''a'''", 1, "several lines");
	refused("\"x\" = 1", 1, "in quotes");
	refused("a.b = 1", 1, "dotted");
}
END_TEST

START_TEST(broken_lines_are_rejected)
{
	refused("x", 1, "no '='");
	refused("= 1", 1, "no key");
	refused("x = 1 y = 2", 1, "after the value");
	refused("x = truely", 1, "after the value");
	refused("x = \"a\nb\"", 1, "closing quote");
	refused("x = \"a\\x\"", 1, "invalid escape");
	refused("x = \"\\u12\"", 1, "digits");
	refused("x = \"\\ud800\"", 1, "not a Unicode character");
	refused("x = \"\\u0000\"", 1, "NUL");
	refused("x = \"\x01\"", 1, "control");
	refused("# \x7f", 1, "control");
	refused("x = 'a\rb'", 1, "control");
	refused("x = '\xff'", 1, "UTF-8");
	refused("x = '\xc0\x80'", 1, "UTF-8");
	refused("x = '\xed\xa0\x80'", 1, "UTF-8");
	refused("x = '\xe2\x82'", 1, "UTF-8");
}
END_TEST

START_TEST(texts_and_keys_that_are_too_long_are_rejected)
{
	char text[5000];

	memset(text, 'a', sizeof(text));
	memcpy(text, "x = '", 5);
	strcpy(text + 5 + 4095, "'");
	ck_assert_int_eq(first(text), 1);
	ck_assert_uint_eq(strlen(pair.text), 4095);
	memset(text + 5, 'a', 4096);
	strcpy(text + 5 + 4096, "'");
	refused(text, 1, "4095");
	memset(text, 'k', 80);
	strcpy(text + 80, " = 1");
	refused(text, 1, "79");
	ck_assert_int_eq(first(text + 1), 1);
}
END_TEST

START_TEST(table_headers_are_accepted_if_the_caller_wants_them)
{
	static const char *const wrong[] = { "[x]", "[[x]", "[[x", "[[]]", "[[ x.y ]]", "[['x']]", "[[x]] y = 1" };

	static const char right[] = "[[ x-1 ]] # c\ny = 1\n[[z]]";

	refused("\n[[x]]", 2, "not supported");
	spoor_toml_begin(&toml, right, strlen(right));
	toml.tables = true;
	ck_assert_int_eq(spoor_toml_next(&toml, &pair), 1);
	ck_assert_int_eq(pair.kind, SPOOR_TOML_TABLE);
	ck_assert_str_eq(pair.key, "x-1");
	ck_assert_int_eq(spoor_toml_next(&toml, &pair), 1);
	ck_assert_str_eq(pair.key, "y");
	ck_assert_int_eq(spoor_toml_next(&toml, &pair), 1);
	ck_assert_str_eq(pair.key, "z");
	ck_assert_uint_eq(toml.line, 3);
	ck_assert_int_eq(spoor_toml_next(&toml, &pair), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		spoor_toml_begin(&toml, wrong[i], strlen(wrong[i]));
		toml.tables = true;
		ck_assert_msg(spoor_toml_next(&toml, &pair) == -EINVAL, "accepted: %s", wrong[i]);
	}
}
END_TEST

UNIT_MAIN("toml", empty_files_blank_lines_and_comments_have_no_pair, strings_are_decoded,
	  integers_of_every_base_and_booleans_are_read, a_pair_knows_its_line,
	  malformed_numbers_are_rejected, unsupported_parts_of_toml_are_rejected_by_name,
	  broken_lines_are_rejected, texts_and_keys_that_are_too_long_are_rejected,
	  table_headers_are_accepted_if_the_caller_wants_them)
