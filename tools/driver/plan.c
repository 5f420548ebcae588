/* SPDX-License-Identifier: MIT */
/*
 * plan.c - finds out what a command line lets clang or GCC do.
 *
 * Knows only the options that matter for that: those with their value in the next word, which could
 * look like an input, and those that stop the compiler before it generates code or links. The list is
 * complete for clang 14 to 22 and for GCC 11 to 14. Options of one of the two are errors of the other,
 * so there is one list.
 */
#define _GNU_SOURCE
#include "driver/plan.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "text/pattern.h"

/* Options whose value is the next word. */
static const char *const with_value[] = {
	"--CLASSPATH", "--analyzer-output", "--assert", "--bootclasspath", "--classpath",
	"--config", "--define-macro", "--dyld-prefix", "--encoding", "--extdirs",
	"--for-linker", "--force-link", "--imacros", "--include", "--include-directory",
	"--include-directory-after", "--include-prefix", "--include-with-prefix",
	"--include-with-prefix-after", "--include-with-prefix-before", "--language",
	"--library-directory", "--mhwdiv", "--no-system-header-prefix", "--output",
	"--output-class-directory", "--param", "--prefix", "--print-file-name",
	"--print-prog-name", "--resource", "--rtlib", "--serialize-diagnostics", "--std",
	"--stdlib", "--sysroot", "--system-header-prefix", "--undefine-macro", "--unwindlib",
	"-A", "-B", "-D", "-F", "-G", "-I", "-L", "-MF", "-MJ", "-MQ", "-MT", "-T", "-U", "-V",
	"-Xanalyzer", "-Xarch_device", "-Xarch_host", "-Xassembler", "-Xclang", "-Xclangas",
	"-Xcuda-fatbinary", "-Xcuda-ptxas", "-Xlinker", "-Xoffload-linker", "-Xopenmp-target",
	"-Xpreprocessor", "-Zlinker-input", "-alias_list", "-allowable_client", "-arch",
	"-arch_only", "-b", "-bundle_loader", "-ccc-gcc-name", "-ccc-install-dir",
	"-client_name", "-compatibility_version", "-current_version", "-cxx-isystem",
	"-darwin-target-variant", "-darwin-target-variant-triple", "-dependency-dot",
	"-dependency-file", "-dsym-dir", "-dumpdir", "-dylib_file", "-dylinker_install_name",
	"-e", "-exported_symbols_list", "-fdebug-compilation-dir",
	"-fmodule-implementation-of", "-fmodules-user-build-path", "-fnew-alignment",
	"-force_load", "-framework", "-ftrapv-handler", "-gcc-toolchain",
	"-gen-cdb-fragment-path", "-iapinotes-modules", "-idirafter", "-iframework",
	"-iframeworkwithsysroot", "-image_base", "-imacros", "-imultilib", "-include",
	"-include-pch", "-init", "-install_name", "-iprefix", "-iquote", "-isysroot",
	"-isystem", "-isystem-after", "-ivfsoverlay", "-iwithprefix", "-iwithprefixbefore",
	"-iwithsysroot", "-l", "-lazy_framework", "-lazy_library", "-meabi", "-mllvm", "-mmlir",
	"-module-dependency-dir", "-mthread-model", "-multiply_defined",
	"-multiply_defined_unused", "-o", "-object-file-name", "-pagezero_size",
	"-read_only_relocs", "-reexport_framework", "-reexport_library", "-resource-dir",
	"-rpath", "-seg1addr", "-seg_addr_table", "-seg_addr_table_filename",
	"-segs_read_only_addr", "-segs_read_write_addr", "-serialize-diagnostics", "-specs",
	"-stdlib++-isystem", "-sub_library", "-sub_umbrella", "-target", "-u", "-umbrella",
	"-undefined", "-unexported_symbols_list", "-vfsoverlay", "-weak_framework",
	"-weak_library", "-weak_reference_mismatches", "-working-directory", "-x", "-z",
	/* GCC alone. */
	"-J", "-aux-info", "-dumpbase", "-dumpbase-ext", "-wrapper", NULL,
};

