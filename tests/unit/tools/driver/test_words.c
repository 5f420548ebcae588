/* SPDX-License-Identifier: MIT */
/* test_words.c - splits a command line into words as clang does. */
#include "driver/words.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/test_driver_words.XXXXXX";
static char argument[sizeof path + 1];

static void make_file(void)
{
	int descriptor;

	strcpy(path + strlen(path) - 6, "XXXXXX");
	descriptor = mkstemp(path);
	ck_assert_int_ge(descriptor, 0);
	close(descriptor);
	snprintf(argument, sizeof argument, "@%s", path);
}

static void remove_file(void)
{
	unlink(path);
}

static void write_file(const char *text)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	fclose(file);
}

/* Returns the words of a file with the content @text, joined with bars. */
static const char *read_words(const char *text)
{
	static char joined[4096];
	struct words words = {NULL, 0, 0, NULL, 0};

	write_file(text);
	ck_assert_int_eq(words_add_argument(&words, argument, 7), 0);
	joined[0] = '\0';
	for (size_t i = 0; i < words.count; i++) {
		ck_assert_int_eq(words.list[i].argument, 7);
		ck_assert(!words.list[i].ours);
		strcat(strcat(joined, i ? "|" : ""), words.list[i].text);
	}
	words_free(&words);
	return joined;
}

START_TEST(an_argument_without_an_at_sign_is_a_word)
{
	struct words words = {NULL, 0, 0, NULL, 0};

	ck_assert_int_eq(words_add_argument(&words, "a b", 3), 0);
	ck_assert_int_eq(words_add_argument(&words, "@", 4), 0);
	ck_assert_uint_eq(words.count, 2);
	ck_assert_str_eq(words.list[0].text, "a b");
	ck_assert_str_eq(words.list[1].text, "@");
	ck_assert_int_eq(words.list[1].argument, 4);
	words_free(&words);
}
END_TEST

START_TEST(the_name_of_an_unreadable_file_is_a_word)
{
	struct words words = {NULL, 0, 0, NULL, 0};

	ck_assert_int_eq(words_add_argument(&words, "@/nonexistent/file", 1), 0);
	ck_assert_uint_eq(words.count, 1);
	ck_assert_str_eq(words.list[0].text, "@/nonexistent/file");
	words_free(&words);
}
END_TEST

START_TEST(white_space_separates_words)
{
	ck_assert_str_eq(read_words(" -c\n\n\ta.c  -o\r\nx.o "), "-c|a.c|-o|x.o");
	ck_assert_str_eq(read_words(""), "");
	ck_assert_str_eq(read_words(" \n "), "");
}
END_TEST

START_TEST(quotes_and_backslashes_hold_words_together)
{
	ck_assert_str_eq(read_words("'a b' \"c d\" e\\ f"), "a b|c d|e f");
	ck_assert_str_eq(read_words("-DX='\"y\"' -D\"Z=1 2\""), "-DX=\"y\"|-DZ=1 2");
	ck_assert_str_eq(read_words("\"a\\\"b\" 'c\\d'"), "a\"b|c\\d");
}
END_TEST

START_TEST(a_file_may_name_other_files)
{
	char inner[] = "/tmp/test_driver_words_inner.XXXXXX", text[128];
	int descriptor = mkstemp(inner);

	ck_assert_int_eq(write(descriptor, "b 'c d'", 7), 7);
	close(descriptor);
	snprintf(text, sizeof text, "a @%s e", inner);
	ck_assert_str_eq(read_words(text), "a|b|c d|e");
	unlink(inner);
}
END_TEST

START_TEST(words_from_a_pipe_are_marked)
{
	struct words words = {NULL, 0, 0, NULL, 0};
	char text[64];
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(write(ends[1], "b c", 3), 3);
	close(ends[1]);
	snprintf(text, sizeof text, "a @/dev/fd/%d", ends[0]);
	write_file(text);
	ck_assert_int_eq(words_add_argument(&words, argument, 1), 0);
	close(ends[0]);
	ck_assert_uint_eq(words.count, 3);
	ck_assert(!words.list[0].drained && words.list[1].drained && words.list[2].drained);
	ck_assert_str_eq(words.list[2].text, "c");
	words_free(&words);
}
END_TEST

START_TEST(files_that_name_themselves_are_ELOOP)
{
	struct words words = {NULL, 0, 0, NULL, 0};

	write_file(argument);
	ck_assert_int_eq(words_add_argument(&words, argument, 1), -ELOOP);
	words_free(&words);
}
END_TEST

START_TEST(a_file_of_many_words_is_read_whole)
{
	struct words words = {NULL, 0, 0, NULL, 0};
	FILE *file = fopen(path, "w");

	for (int i = 0; i < 100000; i++)
		fprintf(file, "object%d.o\n", i);
	fclose(file);
	ck_assert_int_eq(words_add_argument(&words, argument, 1), 0);
	ck_assert_uint_eq(words.count, 100000);
	ck_assert_str_eq(words.list[99999].text, "object99999.o");
	words_free(&words);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("driver_words");
	TCase *tcase = tcase_create("driver_words");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, make_file, remove_file);
	tcase_add_test(tcase, an_argument_without_an_at_sign_is_a_word);
	tcase_add_test(tcase, the_name_of_an_unreadable_file_is_a_word);
	tcase_add_test(tcase, white_space_separates_words);
	tcase_add_test(tcase, quotes_and_backslashes_hold_words_together);
	tcase_add_test(tcase, a_file_may_name_other_files);
	tcase_add_test(tcase, words_from_a_pipe_are_marked);
	tcase_add_test(tcase, files_that_name_themselves_are_ELOOP);
	tcase_add_test(tcase, a_file_of_many_words_is_read_whole);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
