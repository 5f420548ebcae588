/* SPDX-License-Identifier: MIT */
/*
 * driver.c - spoor-cc and spoor-c++: run clang and clang++ with instrumentation.
 *
 * The driver puts a few arguments before the user's and executes clang. It leaves out arguments
 * without effect, because clang warns about those, and configure scripts take warnings for failures.
 * The result depends only on the arguments, the plugin and the two variables below, so compiler caches
 * work.
 */
#define _GNU_SOURCE
#include "driver/command.h"
#include "driver/compiler.h"
#include "driver/link_arguments.h"
#include "driver/plan.h"
#include "driver/plugin_stamp.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Environment variables with the compiler to run instead of the configured clang and clang++. */
#define C_COMPILER_VARIABLE "SPOOR_CC"
#define CXX_COMPILER_VARIABLE "SPOOR_CXX"

/* Changes this program whenever the plugin changes, because compiler caches check the program's contents. */
__attribute__((used)) static const char plugin_stamp[] = "spoor plugin " SPOOR_PLUGIN_STAMP;

/* Accepts "c++" with a version after it, which clang also ignores: "c++-22.1", "c++22". */
static bool is_cxx_name(const char *name)
{
	size_t length = strlen(name);

	while (length && strchr("0123456789.", name[length - 1]))
		length--;
	if (length && name[length] && name[length - 1] == '-')
		length--;
	return length >= 2 && strncmp(name + length - 2, "++", 2) == 0;
}

/* Executes the driver of GCC, which is beside this one, with the same arguments. @compiler: to run, or null */
static void __attribute__((noreturn)) run_gcc_driver(const char *compiler, char **argv)
{
	bool is_cxx = is_cxx_name(program_name);
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof "spoor-g++");

	if (length < 0)
		die("cannot find spoor-gcc: /proc/self/exe: %s", strerror(errno));
	path[length] = '\0';
	strcpy(strrchr(path, '/') + 1, is_cxx ? "spoor-g++" : "spoor-gcc");
	if (compiler && setenv(is_cxx ? "SPOOR_GXX" : "SPOOR_GCC", compiler, 1) < 0)
		die("out of memory");
	argv[0] = path;
	execv(path, argv);
	die("cannot run %s: %s; install it", path, strerror(errno));
}

static bool is_gcc(const char *compiler)
{
	struct gcc_version version;

	return compiler_ask_gcc(compiler, &version) == 0;
}

/* Returns the compiler to execute. @plugin: receives the plugin for its version. */
static const char *choose_compiler(enum spoor_part *plugin, char **argv)
{
	bool is_cxx = is_cxx_name(program_name);
	const char *variable = is_cxx ? CXX_COMPILER_VARIABLE : C_COMPILER_VARIABLE;
	const char *compiler = getenv(variable);
	int version;

	if (compiler_is_asked())
		die(C_COMPILER_VARIABLE " or " CXX_COMPILER_VARIABLE " names a program that runs this program "
		    "again: name a clang");
	*plugin = SPOOR_PART_PLUGIN;
	if (!compiler || !*compiler)
		return is_cxx ? SPOOR_CLANGXX : SPOOR_CLANG;
	if (compiler_is_this_program(compiler))
		die("%s=%s is this program itself: name a clang", variable, compiler);
	version = compiler_ask_version(compiler);
	switch (version) {
	case SPOOR_LLVM_MAJOR:
		break;
#if SPOOR_LLVM_MAJOR != 14
	case 14:
		*plugin = SPOOR_PART_PLUGIN_14;
		break;
#endif
#if SPOOR_LLVM_MAJOR != 19
	case 19:
		*plugin = SPOOR_PART_PLUGIN_19;
		break;
#endif
#if SPOOR_LLVM_MAJOR != 22
	case 22:
		*plugin = SPOOR_PART_PLUGIN_22;
		break;
#endif
	case -EINVAL:
		if (is_gcc(compiler))
			run_gcc_driver(compiler, argv);
		die("%s=%s is neither clang nor GCC: use clang 14, 19 or 22, or GCC", variable, compiler);
	default:
		if (version < 0)
			die("cannot run %s=%s: %s", variable, compiler, strerror(-version));
		die("%s=%s is clang %d, for which there is no plugin: use clang 14, 19 or 22",
		    variable, compiler, version);
	}
	return compiler;
}

static void add_compile_arguments(struct command *command, const struct driver_plan *plan,
				  enum spoor_part part)
{
	char *load, *pass;
	char *plugin;

