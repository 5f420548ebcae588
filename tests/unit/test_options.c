/* SPDX-License-Identifier: MIT */
/* test_options.c - reads the options of the pass from a file and from the environment. */
#define _GNU_SOURCE
#include "pass/options_sources.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/support/unit.h"

static struct spoor_options options;
static struct spoor_fault fault;
static char folder[] = "/tmp/test_options.XXXXXX";

/* Each test runs in a new process. */
static void begin(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert_int_eq(spoor_options_begin(&options), 0);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static void end(void)
{
	spoor_options_free(&options);
	unlink("spoor_config.toml");
	unlink("above/spoor_config.toml");
	rmdir("above/below");
	rmdir("above");
	ck_assert_int_eq(chdir("/"), 0);
	rmdir(folder);
}

static void set_is(const char *key, const char *value, int result)
{
	struct spoor_option_setting setting = { .source = key, .key = key, .value = value };

	ck_assert_msg(spoor_options_set(&options, &setting, &fault) == result, "%s=%s: %s", key, value, fault.text);
}

START_TEST(without_file_and_variables_the_defaults_hold)
{
	begin();
	ck_assert_int_eq(spoor_options_read(&options, &fault), 0);
	ck_assert(options.enable_runtime && options.initialize_runtime && options.inject_instrumentation);
	ck_assert(!options.force_binary_output && options.output_language == SPOOR_LANGUAGE_BITCODE);
	ck_assert_str_eq(options.output_file, "-");
	ck_assert_str_eq(options.module_id, "");
	end();
}
END_TEST

START_TEST(booleans_are_the_listed_words_in_any_case)
{
	static const char *const yes[] = { "true", "T", "yes", "Y", "1", " TRUE\t" };
	static const char *const no[] = { "false", "f", "No", "n", "0" };
	static const char *const neither[] = { "on", "off", "", "2", "truely" };

	begin();
	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++) {
		options.enable_runtime = false;
		set_is("enable_runtime", yes[i], 0);
		ck_assert(options.enable_runtime);
	}
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++) {
		options.enable_runtime = true;
		set_is("enable_runtime", no[i], 0);
		ck_assert(!options.enable_runtime);
	}
	for (size_t i = 0; i < sizeof(neither) / sizeof(*neither); i++)
		set_is("enable_runtime", neither[i], -EINVAL);
	end();
}
END_TEST

START_TEST(paths_are_expanded_and_relative_to_their_file)
{
	struct spoor_option_setting setting = {
		.source = "f:1", .key = "output_file", .value = "$PART/~x", .folder = "/etc", .is_typed = true, .is_string = true,
	};

	begin();
	setenv("PART", "part", 1);
	ck_assert_int_eq(spoor_options_set(&options, &setting, &fault), 0);
	ck_assert_str_eq(options.output_file, "/etc/part/~x");
	setting.value = "-";
	ck_assert_int_eq(spoor_options_set(&options, &setting, &fault), 0);
	ck_assert_str_eq(options.output_file, "-");
	setting.value = "$NO_SUCH_VARIABLE/x";
	ck_assert_int_eq(spoor_options_set(&options, &setting, &fault), -EINVAL);
	ck_assert_ptr_nonnull(strstr(fault.text, "f:1: a variable that is not set"));
	setting.is_expanded = true;
	setting.folder = NULL;
	ck_assert_int_eq(spoor_options_set(&options, &setting, &fault), 0);
	ck_assert_str_eq(options.output_file, "$NO_SUCH_VARIABLE/x");
	end();
}
END_TEST

START_TEST(only_the_nearest_file_is_read)
{
	begin();
	ck_assert_int_eq(mkdir("above", 0700) | mkdir("above/below", 0700), 0);
	write_file("spoor_config.toml", "module_id = \"far\"\nenable_runtime = false\n");
	write_file("above/spoor_config.toml", "module_id = \"near\"\n");
	ck_assert_int_eq(chdir("above/below"), 0);
	ck_assert_int_eq(spoor_options_read(&options, &fault), 0);
	ck_assert_str_eq(options.module_id, "near");
	ck_assert(options.enable_runtime);
	ck_assert_int_eq(chdir("../.."), 0);
	end();
}
END_TEST

/* Runs in a child process, because the leak checker at the end of a process needs /proc. */
static bool looks_in_a_root_of_its_own(void)
{
	/* If the system does not allow a new root, the child cannot test it. */
	if (chroot(".") < 0 && (unshare(CLONE_NEWUSER) < 0 || chroot(".") < 0))
		return true;
	if (chdir("/above/below") < 0 || spoor_options_read(&options, &fault) < 0 || strcmp(options.module_id, "root") != 0)
		return false;
	free(options.module_id);
	options.module_id = strdup("");
	return chdir("/") == 0 && spoor_options_read(&options, &fault) == 0 && strcmp(options.module_id, "root") == 0;
}

START_TEST(the_root_folder_is_searched_too)
{
	pid_t child;
	int status;

	begin();
	ck_assert_int_eq(mkdir("above", 0700) | mkdir("above/below", 0700), 0);
	write_file("spoor_config.toml", "module_id = \"root\"\n");
	child = fork();
	if (child == 0)
		_exit(!looks_in_a_root_of_its_own());
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	end();
}
END_TEST

START_TEST(the_environment_wins_and_its_names_are_in_capitals)
{
	begin();
	write_file("spoor_config.toml", "module_id = \"file\"\n");
	setenv("SPOOR_INSTRUMENTATION_MODULE_ID", "environment", 1);
	ck_assert_int_eq(spoor_options_read(&options, &fault), 0);
	ck_assert_str_eq(options.module_id, "environment");
	setenv("SPOOR_INSTRUMENTATION_module_id", "x", 1);
	ck_assert_int_eq(spoor_options_read(&options, &fault), -EINVAL);
	ck_assert_ptr_nonnull(strstr(fault.text, "SPOOR_INSTRUMENTATION_module_id: unknown option"));
	unsetenv("SPOOR_INSTRUMENTATION_module_id");
	unsetenv("SPOOR_INSTRUMENTATION_MODULE_ID");
	end();
}
END_TEST

START_TEST(a_wrong_type_is_rejected_with_its_line)
{
	static const char *const wrong[] = {
		"enable_runtime = \"true\"", "enable_runtime = 1", "module_id = true", "output_file = 3", "output_language = 0",
	};

	begin();
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		char text[200];

		snprintf(text, sizeof(text), "# comment\n\n%s\n", wrong[i]);
		write_file("spoor_config.toml", text);
		ck_assert_msg(spoor_options_read(&options, &fault) == -EINVAL, "%s", wrong[i]);
		ck_assert_msg(strstr(fault.text, "spoor_config.toml:3: ") != NULL, "%s", fault.text);
		ck_assert_msg(strstr(fault.text, "must be") != NULL, "%s", fault.text);
	}
	end();
}
END_TEST

UNIT_MAIN("options", without_file_and_variables_the_defaults_hold,
	  booleans_are_the_listed_words_in_any_case, paths_are_expanded_and_relative_to_their_file,
	  only_the_nearest_file_is_read, the_root_folder_is_searched_too,
	  the_environment_wins_and_its_names_are_in_capitals, a_wrong_type_is_rejected_with_its_line)
