/* SPDX-License-Identifier: MIT */
/* test_plan.c - the driver finds out from the command line what the compiler will do. */
#include "driver/plan.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static enum driver_compiler compiler = DRIVER_CLANG;
static struct words words;
static struct driver_plan plan;
static char message[512];

/* Reads @line, after it is split at its blanks. */
static int read_line(const char *line)
{
	static char copy[1024];
	char *rest, *word;
	int argument = 1;

	words_free(&words);
	strcpy(copy, line);
	for (word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		ck_assert_int_eq(words_add(&words, word, argument++), 0);
	message[0] = '\0';
	return driver_plan_make(&plan, compiler, &words, message, sizeof message);
}

static void check_plan(const char *line, enum driver_stage stage, bool source, bool link_input)
{
	ck_assert_int_eq(read_line(line), 0);
	ck_assert_msg(plan.stage == stage, "%s: stage %d", line, plan.stage);
	ck_assert_msg(plan.has_source == source, "%s: source %d", line, plan.has_source);
	ck_assert_msg(plan.has_link_input == link_input, "%s: input %d", line, plan.has_link_input);
}

START_TEST(the_first_stage_to_stop_at_counts)
{
	check_plan("a.c", DRIVER_STAGE_LINK, true, true);
	check_plan("-c a.c", DRIVER_STAGE_CODE, true, true);
	check_plan("-c a.c -E", DRIVER_STAGE_PREPROCESS, true, true);
	check_plan("-fsyntax-only -c a.c", DRIVER_STAGE_CHECK, true, true);
	check_plan("-M -c a.c", DRIVER_STAGE_PREPROCESS, true, true);
	check_plan("-MD -c a.c", DRIVER_STAGE_CODE, true, true);
	check_plan("--version a.c", DRIVER_STAGE_ANSWER, true, true);
	check_plan("-print-file-name=a.c", DRIVER_STAGE_ANSWER, false, false);
}
END_TEST

START_TEST(inputs_are_known_by_suffix_or_language)
{
	check_plan("a.o b.a c.so d.ld", DRIVER_STAGE_LINK, false, true);
	check_plan("a.s b.S", DRIVER_STAGE_LINK, false, true);
	check_plan("a.h", DRIVER_STAGE_LINK, false, false);
	check_plan("-x c a.h", DRIVER_STAGE_LINK, true, true);
	check_plan("-xc++ a", DRIVER_STAGE_LINK, true, true);
	check_plan("-x c++-header a.c", DRIVER_STAGE_LINK, false, false);
	check_plan("-x assembler a.c", DRIVER_STAGE_LINK, false, true);
	check_plan("-x c -x none a.o", DRIVER_STAGE_LINK, false, true);
	check_plan("-", DRIVER_STAGE_LINK, true, true);
	check_plan("-x f95 a.f", DRIVER_STAGE_LINK, false, true);
	check_plan("dir.c/file", DRIVER_STAGE_LINK, false, true);
	check_plan("-lm", DRIVER_STAGE_LINK, false, true);
	check_plan("-l m", DRIVER_STAGE_LINK, false, true);
	check_plan("-O2 -g", DRIVER_STAGE_LINK, false, false);
}
END_TEST

START_TEST(a_value_is_no_input_and_no_option)
{
	check_plan("-o a.c", DRIVER_STAGE_LINK, false, false);
	check_plan("-include a.c", DRIVER_STAGE_LINK, false, false);
	check_plan("-o -c a.o", DRIVER_STAGE_LINK, false, true);
	check_plan("-Xclang -c a.o", DRIVER_STAGE_LINK, false, true);
	check_plan("-D -fno-spoor a.c", DRIVER_STAGE_LINK, true, true);
	ck_assert(plan.instrument);
	check_plan("-c -- -E.c", DRIVER_STAGE_CODE, true, true);
}
END_TEST

START_TEST(every_way_to_request_an_object_file_is_seen)
{
	static const char *const lines[] = {
		"-r a.o", "-Wl,-r a.o", "-Wl,-x,--relocatable a.o", "-Xlinker -r a.o",
		"-Wl,-Ur a.o", "-Xlinker --relocatable a.o", "-Wl,--relo a.o", "-Wl,-x,-reloc a.o",
		"-Xlinker --relocat a.o", "--for-linker=--relocatabl a.o", "-Wl,--Ur a.o",
	};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		ck_assert_int_eq(read_line(lines[i]), 0);
		ck_assert_msg(plan.relocatable, "%s", lines[i]);
	}
	ck_assert_int_eq(read_line("-Wl,-rpath,r -rdynamic -Wl,-z,r a.o"), 0);
	ck_assert(!plan.relocatable);
	ck_assert_int_eq(read_line("-Wl,--relax,--rel,--relocatables,-,relo,@,@/nonexistent a.o"), 0);
	ck_assert(!plan.relocatable);
}
END_TEST

