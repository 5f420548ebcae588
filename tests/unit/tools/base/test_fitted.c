/* SPDX-License-Identifier: MIT */
/* test_fitted.c - breaks lines at spaces, with their indentation. */
#include "base/fitted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/support/unit.h"

static void expect(const char *line, size_t width, const char *wanted)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	fitted_line(out, line, strlen(line), width);
	fclose(out);
	ck_assert_str_eq(text, wanted);
	free(text);
}

START_TEST(a_line_that_fits_stays)
{
	expect("", 40, "\n");
	expect("  key   value", 40, "  key   value\n");
	expect("  a line of any length if there is no limit to it at all", 0,
	       "  a line of any length if there is no limit to it at all\n");
}
END_TEST

START_TEST(further_lines_begin_below_the_text)
{
	expect("  began           one two three four five six seven", 40,
	       "  began           one two three four\n"
	       "                  five six seven\n");
	expect("one two three four five six seven eight nine", 30,
	       "one two three four five six\n"
	       "  seven eight nine\n");
}
END_TEST

START_TEST(a_long_word_stays_whole)
{
	expect("  path            /a/very/long/path/without/any/space/in/it", 40,
	       "  path            /a/very/long/path/without/any/space/in/it\n");
	expect("  path            see /a/very/long/path/without/any/space and more", 40,
	       "  path            see\n"
	       "                  /a/very/long/path/without/any/space\n"
	       "                  and more\n");
}
END_TEST

START_TEST(characters_of_utf8_count_once)
{
	expect("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 b c d e f g h i j k l m n", 36,
	       "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 b c d e f g h i j k l m n\n");
}
END_TEST

UNIT_MAIN("fitted", a_line_that_fits_stays, further_lines_begin_below_the_text, a_long_word_stays_whole,
	  characters_of_utf8_count_once)
