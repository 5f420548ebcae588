/* SPDX-License-Identifier: MIT */
/* test_installed_paths.c - finds the installed parts from the place of the program. */
#include "base/installed_paths.h"

#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[PATH_MAX / 4];

static void make_root(void)
{
	const char *base = getenv("TMPDIR");

	snprintf(root, sizeof root, "%s/test_paths.XXXXXX", base ? base : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(root));
}

static void remove_root(void)
{
	char command[PATH_MAX];

	snprintf(command, sizeof command, "rm -rf '%s'", root);
	ck_assert_int_eq(system(command), 0);
}

/* Makes an empty file @relative below the root, and the directories above it. */
static const char *make_file(const char *relative)
{
	static char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", root, relative);
	for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		ck_assert(mkdir(path, 0777) == 0 || errno == EEXIST);
		*slash = '/';
	}
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fclose(file);
	return path;
}

static const char *find(const char *program, enum spoor_part part, int expected)
{
	static char path[PATH_MAX];
	char full[PATH_MAX];

	snprintf(full, sizeof full, "%s/%s", root, program);
	ck_assert_int_eq(spoor_part_path_from(full, part, path, sizeof path), expected);
	ck_assert_int_eq(strncmp(path, root, strlen(root)), 0);
	return path + strlen(root);
}

START_TEST(a_build_tree_uses_its_own_parts)
{
	make_file("tree/config.status");
	make_file("tree/libspoor/.libs/libspoor.so");
	make_file("tree/libspoor_dso/libspoor_dso.a");
	make_file("tree/pass/.libs/libspoor_instrumentation.so");
	ck_assert_str_eq(find("tree/tools/spoor", SPOOR_PART_RUNTIME, 0),
			 "/tree/libspoor/.libs/libspoor.so");
	ck_assert_str_eq(find("tree/tools/spoor-cc", SPOOR_PART_STUB, 0),
			 "/tree/libspoor_dso/libspoor_dso.a");
	ck_assert_str_eq(find("tree/tools/.libs/spoor-cc", SPOOR_PART_PLUGIN, 0),
			 "/tree/pass/.libs/libspoor_instrumentation.so");
}
END_TEST

START_TEST(a_build_tree_never_uses_installed_parts)
{
	make_file("tree/config.status");
	ck_assert_str_eq(find("tree/tools/spoor", SPOOR_PART_RUNTIME, -ENOENT),
			 "/tree/libspoor/.libs/libspoor.so");
}
END_TEST

START_TEST(a_staged_prefix_uses_the_parts_in_it)
{
	char program[PATH_MAX], part[PATH_MAX];

	snprintf(program, sizeof program, "stage%s/spoor-cc", SPOOR_BINDIR);
	snprintf(part, sizeof part, "stage%s/libspoor_dso.a", SPOOR_LIBDIR);
	make_file(part);
	ck_assert_str_eq(find(program, SPOOR_PART_STUB, 0) + 1, part);

	snprintf(part, sizeof part, "stage%s/libspoor_instrumentation.so", SPOOR_PLUGINDIR);
	make_file(part);
	ck_assert_str_eq(find(program, SPOOR_PART_PLUGIN, 0) + 1, part);
}
END_TEST

START_TEST(a_moved_prefix_uses_the_parts_in_it)
{
	/* This checks the default layout; another layout has other relative paths. */
	if (strcmp(SPOOR_BINDIR, "/usr/local/bin") != 0 ||
	    strcmp(SPOOR_LIBDIR, "/usr/local/lib") != 0)
		return;
	make_file("opt/spoor-1/lib/libspoor.so");
	ck_assert_str_eq(find("opt/spoor-1/bin/spoor", SPOOR_PART_RUNTIME, 0),
			 "/opt/spoor-1/lib/libspoor.so");
}
END_TEST

START_TEST(a_missing_part_is_named_with_its_expected_path)
{
	char program[PATH_MAX], part[PATH_MAX];

	if (access(SPOOR_LIBDIR "/libspoor_dso.a", F_OK) == 0)
		return;
	snprintf(program, sizeof program, "stage%s/spoor-cc", SPOOR_BINDIR);
	snprintf(part, sizeof part, "stage%s/libspoor_dso.a", SPOOR_LIBDIR);
	ck_assert_str_eq(find(program, SPOOR_PART_STUB, -ENOENT) + 1, part);
}
END_TEST

START_TEST(a_path_that_does_not_fit_is_an_error_and_not_cut)
{
	char path[10];
	char program[PATH_MAX];

	make_file("tree/config.status");
	make_file("tree/libspoor/.libs/libspoor.so");
	snprintf(program, sizeof program, "%s/tree/tools/spoor", root);
	ck_assert_int_eq(spoor_part_path_from(program, SPOOR_PART_RUNTIME, path, sizeof path),
			 -ENAMETOOLONG);
}
END_TEST

START_TEST(this_program_finds_its_place)
{
	char path[PATH_MAX];
	int result = spoor_part_path(SPOOR_PART_RUNTIME, path, sizeof path);

	ck_assert(result == 0 || result == -ENOENT);
	ck_assert_int_eq(path[0], '/');
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("paths");
	TCase *tcase = tcase_create("paths");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, make_root, remove_root);
	tcase_add_test(tcase, a_build_tree_uses_its_own_parts);
	tcase_add_test(tcase, a_build_tree_never_uses_installed_parts);
	tcase_add_test(tcase, a_staged_prefix_uses_the_parts_in_it);
	tcase_add_test(tcase, a_moved_prefix_uses_the_parts_in_it);
	tcase_add_test(tcase, a_missing_part_is_named_with_its_expected_path);
	tcase_add_test(tcase, a_path_that_does_not_fit_is_an_error_and_not_cut);
	tcase_add_test(tcase, this_program_finds_its_place);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