START_TEST(the_last_option_of_spoor_counts)
{
	ck_assert_int_eq(read_line("a.c"), 0);
	ck_assert(plan.instrument && plan.link_stub && !plan.link_runtime);
	ck_assert_int_eq(read_line("-fno-spoor a.c"), 0);
	ck_assert(!plan.instrument && !plan.link_stub);
	ck_assert_int_eq(read_line("-fno-spoor -fspoor a.c"), 0);
	ck_assert(plan.instrument && plan.link_stub);
	ck_assert_int_eq(read_line("-fno-spoor -fspoor-runtime a.c"), 0);
	ck_assert(!plan.instrument && plan.link_stub && plan.link_runtime);
	ck_assert_int_eq(read_line("-fspoor-runtime -fspoor-shared a.c"), 0);
	ck_assert(plan.link_stub && !plan.link_runtime);
}
END_TEST

START_TEST(only_options_of_spoor_are_marked)
{
	ck_assert_int_eq(read_line("-fspoor -c -fspoor-mode=sled a.c"), 0);
	ck_assert(words.list[0].ours && !words.list[1].ours);
	ck_assert(words.list[2].ours && !words.list[3].ours);
	ck_assert_str_eq(plan.mode, "sled");
	ck_assert_int_eq(read_line("-fspoor-mode=sled -fspoor-mode=call a.c"), 0);
	ck_assert_str_eq(plan.mode, "call");
	ck_assert_int_eq(read_line("a.c"), 0);
	ck_assert_ptr_null(plan.mode);
}
END_TEST

START_TEST(wrong_options_of_spoor_are_rejected_by_name)
{
	static const char *const wrong[] = {
		"-fspoor-mode=calls", "-fspoor-mode=orders", "-fspoor-mode=", "-fspoor-static",
		"-fspoorish", "-fno-spoor-runtime",
	};

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		ck_assert_msg(read_line(wrong[i]) == -EINVAL, "%s", wrong[i]);
		ck_assert_msg(strncmp(message, wrong[i], strlen(wrong[i])) == 0, "%s", message);
	}
}
END_TEST

START_TEST(circumstances_are_seen)
{
	ck_assert_int_eq(read_line("-m32 -m64 --target=x86_64-linux-gnu -static -pg a.c"), 0);
	ck_assert_str_eq(plan.word_size, "-m64");
	ck_assert_str_eq(plan.target, "x86_64-linux-gnu");
	ck_assert(plan.static_program && plan.profiles && !plan.no_passes);
	ck_assert_int_eq(read_line("-target arm -Xclang -disable-llvm-passes a.c"), 0);
	ck_assert_str_eq(plan.target, "arm");
	ck_assert(plan.no_passes && !plan.profiles);
}
END_TEST

START_TEST(languages_of_gcc_are_sources_for_gcc_alone)
{
	compiler = DRIVER_GCC;
	check_plan("-c a.f90", DRIVER_STAGE_CODE, true, true);
	ck_assert(!plan.has_c_source);
	check_plan("-c a.adb", DRIVER_STAGE_CODE, true, true);
	check_plan("-x d a", DRIVER_STAGE_LINK, true, true);
	check_plan("-x f95 a", DRIVER_STAGE_LINK, true, true);
	check_plan("-c a.f a.c", DRIVER_STAGE_CODE, true, true);
	ck_assert(plan.has_c_source);
	check_plan("-dumpbase a.c -J b.c q.o", DRIVER_STAGE_LINK, false, true);
	check_plan("-dumpfullversion a.c", DRIVER_STAGE_ANSWER, true, true);
	compiler = DRIVER_CLANG;
	check_plan("-c a.f90", DRIVER_STAGE_CODE, false, true);
	check_plan("-x f95 a", DRIVER_STAGE_LINK, false, true);
}
END_TEST

START_TEST(the_compiler_is_chosen_by_an_option_of_spoor)
{
	ck_assert_int_eq(read_line("a.c"), 0);
	ck_assert_ptr_null(plan.compiler);
	ck_assert_int_eq(read_line("--compiler=gcc a.c"), 0);
	ck_assert_str_eq(plan.compiler, "gcc");
	ck_assert(words.list[0].ours && !words.list[1].ours);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("driver_plan");
	TCase *tcase = tcase_create("driver_plan");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tcase, the_first_stage_to_stop_at_counts);
	tcase_add_test(tcase, inputs_are_known_by_suffix_or_language);
	tcase_add_test(tcase, a_value_is_no_input_and_no_option);
	tcase_add_test(tcase, every_way_to_request_an_object_file_is_seen);
	tcase_add_test(tcase, the_last_option_of_spoor_counts);
	tcase_add_test(tcase, only_options_of_spoor_are_marked);
	tcase_add_test(tcase, wrong_options_of_spoor_are_rejected_by_name);
	tcase_add_test(tcase, circumstances_are_seen);
	tcase_add_test(tcase, languages_of_gcc_are_sources_for_gcc_alone);
	tcase_add_test(tcase, the_compiler_is_chosen_by_an_option_of_spoor);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