	if (!plan->instrument || !(plan->has_source || plan->has_header) ||
	    plan->stage == DRIVER_STAGE_ANSWER)
		return;
	if (find_target(plan) != TARGET_UNKNOWN) {
		command_add(command, "-D__SPOOR__=1");
		command_add_headers(command);
	}
	if (plan->stage < DRIVER_STAGE_CODE || !plan->has_source)
		return;

	plugin = find_part(part, "the plugin", "build or install it");
	if (asprintf(&load, "-fplugin=%s", plugin) < 0 ||
	    asprintf(&pass, "-fpass-plugin=%s", plugin) < 0)
		die("out of memory");
	free(plugin);
	command_add(command, load);
	command_add(command, pass);
	/* The plugin reads its settings from variables, as in spoor_opt. The command line takes precedence. */
	if (plan->mode && setenv("SPOOR_INSTRUMENTATION_MODE", plan->mode, 1) < 0)
		die("out of memory");
	if (plan->before_inlining && setenv("SPOOR_INSTRUMENTATION_BEFORE_INLINING", "true", 1) < 0)
		die("out of memory");
	if (plan->keep && setenv("SPOOR_INSTRUMENTATION_KEEP", plan->keep, 1) < 0)
		die("out of memory");
	if (plan->calls && setenv("SPOOR_INSTRUMENTATION_LIBRARY_CALLS", plan->calls, 1) < 0)
		die("out of memory");
	if (plan->no_passes)
		return;

	/* Only with -pg does clang mark functions, except those with the attribute no_instrument_function. */
	command_add(command, "-Xclang");
	command_add(command, "-mllvm");
	command_add(command, "-Xclang");
	if (plan->profiles) {
		command_add(command, "-spoor-pg-marks=keep");
		return;
	}
	command_add(command, "-spoor-pg-marks=remove");
	command_add(command, "-Xclang");
	command_add(command, "-pg");
	command_add(command, "-Xclang");
	command_add(command, "-mfentry");
}

/* Returns whether all words after some point are inputs. */
static bool has_only_inputs_at_end(const struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		if (strcmp(words->list[i].text, "--") == 0)
			return true;
	return false;
}

int main(int argc, char **argv)
{
	struct words words = {NULL, 0, 0, NULL, 0};
	struct command command = {NULL, 0};
	struct driver_plan plan;
	enum spoor_part plugin;
	const char *compiler;
	char message[512];
	int result = 0;

	program_name = argc > 0 && argv[0] ? argv[0] : "spoor-cc";
	if (strrchr(program_name, '/'))
		program_name = strrchr(program_name, '/') + 1;

	/* An empty response file adds no word, which is harmless. */
	for (int i = 1; i < argc && result >= 0; i++)
		result = words_add_argument(&words, argv[i], i);
	if (result == -ELOOP)
		die("response files are nested too deeply");
	if (result < 0 || driver_plan_make(&plan, DRIVER_CLANG, &words, message, sizeof message) < 0)
		die("%s", result < 0 ? "out of memory" : message);
	if (plan.compiler && strcmp(plan.compiler, "gcc") == 0)
		run_gcc_driver(NULL, argv);
	if (plan.compiler && strcmp(plan.compiler, "clang") != 0)
		die("--compiler=%s: unknown compiler: use clang or gcc", plan.compiler);
	compiler = choose_compiler(&plugin, argv);

	/* The driver adds fewer than 32 words. */
	command.list = or_die(malloc((words.count + 32) * sizeof *command.list));
	command_add(&command, compiler);
	if (plan.stage != DRIVER_STAGE_ANSWER) {
		command_add(&command, "--start-no-unused-arguments");
		add_compile_arguments(&command, &plan, plugin);
		add_link_arguments(&command, &plan);
		if (has_only_inputs_at_end(&words))
			add_run_path(&command, &plan);
		command_add(&command, "--end-no-unused-arguments");
	}
	if (command.count == 3)
		command.count = 1;
	command_add_users(&command, &words, argv);
	if (!has_only_inputs_at_end(&words))
		add_run_path(&command, &plan);
	command_add(&command, NULL);

	execvp(compiler, (char *const *)command.list);
	die("cannot run %s: %s; install it, or name another clang in %s or %s", compiler,
	    strerror(errno), C_COMPILER_VARIABLE, CXX_COMPILER_VARIABLE);
}
