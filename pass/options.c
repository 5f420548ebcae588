/* SPDX-License-Identifier: MIT */
/* options.c - the table of options, and the valid values. */
#define _GNU_SOURCE
#include "pass/options.h"

#include "text/expansion.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const languages[] = {
	[SPOOR_LANGUAGE_BITCODE] = "bitcode", [SPOOR_LANGUAGE_IR] = "ir", NULL,
};

static const char *const modes[] = {
	[SPOOR_MEANS_SLED] = "sled", [SPOOR_MEANS_CALL] = "call", [SPOOR_MEANS_ORDER] = "order", NULL,
};

#define AT(member) offsetof(struct spoor_options, member)

static const struct spoor_option table[] = {
	{"before_inlining", SPOOR_OPTION_BOOLEAN, "false",
	 "keep all functions from being inlined that are instrumented", AT(before_inlining), NULL},
	{"enable_runtime", SPOOR_OPTION_BOOLEAN, "true",
	 "the program starts with tracing enabled", AT(enable_runtime), NULL},
	{"filters_file", SPOOR_OPTION_PATH, "none",
	 "rules that select the functions to instrument", AT(filters_file), NULL},
	{"force_binary_output", SPOOR_OPTION_BOOLEAN, "false",
	 "write bitcode even to a terminal", AT(force_binary_output), NULL},
	{"initialize_runtime", SPOOR_OPTION_BOOLEAN, "true",
	 "the program starts with the runtime initialized", AT(initialize_runtime), NULL},
	{"inject_instrumentation", SPOOR_OPTION_BOOLEAN, "true",
	 "instrument; false: copy the code unchanged", AT(inject_instrumentation), NULL},
	{"keep", SPOOR_OPTION_TEXT, "none",
	 "keep functions with these names (patterns) from being inlined", AT(keep), NULL},
	{"library_calls", SPOOR_OPTION_TEXT, "none",
	 "record calls of library functions with these names (patterns) at their callers", AT(library_calls), NULL},
	{"mode", SPOOR_OPTION_WORD, "sled",
	 "what to insert: sled, call or order", AT(mode), modes},
	{"module_id", SPOOR_OPTION_TEXT, "none",
	 "the unit's name (default: derived from its content)", AT(module_id), NULL},
	{"output_file", SPOOR_OPTION_PATH, "-",
	 "output file; -: standard output", AT(output_file), NULL},
	{"output_language", SPOOR_OPTION_WORD, "bitcode",
	 "output format: bitcode or ir", AT(output_language), languages},
	{"output_symbols_file", SPOOR_OPTION_PATH, "none",
	 "file for a description of the unit's functions", AT(output_symbols_file), NULL},
};
#define OPTION_COUNT (sizeof table / sizeof *table)

const struct spoor_option *spoor_option_at(size_t position)
{
	return position < OPTION_COUNT ? &table[position] : NULL;
}

const struct spoor_option *spoor_option_find(const char *name)
{
	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	return NULL;
}

static int __attribute__((format(printf, 3, 4)))
refuse(const struct spoor_option_setting *setting, struct spoor_fault *fault, const char *format, ...)
{
	va_list arguments;
	int used = snprintf(fault->text, sizeof fault->text, "%.600s: ", setting->source);

	va_start(arguments, format);
	vsnprintf(fault->text + used, sizeof fault->text - (size_t)used, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

static int no_memory(struct spoor_fault *fault)
{
	snprintf(fault->text, sizeof fault->text, "out of memory");
	return -ENOMEM;
}

/* Accepts the same words as Spoor. Returns 1, 0, or -EINVAL. */
static int read_boolean(const char *value)
{
	static const char *const yes[] = {"true", "t", "yes", "y", "1"};
	static const char *const no[] = {"false", "f", "no", "n", "0"};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
		if (strcasecmp(value, yes[i]) == 0)
			return 1;
		if (strcasecmp(value, no[i]) == 0)
			return 0;
	}
	return -EINVAL;
}

static int replace(char **text, char *with, struct spoor_fault *fault)
{
	if (!with)
		return no_memory(fault);
	free(*text);
	*text = with;
	return 0;
}

static int set_path(char **path, const struct spoor_option_setting *setting, struct spoor_fault *fault)
{
	char expanded[PATH_MAX], *whole = NULL;
	const char *wrong, *value = setting->value;

	if (!setting->is_expanded) {
		if (spoor_expand(value, expanded, sizeof expanded, &wrong) < 0)
			return refuse(setting, fault, "%s", wrong);
		value = expanded;
	}
	if (!setting->folder || value[0] == '/' || value[0] == '\0' || strcmp(value, "-") == 0)
		return replace(path, strdup(value), fault);
	if (asprintf(&whole, "%s/%s", setting->folder, value) < 0)
		whole = NULL;
	return replace(path, whole, fault);
}

static int set_word(int *number, const struct spoor_option *option, const struct spoor_option_setting *setting,
		    struct spoor_fault *fault)
{
	char list[128] = "";

	for (int i = 0; option->words[i]; i++) {
		if (strcasecmp(setting->value, option->words[i]) == 0) {
			*number = i;
			return 0;
		}
		snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s",
			 i == 0 ? "" : option->words[i + 1] ? ", " : " or ", option->words[i]);
	}
	return refuse(setting, fault, "unknown value \"%.200s\": use %s", setting->value, list);
}