/* Options that clang answers without looking at an input. */
static const char *const answers[] = {
	"--help", "--help-hidden", "--version", "-cc1", "-cc1as", "-cc1gen-reproducer",
	"-dumpfullversion", "-dumpmachine", "-dumpspecs", "-dumpversion", "-help", "--target-help", NULL,
};

struct stop {
	const char *option;
	enum driver_stage stage;
};

/* The options that stop clang early. If there are several, the earliest stage counts. */
static const struct stop stops[] = {
	{"--analyze", DRIVER_STAGE_CHECK},
	{"--assemble", DRIVER_STAGE_CODE},
	{"--compile", DRIVER_STAGE_CODE},
	{"--dependencies", DRIVER_STAGE_PREPROCESS},
	{"--driver-mode=cpp", DRIVER_STAGE_PREPROCESS},
	{"--migrate", DRIVER_STAGE_CHECK},
	{"--precompile", DRIVER_STAGE_CHECK},
	{"--preprocess", DRIVER_STAGE_PREPROCESS},
	{"--user-dependencies", DRIVER_STAGE_PREPROCESS},
	{"-E", DRIVER_STAGE_PREPROCESS},
	{"-M", DRIVER_STAGE_PREPROCESS},
	{"-MM", DRIVER_STAGE_PREPROCESS},
	{"-S", DRIVER_STAGE_CODE},
	{"-c", DRIVER_STAGE_CODE},
	{"-emit-ast", DRIVER_STAGE_CHECK},
	{"-emit-interface-stubs", DRIVER_STAGE_CHECK},
	{"-emit-merged-ifs", DRIVER_STAGE_CHECK},
	{"-extract-api", DRIVER_STAGE_CHECK},
	{"-fmodule-header", DRIVER_STAGE_CHECK},
	{"-fsyntax-only", DRIVER_STAGE_CHECK},
	{"-module-file-info", DRIVER_STAGE_CHECK},
	{"-rewrite-legacy-objc", DRIVER_STAGE_CHECK},
	{"-rewrite-objc", DRIVER_STAGE_CHECK},
	{"-verify-pch", DRIVER_STAGE_CHECK},
};

enum input {
	INPUT_SOURCE,	/* in a language of the C family, or LLVM IR */
	INPUT_OTHER_SOURCE,
	INPUT_HEADER,
	INPUT_ASSEMBLER,
	INPUT_OBJECT,	/* also libraries, linker scripts, and all other inputs */
	INPUT_BY_NAME,	/* no -x: the suffix decides */
};

static bool begins_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_one_of(const char *text, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(text, *list) == 0)
			return true;
	return false;
}

static bool takes_next_word(const char *option)
{
	return is_one_of(option, with_value) || begins_with(option, "-Xarch_") ||
	       begins_with(option, "-Xopenmp-target=");
}

/* Returns the number of values. Only options of Darwin have several. */
static unsigned count_values(const char *option)
{
	if (strcmp(option, "-sectalign") == 0 || strcmp(option, "-sectcreate") == 0 ||
	    strcmp(option, "-sectorder") == 0 || strcmp(option, "-segcreate") == 0 ||
	    strcmp(option, "-segprot") == 0)
		return 3;
	if (strcmp(option, "-sectobjectsymbols") == 0 || strcmp(option, "-segaddr") == 0)
		return 2;
	return takes_next_word(option);
}

/* Returns how -x makes the compiler treat the inputs after it. */
static enum input input_of_language(enum driver_compiler compiler, const char *language)
{
	if (strcmp(language, "none") == 0)
		return INPUT_BY_NAME;
	if (begins_with(language, "assembler"))
		return INPUT_ASSEMBLER;
	if (strstr(language, "header"))
		return INPUT_HEADER;
	/* clang runs another compiler for Fortran. */
	if (begins_with(language, "f77") || begins_with(language, "f95"))
		return compiler == DRIVER_GCC ? INPUT_OTHER_SOURCE : INPUT_OBJECT;
	if (strcmp(language, "ada") == 0 || strcmp(language, "d") == 0 || strcmp(language, "go") == 0)
		return INPUT_OTHER_SOURCE;
	return INPUT_SOURCE;
}

