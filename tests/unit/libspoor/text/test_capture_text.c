/* SPDX-License-Identifier: MIT */
/* test_capture_text.c - tests of capture_text.c. */
#include "tests/unit/support/unit.h"

#include <string.h>

#include "text/capture_text.h"

static bool is(const char *begin, const char *end, const char *text)
{
	return (size_t)(end - begin) == strlen(text) && memcmp(begin, text, strlen(text)) == 0;
}

START_TEST(choices_are_separated_and_have_modules_and_items)
{
	const char *rest = "parse*,libfoo.so:open(path:s,,flags:x),-ns::f(int, char),*:g(:d)";
	struct spoor_capture_choice choice;
	struct spoor_capture_item item;

	ck_assert_int_eq(spoor_capture_text_check(rest), 0);
	ck_assert(spoor_capture_text_next(&rest, &choice));
	ck_assert(is(choice.function, choice.function_end, "parse*"));
	ck_assert_ptr_null(choice.module);
	ck_assert_ptr_null(choice.items);
	ck_assert(!choice.excludes);

	ck_assert(spoor_capture_text_next(&rest, &choice));
	ck_assert(is(choice.module, choice.module_end, "libfoo.so"));
	ck_assert(is(choice.function, choice.function_end, "open"));
	const char *items = choice.items;
	ck_assert(spoor_capture_item_next(&items, choice.items_end, &item));
	ck_assert(is(item.name, item.name + item.length, "path"));
	ck_assert_int_eq(item.format, 's');
	ck_assert(item.is_wanted);
	ck_assert(spoor_capture_item_next(&items, choice.items_end, &item));
	ck_assert(!item.is_wanted);
	ck_assert(spoor_capture_item_next(&items, choice.items_end, &item));
	ck_assert(is(item.name, item.name + item.length, "flags"));
	ck_assert_int_eq(item.format, 'x');
	ck_assert(!spoor_capture_item_next(&items, choice.items_end, &item));

	ck_assert(spoor_capture_text_next(&rest, &choice));
	ck_assert(choice.excludes);
	ck_assert(is(choice.function, choice.function_end, "ns::f(int, char)"));
	ck_assert_ptr_null(choice.module);
	ck_assert_ptr_null(choice.items);

	ck_assert(spoor_capture_text_next(&rest, &choice));
	ck_assert(is(choice.module, choice.module_end, "*"));
	ck_assert(is(choice.function, choice.function_end, "g"));
	ck_assert(is(choice.items, choice.items_end, ":d"));
	ck_assert(!spoor_capture_text_next(&rest, &choice));
}
END_TEST

START_TEST(a_name_alone_is_an_argument_if_another_one_has_a_colon)
{
	const char *rest = "f(a:,b)";
	struct spoor_capture_choice choice;
	struct spoor_capture_item item;

	ck_assert(spoor_capture_text_next(&rest, &choice));
	const char *items = choice.items;
	ck_assert(spoor_capture_item_next(&items, choice.items_end, &item));
	ck_assert_int_eq(item.format, 0);
	ck_assert(spoor_capture_item_next(&items, choice.items_end, &item));
	ck_assert(is(item.name, item.name + item.length, "b"));
	ck_assert(item.is_wanted);
}
END_TEST

START_TEST(wrong_lists_are_rejected)
{
	static const char *const wrong[] = { "", "f,", ",f", "f(a:d,b c)", "-f(a:d)", ":f(a:d", "m:", "m:(a:d)", "f[", "f(a:d,b:q)" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		ck_assert_msg(spoor_capture_text_check(wrong[i]) < 0, "'%s' is taken", wrong[i]);
}
END_TEST

UNIT_MAIN("capture_text", choices_are_separated_and_have_modules_and_items,
	  a_name_alone_is_an_argument_if_another_one_has_a_colon,
	  wrong_lists_are_rejected)
