/* SPDX-License-Identifier: MIT */
/*
 * show_configuration.c - spoor config: shows what the runtime would do in a process with this
 * environment, as a configuration file with a comment on each value's origin.
 *
 * The runtime's own code reads the file and the environment, so both agree.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/warning.h"
#include "base/commands.h"
#include "config/configuration.h"
#include "base/fitted.h"
#include "base/message.h"
#include "base/command_options.h"

/* Writes a basic string of TOML. */
static void show_string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;

		if (byte == '"' || byte == '\\')
			printf("\\%c", byte);
		else if (byte < 0x20 || byte == 0x7f)
			printf("\\u%04x", byte);
		else
			putchar(byte);
	}
	putchar('"');
}

/* The path is expanded already, so a '$' must be escaped. */
static void show_path(const char *path)
{
	char literal[2 * PATH_MAX], *at = literal;

	for (; *path; path++) {
		if (*path == '$')
			*at++ = '$';
		*at++ = *path;
	}
	*at = '\0';
	show_string(literal);
}

static void show_origin(const struct spoor_configuration *configuration, const char *key, uint32_t origin)
{
	if (origin == SPOOR_ORIGIN_DEFAULT) {
		printf("default");
	} else if (origin == SPOOR_ORIGIN_ENVIRONMENT) {
		printf("SPOOR_RUNTIME_");
		for (; *key; key++)
			putchar(*key >= 'a' && *key <= 'z' ? *key - 'a' + 'A' : *key);
	} else {
		printf("%s:%" PRIu32, configuration->config_file, origin);
	}
}

static void show_key(const struct spoor_configuration *configuration, uint32_t position, const struct spoor_key *key)
{
	uint32_t origin = configuration->origins[position];
	bool is_session = strcmp(key->name, "session_id") == 0;
	char text[PATH_MAX];

	if ((strcmp(key->name, "recorder") == 0 || strcmp(key->name, "start") == 0) && origin == SPOOR_ORIGIN_DEFAULT)
		return;
	spoor_configuration_text(configuration, position, text, sizeof(text));
	printf("\n# %s\n", key->meaning);
	if (key->kind == SPOOR_KEY_NUMBER)
		printf("# %" PRIu64 " to %" PRIu64 "\n", key->least, key->most);
	/* The default differs in each run. */
	if (is_session && origin == SPOOR_ORIGIN_DEFAULT) {
		printf("#session_id =");
	} else {
		printf("%s = ", key->name);
		if (strcmp(key->name, "trace_path") == 0 || strcmp(key->name, "handler") == 0)
			show_path(text);
		else if (key->kind == SPOOR_KEY_TEXT)
			show_string(text);
		else
			fputs(text, stdout);
	}
	printf("  # ");
	show_origin(configuration, key->name, origin);
	putchar('\n');
}

static const char help[] =
	"Usage: spoor config [OPTION]...\n"
	"Show the runtime's configuration for a program that is started with this environment,\n"
	"and where each value comes from: a default, the file that\n"
	"SPOOR_RUNTIME_CONFIG_FILE names, or a variable. The output is a valid file of this kind.\n"
	"\n"
	"  -q, --quiet           print only warnings and errors\n"
	"      --help            show this and exit\n"
	"\n"
	"The exit status is 0 for success, 1 if the configuration is invalid, so that a program\n"
	"would run untraced, and 2 for a wrong command line. spoor-config(1) describes the keys.\n";

int config_main(int argc, char **argv)
{
	static const struct option options[] = { { "help", no_argument, NULL, 'h' }, { 0 } };
	static struct spoor_configuration configuration;
	const struct spoor_key *key;
	int option;

	while ((option = options_next(argc, argv, "", options)) != -1) {
		if (option != 'h')
			return message_usage(NULL);
		fitted_help(help);
		return SPOOR_EXIT_GOOD;
	}
	if (optind < argc)
		return message_usage("unexpected argument '%s': config takes no arguments", argv[optind]);
	spoor_warning_begin();
	if (spoor_configuration_read(&configuration) < 0)
		return SPOOR_EXIT_BAD_TRACE;
	printf("# The configuration of spoor's runtime.\n# File: %s\n",
	       configuration.config_file[0] ? configuration.config_file : "none (SPOOR_RUNTIME_CONFIG_FILE is not set)");
	for (uint32_t i = 0; (key = spoor_configuration_key(i)); i++)
		show_key(&configuration, i, key);
	return SPOOR_EXIT_GOOD;
}
