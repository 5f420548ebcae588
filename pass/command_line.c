/* SPDX-License-Identifier: MIT */
/* command_line.c - parses spoor_opt's command line, and prints its help. */
#define _GNU_SOURCE
#include "pass/command_line.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Returns the name of an option without its dashes, or null if @argument is not an option. */
static const char *option_name(const char *argument)
{
	if (argument[0] != '-' || argument[1] == '\0')
		return NULL;
	return argument + (argument[1] == '-' ? 2 : 1);
}

enum command_line_wish command_line_wish(int argc, char **argv, const char **about)
{
	/* All of them print the same text, which has all options. */
	static const char *const helps[] = { "help", "helpfull", "helpshort" };

	*about = "";
	for (int i = 1; i < argc; i++) {
		const char *name = option_name(argv[i]);

		if (name && *name == '\0')
			break;
		for (size_t j = 0; name && j < sizeof helps / sizeof *helps; j++)
			if (strcmp(name, helps[j]) == 0)
				return COMMAND_LINE_HELP;
		if (name && strncmp(name, "help=", 5) == 0) {
			*about = name + 5;
			return COMMAND_LINE_HELP;
		}
		if (strcmp(argv[i], "-h") == 0)
			return COMMAND_LINE_HELP;
		if (name && strcmp(name, "version") == 0)
			return COMMAND_LINE_VERSION;
	}
	return COMMAND_LINE_RUN;
}

static int refuse(struct spoor_fault *fault, const char *what, const char *why)
{
	snprintf(fault->text, sizeof fault->text, "%.600s: %s", what, why);
	return -EINVAL;
}

static int take_input(struct command_line *line, const char *argument, struct spoor_fault *fault)
{
	if (line->input)
		return refuse(fault, argument, "too many arguments: spoor_opt reads one file");
	line->input = argument;
	return 0;
}

/* Returns how many more arguments the option took, or a negative errno. */
static int take_option(const char *name, const char *next, struct spoor_options *options, struct spoor_fault *fault)
{
	char key[64], source[sizeof key + 2];
	const char *equals = strchr(name, '=');
	struct spoor_option_setting setting = {.source = source, .key = key, .is_expanded = true};
	const struct spoor_option *option;
	int result, taken = 0;

	snprintf(key, sizeof key, "%.*s", (int)(equals ? equals - name : (long)strlen(name)), name);
	snprintf(source, sizeof source, "--%s", key);
	option = spoor_option_find(key);
	if (!option && !equals && strncmp(key, "no", 2) == 0) {
		option = spoor_option_find(key + 2);
		if (option && option->kind == SPOOR_OPTION_BOOLEAN) {
			setting.key = key + 2;
			setting.value = "false";
		}
	}
	if (!setting.value && equals) {
		setting.value = equals + 1;
	} else if (!setting.value && option && option->kind == SPOOR_OPTION_BOOLEAN) {
		setting.value = "true";
	} else if (!setting.value && option) {
		setting.value = next;
		taken = 1;
	}
	if (!option)
		return refuse(fault, source, "unknown option: 'spoor_opt --help' lists the options");
	if (!setting.value)
		return refuse(fault, source, "the value is missing: use --OPTION=VALUE");
	result = spoor_options_set(options, &setting, fault);
	return result < 0 ? result : taken;
}

int command_line_read(struct command_line *line, int argc, char **argv, struct spoor_options *options,
		      struct spoor_fault *fault)
{
	bool only_input = false;

	*line = (struct command_line){.wish = COMMAND_LINE_RUN};
	for (int i = 1; i < argc; i++) {
		const char *name = only_input ? NULL : option_name(argv[i]);
		int result;

		if (name && *name == '\0') {
			only_input = true;
			continue;
		}
		if (!name)
			result = take_input(line, argv[i], fault);
		else
			result = take_option(name, argv[i + 1], options, fault);
		if (result < 0)
			return result;
		i += result;
	}
	if (!line->input)
		line->input = "-";
	return 0;
}

/* Prints the option if its text contains @about. Returns whether it does. */
static bool print_option(const char *about, const char *name, const char *value, const char *meaning, const char *standard)
{
	char shown[64];

	if (!strcasestr(name, about) && !strcasestr(meaning, about))
		return false;
	snprintf(shown, sizeof shown, "--%s%s", name, value);
	printf("  %-28s %s", shown, meaning);
	if (standard)
		printf(" (default: %s)", standard);
	putchar('\n');
	return true;
}

bool command_line_help(const char *about)
{
	const struct spoor_option *option;
	bool found = false;

	if (!*about)
		puts("Usage: spoor_opt [OPTION]... [FILE]\n"
		     "\n"
		     "Instrument LLVM bitcode or IR. Read FILE or standard input, and write to standard\n"
		     "output or --output_file.\n");
	for (size_t i = 0; (option = spoor_option_at(i)); i++)
		found |= print_option(about, option->name,
				      option->kind == SPOOR_OPTION_BOOLEAN ? "" :
				      option->kind == SPOOR_OPTION_PATH ? "=FILE" : "=TEXT",
				      option->meaning, option->standard);
	found |= print_option(about, "help", "[=TEXT]", "print this help; with TEXT, only options that contain TEXT",
			      NULL);
	found |= print_option(about, "helpfull", "", "print this help", NULL);
	found |= print_option(about, "helpshort", "", "print this help", NULL);
	found |= print_option(about, "version", "", "print the versions of spoor and LLVM", NULL);
	if (!*about)
		puts("\n"
		     "Examples:\n"
		     "  clang -O2 -c -emit-llvm -o - a.c | spoor_opt | clang -O2 -x ir -c - -o a.o\n"
		     "  spoor_opt --output_language=ir a.bc | less\n"
		     "\n"
		     "Options can also be set in the environment (SPOOR_INSTRUMENTATION_OUTPUT_LANGUAGE,\n"
		     "...) and in a file spoor_config.toml, in the working directory or the nearest directory\n"
		     "above it. The command line takes precedence over the environment, and the environment\n"
		     "over the file. See spoor_opt(1).");
	return found;
}
