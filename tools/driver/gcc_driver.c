/* SPDX-License-Identifier: MIT */
/*
 * gcc_driver.c - spoor-gcc, spoor-g++, spoor-gfortran and spoor-gdc: run the compilers of GCC with instrumentation.
 *
 * The driver asks the compiler for its version and machine, which choose the plugin, puts a few arguments before the
 * user's, and executes the compiler. Links have the plugin too: with -flto they generate the code.
 */
#define _GNU_SOURCE
#include "driver/command.h"
#include "driver/compiler.h"
#include "driver/link_arguments.h"
#include "driver/plan.h"
#include "driver/gcc_plugin_stamp.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Changes this program whenever a plugin changes, because compiler caches check the program's contents. */
__attribute__((used)) static const char plugin_stamp[] = "spoor plugins " SPOOR_GCC_PLUGIN_STAMP;

/* A name of this program, the compiler that it runs, and the variable with another one. */
struct name {
	const char *ours, *compiler, *variable;
};

static const struct name names[] = {
	{"spoor-gcc", "gcc", "SPOOR_GCC"},
	{"spoor-g++", "g++", "SPOOR_GXX"},
	{"spoor-gfortran", "gfortran", "SPOOR_GFORTRAN"},
	{"spoor-gdc", "gdc", "SPOOR_GDC"},
};

static const struct name *find_name(void)
{
	for (size_t i = 1; i < sizeof names / sizeof *names; i++)
		if (strncmp(program_name, names[i].ours, strlen(names[i].ours)) == 0)
			return &names[i];
	return &names[0];
}

/* Distributions install compilers of other languages than C with the version in the name alone: gdc-12. */
static int ask_versioned(const struct name *name, char *compiler, size_t size, struct gcc_version *version)
{
	int error = compiler_ask_gcc("gcc" SPOOR_GCC_SUFFIX, version);

	if (error < 0)
		return -ENOENT;
	snprintf(compiler, size, "%s-%d", name->compiler, version->major);
	return compiler_ask_gcc(compiler, version);
}

/* Writes the compiler to execute to @compiler. */
static void choose_compiler(char *compiler, size_t size, struct gcc_version *version)
{
	const struct name *name = find_name();
	const char *chosen = getenv(name->variable);
	int error;

	if (compiler_is_asked())
		die("%s names a program that runs this program again: name a GCC", name->variable);
	if (chosen && *chosen && compiler_is_this_program(chosen))
		die("%s=%s is this program itself: name a GCC", name->variable, chosen);
	if (chosen && *chosen)
		snprintf(compiler, size, "%s", chosen);
	else
		snprintf(compiler, size, "%s%s", name->compiler, SPOOR_GCC_SUFFIX);
	error = compiler_ask_gcc(compiler, version);
	if (error == -ENOENT && !(chosen && *chosen) && ask_versioned(name, compiler, size, version) == 0)
		return;
	if (error == -EINVAL)
		die("%s is not GCC: name a GCC in %s", compiler, name->variable);
	if (error < 0)
		die("cannot run %s: %s: install it, or name another compiler in %s", compiler, strerror(-error),
		    name->variable);
}

/* In the mode call GCC itself adds the calls. */
static bool is_mode_call(const struct driver_plan *plan)
{
	return plan->mode && strcmp(plan->mode, "call") == 0;
}

/* Returns whether GCC's own programs run: they load the plugin. */
static bool loads_plugin(const struct driver_plan *plan)
{
	if (!plan->instrument || plan->stage < DRIVER_STAGE_CHECK || is_mode_call(plan))
		return false;
	return plan->has_source || plan->has_header || (plan->stage == DRIVER_STAGE_LINK && plan->has_link_input);
}

static void add_plugin(struct command *command, const struct gcc_version *version)
{
	char *path = or_die(malloc(PATH_MAX)), *load;
	int error = spoor_gcc_plugin_path(version->major, version->machine, path, PATH_MAX);

	if (error < 0)
		die("cannot find the plugin for GCC %d of %s at %s: %s: install the plugin headers of this GCC "
		    "(gcc-%d-plugin-dev) and build spoor again, or use -fspoor-mode=call", version->major, version->machine, path,
		    strerror(-error), version->major);
	if (asprintf(&load, "-fplugin=%s", path) < 0)
		die("out of memory");
	free(path);
	command_add(command, load);
}

static void add_compile_arguments(struct command *command, const struct driver_plan *plan,
				  const struct gcc_version *version)
{
	if (!plan->instrument || plan->stage == DRIVER_STAGE_ANSWER)
		return;
	/* A target without tracing, such as -m32: the plugin warns. */
	if ((plan->has_c_source || plan->has_header) && find_target(plan) != TARGET_UNKNOWN) {
		command_add(command, "-D__SPOOR__=1");
		command_add_headers(command);
	}
	if (loads_plugin(plan))
		add_plugin(command, version);
	if (is_mode_call(plan))
		command_add(command, "-finstrument-functions");
	/* The plugin reads its settings from variables. The command line takes precedence. */
	else if (plan->mode && setenv("SPOOR_INSTRUMENTATION_MODE", plan->mode, 1) < 0)
		die("out of memory");
	/* GCC also removes calls of functions without effects. */
	if (plan->before_inlining) {
		command_add(command, "-fno-inline");
		command_add(command, "-fno-ipa-pure-const");
	}
}

static void check_options(const struct driver_plan *plan)
{
	if (plan->keep)
		die("-fspoor-keep=%s: GCC's plugin does not have this option: give the functions the attribute noipa, use "
		    "-fspoor-before-inlining for all functions, or use spoor-cc with clang", plan->keep);
	if (plan->calls)
		die("-fspoor-calls=%s: GCC's plugin does not have this option: use spoor-cc with clang, or "
		    "'spoor record --library-calls'", plan->calls);
	if (plan->compiler && strcmp(plan->compiler, "gcc") != 0)
		die("--compiler=%s: this driver runs only GCC: use spoor-cc", plan->compiler);
}

int main(int argc, char **argv)
{
	struct words words = {NULL, 0, 0, NULL, 0};
	struct command command = {NULL, 0};
	char message[512], compiler[PATH_MAX];
	struct gcc_version version;
	struct driver_plan plan;
	int result = 0;

	program_name = argc > 0 && argv[0] ? argv[0] : "spoor-gcc";
	if (strrchr(program_name, '/'))
		program_name = strrchr(program_name, '/') + 1;
	choose_compiler(compiler, sizeof compiler, &version);

	/* An empty response file adds no word, which is harmless. */
	for (int i = 1; i < argc && result >= 0; i++)
		result = words_add_argument(&words, argv[i], i);
	if (result == -ELOOP)
		die("response files are nested too deeply");
	if (result < 0 || driver_plan_make(&plan, DRIVER_GCC, &words, message, sizeof message) < 0)
		die("%s", result < 0 ? "out of memory" : message);
	check_options(&plan);
	plan.target = version.machine;

	/* The driver adds fewer than 32 words. */
	command.list = or_die(malloc((words.count + 32) * sizeof *command.list));
	command_add(&command, compiler);
	add_compile_arguments(&command, &plan, &version);
	add_link_arguments(&command, &plan);
	command_add_users(&command, &words, argv);
	add_run_path(&command, &plan);
	command_add(&command, NULL);

	execvp(compiler, (char *const *)command.list);
	die("cannot run %s: %s: install it, or name another compiler in %s", compiler, strerror(errno),
	    find_name()->variable);
}