static enum input input_of_name(enum driver_compiler compiler, const char *name)
{
	static const char *const sources[] = {
		"C", "CC", "CPP", "CXX", "M", "bc", "c", "c++", "c++m", "cc", "ccm", "cir", "cl",
		"clcpp", "clii", "cp", "cpp", "cppm", "cu", "cui", "cxx", "cxxm", "hip", "hipi",
		"i", "ii", "iih", "iim", "ixx", "ll", "m", "mi", "mii", "mm", "pcm", NULL,
	};
	/* Fortran, Ada, D and Go. */
	static const char *const sources_of_gcc[] = {
		"F", "F03", "F08", "F90", "F95", "FOR", "FPP", "FTN", "adb", "ads", "d", "dd", "di", "f", "f03",
		"f08", "f90", "f95", "for", "fpp", "ftn", "go", NULL,
	};
	static const char *const headers[] = {
		"H", "h", "h++", "hh", "hp", "hpp", "hxx", NULL,
	};
	static const char *const assembler[] = {"S", "asm", "s", "sx", NULL};
	const char *dot = strrchr(name, '.');

	/* Standard input is C; without -x, clang reports an error. */
	if (strcmp(name, "-") == 0)
		return INPUT_SOURCE;
	if (!dot || strchr(dot, '/'))
		return INPUT_OBJECT;
	if (is_one_of(dot + 1, sources))
		return INPUT_SOURCE;
	if (compiler == DRIVER_GCC && is_one_of(dot + 1, sources_of_gcc))
		return INPUT_OTHER_SOURCE;
	if (is_one_of(dot + 1, headers))
		return INPUT_HEADER;
	return is_one_of(dot + 1, assembler) ? INPUT_ASSEMBLER : INPUT_OBJECT;
}

static void add_input(struct driver_plan *plan, enum driver_compiler compiler, enum input language, const char *name)
{
	enum input input = language == INPUT_BY_NAME ? input_of_name(compiler, name) : language;

	plan->has_c_source |= input == INPUT_SOURCE;
	plan->has_source |= input == INPUT_SOURCE || input == INPUT_OTHER_SOURCE;
	plan->has_header |= input == INPUT_HEADER;
	plan->has_link_input |= input != INPUT_HEADER;
}

static void stop_at(struct driver_plan *plan, enum driver_stage stage)
{
	if (stage < plan->stage)
		plan->stage = stage;
}

/* GNU ld accepts abbreviations that are unique, with one dash or two. */
static bool is_relocatable(const char *option)
{
	const char *name = option + 1 + (option[0] == '-' && option[1] == '-');

	return option[0] == '-' &&
	       ((begins_with(name, "relo") && begins_with("relocatable", name)) ||
		strcmp(name, "Ur") == 0 || strcmp(option, "-r") == 0 || strcmp(option, "-i") == 0);
}

/* The linker reads response files too; clang does not expand those within -Wl. */
static void read_linker_option(struct driver_plan *plan, const char *option)
{
	struct words words = {NULL, 0, 0, NULL, 0};
	struct stat status;

	plan->relocatable |= is_relocatable(option);
	/* Reading a pipe would take its contents away from the linker. */
	if (option[0] != '@' || stat(option + 1, &status) < 0 || !S_ISREG(status.st_mode))
		return;
	/* The linker reports errors in the file. */
	(void)words_add_argument(&words, option, 0);
	for (size_t i = 0; i < words.count; i++)
		plan->relocatable |= is_relocatable(words.list[i].text);
	words_free(&words);
}

static void read_linker_options(struct driver_plan *plan, const char *list)
{
	char option[PATH_MAX];	/* or the name of a file */
	size_t length;

	for (; *list; list += length + (list[length] == ',')) {
		length = strcspn(list, ",");
		if (length < sizeof option) {
			memcpy(option, list, length);
			option[length] = '\0';
			read_linker_option(plan, option);
		}
	}
}