static int set(struct spoor_options *options, const struct spoor_option *option,
	       const struct spoor_option_setting *setting, struct spoor_fault *fault)
{
	void *place = (char *)options + option->offset;
	int truth;

	switch (option->kind) {
	case SPOOR_OPTION_BOOLEAN:
		truth = setting->is_typed && !setting->is_boolean ? -EINVAL : read_boolean(setting->value);
		if (truth < 0)
			return refuse(setting, fault, setting->is_typed ? "must be true or false, without quotes" :
				      "unknown value \"%.200s\": use true or false", setting->value);
		*(bool *)place = truth;
		return 0;
	case SPOOR_OPTION_TEXT:
		return replace(place, strdup(setting->value), fault);
	case SPOOR_OPTION_PATH:
		return set_path(place, setting, fault);
	case SPOOR_OPTION_WORD:
		return set_word(place, option, setting, fault);
	}
	return -EINVAL;
}

int spoor_options_set(struct spoor_options *options, const struct spoor_option_setting *setting,
		      struct spoor_fault *fault)
{
	const struct spoor_option *option = spoor_option_find(setting->key);
	struct spoor_option_setting trimmed = *setting;
	size_t length;
	char *value;
	int result;

	if (!option)
		return refuse(setting, fault, "unknown option: 'spoor_opt --help' lists the options");
	if (setting->is_typed && option->kind != SPOOR_OPTION_BOOLEAN && !setting->is_string)
		return refuse(setting, fault, "must be a string, in quotes");
	/* As in Spoor, blanks around words in the environment are ignored. In paths they are significant. */
	value = strdup(setting->value);
	if (!value)
		return no_memory(fault);
	trimmed.value = value;
	if (option->kind == SPOOR_OPTION_BOOLEAN || option->kind == SPOOR_OPTION_WORD) {
		trimmed.value += strspn(value, " \t\r\n");
		length = strlen(trimmed.value);
		while (length && isspace((unsigned char)trimmed.value[length - 1]))
			length--;
		value[trimmed.value - value + (ptrdiff_t)length] = '\0';
	}
	result = set(options, option, &trimmed, fault);
	if (result == 0 && option->offset == AT(filters_file))
		result = replace(&options->filters_file_source, strdup(setting->source), fault);
	free(value);
	return result;
}

int spoor_options_begin(struct spoor_options *options)
{
	*options = (struct spoor_options){
		.enable_runtime = true,
		.initialize_runtime = true,
		.inject_instrumentation = true,
		.output_language = SPOOR_LANGUAGE_BITCODE,
		.filters_file = strdup(""),
		.keep = strdup(""),
		.library_calls = strdup(""),
		.module_id = strdup(""),
		.output_file = strdup("-"),
		.output_symbols_file = strdup(""),
		.filters_file_source = strdup(""),
	};
	return options->filters_file && options->keep && options->library_calls && options->module_id && options->output_file && options->output_symbols_file &&
	       options->filters_file_source ? 0 : -ENOMEM;
}

void spoor_options_free(struct spoor_options *options)
{
	free(options->filters_file);
	free(options->keep);
	free(options->library_calls);
	free(options->module_id);
	free(options->output_file);
	free(options->output_symbols_file);
	free(options->filters_file_source);
	memset(options, 0, sizeof *options);
}
