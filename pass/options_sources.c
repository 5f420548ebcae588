/* SPDX-License-Identifier: MIT */
/* options_sources.c - reads options from spoor_config.toml and SPOOR_INSTRUMENTATION_*. */
#define _GNU_SOURCE
#include "pass/options_sources.h"

#include "text/file_bytes.h"
#include "text/toml.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "SPOOR_INSTRUMENTATION_"
#define FILE_NAME "spoor_config.toml"

extern char **environ;

static int take_pair(struct spoor_options *options, const char *path, const char *folder, uint32_t line,
		     const struct spoor_toml_pair *pair, struct spoor_fault *fault)
{
	char source[PATH_MAX + SPOOR_TOML_KEY_BYTES + 16];
	struct spoor_option_setting setting = {
		.source = source,
		.key = pair->key,
		.value = pair->text,
		.is_typed = true,
		.is_string = pair->kind == SPOOR_TOML_STRING,
		.is_boolean = pair->kind == SPOOR_TOML_BOOLEAN,
		.folder = folder,
	};

	snprintf(source, sizeof source, "%s:%u: %s", path, line, pair->key);
	if (setting.is_boolean)
		setting.value = pair->boolean ? "true" : "false";
	else if (!setting.is_string)
		setting.value = "a number";
	return spoor_options_set(options, &setting, fault);
}

static int take_text(struct spoor_options *options, const char *path, const char *folder, const char *bytes,
		     size_t size, struct spoor_fault *fault)
{
	uint32_t lines[64] = {0};
	struct spoor_toml_pair pair;
	struct spoor_toml toml;
	int more, result;

	spoor_toml_begin(&toml, bytes, size);
	while ((more = spoor_toml_next(&toml, &pair)) > 0) {
		const struct spoor_option *option = spoor_option_find(pair.key);

		result = take_pair(options, path, folder, toml.line, &pair, fault);
		if (result < 0)
			return result;
		if (lines[option - spoor_option_at(0)]) {
			snprintf(fault->text, sizeof fault->text, "%.600s:%u: %s: duplicate of line %u", path,
				 toml.line, pair.key, lines[option - spoor_option_at(0)]);
			return -EINVAL;
		}
		lines[option - spoor_option_at(0)] = toml.line;
	}
	if (more < 0)
		snprintf(fault->text, sizeof fault->text, "%.600s:%u: %s", path, toml.line, toml.fault);
	return more;
}

/* Finds the file in the working directory or the nearest folder above it. */
static int find_file(char path[PATH_MAX + sizeof FILE_NAME + 1], struct spoor_fault *fault)
{
	char *slash;

	if (!getcwd(path, PATH_MAX)) {
		/* A working directory that was removed has no folders above it. */
		if (errno == ENOENT)
			return -ENOENT;
		snprintf(fault->text, sizeof fault->text,
			 "cannot search for " FILE_NAME ": the working directory is unknown: %s", strerror(errno));
		return -EINVAL;
	}
	if (strcmp(path, "/") == 0)
		path[0] = '\0';
	for (;;) {
		size_t length = strlen(path);

		strcpy(path + length, "/" FILE_NAME);
		if (access(path, F_OK) == 0)
			return 0;
		if (errno != ENOENT && errno != ENOTDIR) {
			snprintf(fault->text, sizeof fault->text, "%.600s: %s", path, strerror(errno));
			return -EINVAL;
		}
		path[length] = '\0';
		slash = strrchr(path, '/');
		if (!slash)
			return -ENOENT;
		*slash = '\0';
	}
}

static int take_file(struct spoor_options *options, struct spoor_fault *fault)
{
	char path[PATH_MAX + sizeof FILE_NAME + 1], folder[PATH_MAX + sizeof FILE_NAME + 1];
	size_t size;
	char *bytes;
	int error = find_file(path, fault);

	if (error < 0)
		return error == -ENOENT ? 0 : error;
	strcpy(folder, path);
	*strrchr(folder, '/') = '\0';
	error = file_bytes_read(path, FILE_BYTES_TEXT_MAX, &bytes, &size);
	if (error < 0) {
		snprintf(fault->text, sizeof fault->text, "cannot read %.600s: %s", path, strerror(-error));
		return error;
	}
	error = take_text(options, path, folder, bytes, size, fault);
	free(bytes);
	return error;
}

static int take_variable(struct spoor_options *options, const char *variable, struct spoor_fault *fault)
{
	const char *value = strchr(variable, '=') + 1;
	char source[128], key[sizeof source];
	struct spoor_option_setting setting = {.source = source, .key = key, .value = value};

	snprintf(source, sizeof source, "%.*s", (int)(value - 1 - variable), variable);
	/* Only names in upper case are variables: lower case is the spelling in the file. */
	snprintf(key, sizeof key, "%s", source + strlen(PREFIX));
	for (char *at = key; *at; at++)
		*at = islower((unsigned char)*at) ? '?' : (char)tolower((unsigned char)*at);
	return spoor_options_set(options, &setting, fault);
}

int spoor_options_read(struct spoor_options *options, struct spoor_fault *fault)
{
	int result = take_file(options, fault);

	for (char **variable = environ; result == 0 && variable && *variable; variable++)
		if (strncmp(*variable, PREFIX, strlen(PREFIX)) == 0 && strchr(*variable, '='))
			result = take_variable(options, *variable, fault);
	return result;
}