/* Reads options that consist of one word. */
static void read_option(struct driver_plan *plan, const char *option)
{
	if (is_one_of(option, answers))
		stop_at(plan, DRIVER_STAGE_ANSWER);
	for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
		if (strcmp(option, stops[i].option) == 0)
			stop_at(plan, stops[i].stage);

	if (begins_with(option, "-print-") || begins_with(option, "--print-"))
		stop_at(plan, DRIVER_STAGE_ANSWER);
	else if (begins_with(option, "-fmodule-header=") || begins_with(option, "--analyze"))
		stop_at(plan, DRIVER_STAGE_CHECK);
	else if (begins_with(option, "--driver-mode=") && !strstr(option, "=g") && !strstr(option, "=cpp"))
		stop_at(plan, DRIVER_STAGE_ANSWER);	/* options of clang-cl and others are not clang's */
	else if (strcmp(option, "-r") == 0 || strcmp(option, "--emit-static-lib") == 0)
		plan->relocatable = plan->has_link_input = true;
	else if (strcmp(option, "-static") == 0 || strcmp(option, "--static") == 0 ||
		 strcmp(option, "-static-pie") == 0)
		plan->static_program = true;
	else if (strcmp(option, "-pg") == 0 || strcmp(option, "-p") == 0 ||
		 strcmp(option, "--profile") == 0)
		plan->profiles = true;
	else if (strcmp(option, "-m32") == 0 || strcmp(option, "-m64") == 0 ||
		 strcmp(option, "-mx32") == 0 || strcmp(option, "-m16") == 0)
		plan->word_size = option;
	else if (begins_with(option, "--target="))
		plan->target = option + strlen("--target=");
	else if (begins_with(option, "-Wl,")) {
		plan->has_link_input = true;
		read_linker_options(plan, option + strlen("-Wl,"));
	} else if (begins_with(option, "--for-linker=")) {
		plan->has_link_input = true;
		read_linker_option(plan, option + strlen("--for-linker="));
	} else if (begins_with(option, "-l"))
		plan->has_link_input = true;
}

/* Reads an option and the word after it. */
static void read_option_with_value(struct driver_plan *plan, const char *option, const char *value)
{
	if (strcmp(option, "-Xlinker") == 0 || strcmp(option, "--for-linker") == 0) {
		plan->has_link_input = true;
		read_linker_option(plan, value);
	} else if (strcmp(option, "-l") == 0 || strcmp(option, "-z") == 0 ||
		   strcmp(option, "-e") == 0 || strcmp(option, "-rpath") == 0) {
		plan->has_link_input = true;
	} else if (strcmp(option, "-target") == 0) {
		plan->target = value;
	} else if (begins_with(option, "--print-")) {
		stop_at(plan, DRIVER_STAGE_ANSWER);
	} else if (strcmp(option, "-Xclang") == 0) {
		if (strcmp(value, "-pg") == 0)
			plan->profiles = true;
		if (strcmp(value, "-disable-llvm-passes") == 0 ||
		    strcmp(value, "-disable-llvm-optzns") == 0)
			plan->no_passes = true;
	}
}

/* Adds the patterns of one option to @list. Returns 1, or -EINVAL. */
static int add_patterns(char **list, const char *option, const char *patterns, char *message, size_t size)
{
	char *joined = NULL;

	if (spoor_patterns_check(patterns) < 0) {
		snprintf(message, size, "%s: invalid patterns: use globs of function names such as 'handle_*,-handle_int'", option);
		return -EINVAL;
	}
	if (asprintf(&joined, "%s%s%s", *list ? *list : "", *list ? "," : "", patterns) < 0) {
		snprintf(message, size, "out of memory");
		return -EINVAL;
	}
	free(*list);
	*list = joined;
	return 1;
}

