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
#include "driver/compiler.h"
#include "driver/plan.h"
#include "driver/words.h"
#include "base/installed_paths.h"
#include "driver/plugin_stamp.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Environment variables with the compiler to run instead of the configured clang and clang++. */
#define C_COMPILER_VARIABLE "SPOOR_CC"
#define CXX_COMPILER_VARIABLE "SPOOR_CXX"

/* Changes this program whenever the plugin changes, because compiler caches check the program's contents. */
__attribute__((used)) static const char plugin_stamp[] = "spoor plugin " SPOOR_PLUGIN_STAMP;

static const char *program_name;

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s: error: ", program_name);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(EXIT_FAILURE);
}

static void *or_die(void *memory)
{
	if (!memory)
		die("out of memory");
	return memory;
}

/* The arguments for clang, in order. */
struct command {
	const char **list;
	size_t count;
};

static void command_add(struct command *command, const char *argument)
{
	/* main makes enough room for all of them. */
	command->list[command->count++] = argument;
}

/* The caller frees the path. */
static char *find_part(enum spoor_part part, const char *what, const char *remedy)
{
	char *path = or_die(malloc(PATH_MAX));
	int result = spoor_part_path(part, path, PATH_MAX);

	if (result < 0)
		die("cannot find %s at %s: %s; %s, or use -fno-spoor", what,
		    path[0] ? path : "/proc/self/exe", strerror(-result), remedy);
	return path;
}

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

/* Returns the compiler to execute. @plugin: receives the plugin for its version. */
static const char *choose_compiler(enum spoor_part *plugin)
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
		die("%s=%s is not clang: use clang 14, 19 or 22", variable, compiler);
	default:
		if (version < 0)
			die("cannot run %s=%s: %s", variable, compiler, strerror(-version));
		die("%s=%s is clang %d, for which there is no plugin: use clang 14, 19 or 22",
		    variable, compiler, version);
	}
	return compiler;
}

static bool target_begins(const char *target, const char *architecture)
{
	size_t length = strlen(architecture);

	return strncmp(target, architecture, length) == 0 && target[length] == '-';
}

/* The stub for the machine that the command line compiles for. */
enum target { TARGET_OURS, TARGET_OTHER, TARGET_UNKNOWN };
static enum target find_target(const struct driver_plan *plan)
{
	if (plan->word_size && strcmp(plan->word_size, "-m64") != 0)
		return TARGET_UNKNOWN;
	if (!plan->target)
		return TARGET_OURS;
	if (!strstr(plan->target, "linux"))
		return TARGET_UNKNOWN;
	return target_begins(plan->target, SPOOR_ARCH) ? TARGET_OURS :
	       target_begins(plan->target, SPOOR_OTHER_ARCH) ? TARGET_OTHER : TARGET_UNKNOWN;
}