/* Reads the options -fspoor*, -fno-spoor and --compiler=. Returns 1 if @option is one, 0 if not, or -EINVAL. */
static int read_our_option(struct driver_plan *plan, const char *option, int *link, char *message,
			   size_t size)
{
	const char *mode = "-fspoor-mode=", *keep = "-fspoor-keep=", *calls = "-fspoor-calls=", *choice = "--compiler=";

	if (strcmp(option, "-fspoor") == 0) {
		plan->instrument = true;
	} else if (strcmp(option, "-fno-spoor") == 0) {
		plan->instrument = false;
	} else if (strcmp(option, "-fspoor-shared") == 0) {
		*link = 1;
		plan->link_runtime = false;
	} else if (strcmp(option, "-fspoor-runtime") == 0) {
		*link = 1;
		plan->link_runtime = true;
	} else if (begins_with(option, mode)) {
		const char *word = option + strlen(mode);

		if (strcmp(word, "sled") != 0 && strcmp(word, "call") != 0 && strcmp(word, "order") != 0) {
			snprintf(message, size, "%s: unknown mode: use sled, call or order", option);
			return -EINVAL;
		}
		plan->mode = word;
	} else if (strcmp(option, "-fspoor-before-inlining") == 0) {
		plan->before_inlining = true;
	} else if (strcmp(option, "-fno-spoor-before-inlining") == 0) {
		plan->before_inlining = false;
	} else if (begins_with(option, keep)) {
		return add_patterns(&plan->keep, option, option + strlen(keep), message, size);
	} else if (strcmp(option, "-fspoor-calls") == 0) {
		return add_patterns(&plan->calls, option, "default", message, size);
	} else if (begins_with(option, calls)) {
		return add_patterns(&plan->calls, option, option + strlen(calls), message, size);
	} else if (strcmp(option, "-fno-spoor-calls") == 0) {
		free(plan->calls);
		plan->calls = NULL;
	} else if (begins_with(option, choice)) {
		plan->compiler = option + strlen(choice);
	} else if (begins_with(option, "-fspoor") || begins_with(option, "-fno-spoor")) {
		snprintf(message, size, "%s: unknown option: use -fspoor, -fno-spoor, -fspoor-shared, -fspoor-runtime, "
			 "-fspoor-mode=, -fspoor-keep=, -fspoor-calls or -fspoor-before-inlining",
			 option);
		return -EINVAL;
	} else {
		return 0;
	}
	return 1;
}

int driver_plan_make(struct driver_plan *plan, enum driver_compiler compiler, struct words *words, char *message,
		     size_t size)
{
	enum input language = INPUT_BY_NAME;
	bool only_inputs = false;
	int link = -1;

	*plan = (struct driver_plan){.stage = DRIVER_STAGE_LINK, .instrument = true};
	for (size_t i = 0; i < words->count; i++) {
		const char *word = words->list[i].text;
		unsigned values;
		int ours;

		if (only_inputs || word[0] != '-' || !word[1]) {
			add_input(plan, compiler, language, word);
			continue;
		}
		if (strcmp(word, "--") == 0) {
			only_inputs = true;
			continue;
		}
		ours = read_our_option(plan, word, &link, message, size);
		if (ours < 0)
			return ours;
		words->list[i].ours = ours > 0;

		values = count_values(word);
		if (values && i + values < words->count) {
			const char *value = words->list[i + 1].text;

			if (strcmp(word, "-x") == 0 || strcmp(word, "--language") == 0)
				language = input_of_language(compiler, value);
			else
				read_option_with_value(plan, word, value);
			i += values;
		} else if (begins_with(word, "-x")) {
			language = input_of_language(compiler, word + 2);
		} else if (begins_with(word, "--language=")) {
			language = input_of_language(compiler, word + strlen("--language="));
		} else {
			read_option(plan, word);
		}
	}
	plan->link_stub = link >= 0 ? link : plan->instrument;
	if (plan->calls && plan->mode && strcmp(plan->mode, "sled") != 0) {
		snprintf(message, size, "-fspoor-calls: only functions with sleds can record library calls: use it without "
			 "-fspoor-mode=%s", plan->mode);
		return -EINVAL;
	}
	return 0;
}