/* An older installation may lack the folder. */
static void add_headers(struct command *command)
{
	char *path = or_die(malloc(PATH_MAX));

	if (spoor_part_path(SPOOR_PART_HEADERS, path, PATH_MAX) < 0) {
		free(path);
		return;
	}
	command_add(command, "-isystem");
	command_add(command, path);
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
		add_headers(command);
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

/* Returns whether the command links code with a stub. */
static bool links_stub(const struct driver_plan *plan)
{
	return plan->link_stub && plan->has_link_input && plan->stage == DRIVER_STAGE_LINK && !plan->relocatable &&
	       find_target(plan) != TARGET_UNKNOWN;
}

static void add_link_arguments(struct command *command, const struct driver_plan *plan)
{
	enum target target = find_target(plan);

	if (!links_stub(plan))
		return;
	/* Drop the assembler labels that come with each function's sleds, two for each, because linkers would
	 * keep them. Request the stub, because no object refers to it: otherwise objects could not be linked
	 * without it. */
	command_add(command, "-Wl,-X,-u,spoor_dso_anchor");
	command_add(command, find_part(target == TARGET_OURS ? SPOOR_PART_STUB : SPOOR_PART_STUB_OTHER,
				       "the registration stub", "build or install it"));
	if (!plan->link_runtime)
		return;
	if (plan->static_program) {
		if (target != TARGET_OURS)
			die("-fspoor-runtime with -static: there is no libspoor.a for the target: leave out --target "
			    "and -m32");
		/* The stub's reference is weak, which loads no member of an archive. */
		command_add(command, "-Wl,-u,spoor_dso_register");
		command_add(command, find_part(SPOOR_PART_ARCHIVE, "the runtime as an archive", "build or install it"));
		command_add(command, "-lpthread");
		command_add(command, "-ldl");
		return;
	}
	/* The stub's reference is weak, so --as-needed would drop the library. */
	command_add(command, "-Wl,--push-state,--no-as-needed");
	command_add(command, find_part(target == TARGET_OURS ? SPOOR_PART_RUNTIME : SPOOR_PART_RUNTIME_OTHER, "the runtime",
				       target == TARGET_OURS ? "build or install it"
							     : "put the runtime for that target there"));
	command_add(command, "-Wl,--pop-state");
}

/* Returns whether the dynamic linker searches the folder by default, as on Debian and others. */
static bool is_searched(const char *folder)
{
	const char *below = strncmp(folder, "/usr/lib", 8) == 0 ? folder + 8 : strncmp(folder, "/lib", 4) == 0 ? folder + 4 : NULL;

	return below && (!*below || strcmp(below, "64") == 0 || (*below == '/' && !strchr(below + 1, '/') && strstr(below, "-linux-")));
}

/*
 * Adds the folder of libspoor.so to the program's run path, at the end: the user's folders come first,
 * so that other libraries in our folder do not replace the user's.
 */
static void add_run_path(struct command *command, const struct driver_plan *plan)
{
	char *path;

	if (!links_stub(plan) || !plan->link_runtime || plan->static_program || find_target(plan) != TARGET_OURS)
		return;
	path = find_part(SPOOR_PART_RUNTIME, "the runtime", "build or install it");
	*strrchr(path, '/') = '\0';
	if (is_searched(path)) {
		free(path);
		return;
	}
	/* Unlike -Wl, -Xlinker accepts a comma in its value. */
	command_add(command, "-Xlinker");
	command_add(command, "-rpath");
	command_add(command, "-Xlinker");
	command_add(command, path);
}

/* Returns whether all words after some point are inputs. */
static bool has_only_inputs_at_end(const struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		if (strcmp(words->list[i].text, "--") == 0)
			return true;
	return false;
}

/*
 * Adds the user's arguments without our options. A response file stays one, unless it contains our
 * options, or is left with nothing for clang to read.
 */
static void add_users_arguments(struct command *command, const struct words *words, char **argv)
{
	size_t begin = 0, end, i;

	for (; begin < words->count; begin = end) {
		int argument = words->list[begin].argument;
		bool apart = false;

		for (end = begin; end < words->count && words->list[end].argument == argument; end++)
			apart |= words->list[end].ours || words->list[end].drained;
		if (!apart) {
			command_add(command, argv[argument]);
			continue;
		}
		for (i = begin; i < end; i++)
			if (!words->list[i].ours)
				command_add(command, words->list[i].text);
	}
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
	compiler = choose_compiler(&plugin);

	/* An empty response file adds no word, which is harmless. */
	for (int i = 1; i < argc && result >= 0; i++)
		result = words_add_argument(&words, argv[i], i);
	if (result == -ELOOP)
		die("response files are nested too deeply");
	if (result < 0 || driver_plan_make(&plan, &words, message, sizeof message) < 0)
		die("%s", result < 0 ? "out of memory" : message);

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
	add_users_arguments(&command, &words, argv);
	if (!has_only_inputs_at_end(&words))
		add_run_path(&command, &plan);
	command_add(&command, NULL);

	execvp(compiler, (char *const *)command.list);
	die("cannot run %s: %s; install it, or name another clang in %s or %s", compiler,
	    strerror(errno), C_COMPILER_VARIABLE, CXX_COMPILER_VARIABLE);
}
