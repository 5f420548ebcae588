/* SPDX-License-Identifier: MIT */
/* configuration_sources.c - reads settings from SPOOR_RUNTIME_* and from the file that one of them names. */
#define _GNU_SOURCE
#include "config/configuration_sources.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text/expansion.h"
#include "base/memory.h"
#include "base/warning.h"
#include "text/toml.h"

#define PREFIX "SPOOR_RUNTIME_"
#define FILE_KEY "CONFIG_FILE"
#define FILE_BYTES_MAX (256u << 10)

extern char **environ;

static int take_pair(struct spoor_configuration *configuration, uint32_t line, const struct spoor_toml_pair *pair)
{
	static const enum spoor_key_kind kinds[] = {
		[SPOOR_TOML_STRING] = SPOOR_KEY_TEXT,
		[SPOOR_TOML_INTEGER] = SPOOR_KEY_NUMBER,
		[SPOOR_TOML_BOOLEAN] = SPOOR_KEY_BOOLEAN,
	};
	char source[PATH_MAX + SPOOR_TOML_KEY_BYTES + 16], number[32];
	struct spoor_setting setting = {
		.source = source,
		.assignment = " = ",
		.key = pair->key,
		.value = pair->text,
		.has_value = true,
		.kind = kinds[pair->kind],
		.origin = line,
	};

	/* Show the end of a long path, which identifies it better than the begin. */
	snprintf(source, sizeof(source), "%s:%u: %s",
		 configuration->config_file + (strlen(configuration->config_file) > 200
					       ? strlen(configuration->config_file) - 200 : 0), line, pair->key);
	if (pair->kind == SPOOR_TOML_INTEGER) {
		snprintf(number, sizeof(number), "%s%llu", pair->negative && pair->number ? "-" : "",
			 (unsigned long long)pair->number);
		setting.value = number;
	} else if (pair->kind == SPOOR_TOML_BOOLEAN) {
		setting.value = pair->boolean ? "true" : "false";
	}
	return spoor_configuration_set(configuration, &setting);
}

static int take_text(struct spoor_configuration *configuration, const void *bytes, size_t size)
{
	struct spoor_toml_pair pair;
	struct spoor_toml toml;
	int more;

	spoor_toml_begin(&toml, bytes, size);
	while ((more = spoor_toml_next(&toml, &pair)) > 0) {
		if (take_pair(configuration, toml.line, &pair) < 0)
			return -EINVAL;
	}
	if (more < 0)
		spoor_warning("%.500s:%u: %s; the program runs untraced", configuration->config_file, toml.line,
			      toml.fault);
	return more;
}

/* Returns the number of bytes read, or a negative errno. */
static long read_file(const char *path, char *bytes, size_t size)
{
	struct stat status = { 0 };
	size_t used = 0;
	ssize_t got;
	/* Neither a FIFO nor a terminal must block the program. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
		close(fd);
		return S_ISDIR(status.st_mode) ? -EISDIR : -ENOTSUP;
	}
	while ((got = read(fd, bytes + used, size - used)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		used += (size_t)got;
	}
	got = got < 0 ? -errno : (ssize_t)used;
	close(fd);
	return used == size ? -EFBIG : got;
}

static int take_file(struct spoor_configuration *configuration, const char *name)
{
	const char *fault;
	char *bytes;
	long size;
	int error;

	if (spoor_expand(name, configuration->config_file, sizeof(configuration->config_file), &fault) < 0) {
		spoor_warning(PREFIX FILE_KEY "=%.300s has %s; the program runs untraced", name, fault);
		return -EINVAL;
	}
	bytes = spoor_memory_map(FILE_BYTES_MAX);
	size = bytes ? read_file(configuration->config_file, bytes, FILE_BYTES_MAX) : -ENOMEM;
	if (size < 0) {
		spoor_warning(PREFIX FILE_KEY "=%.300s cannot be read: %s; the program runs untraced", name,
			      size == -ENOTSUP ? "it is not a regular file" : strerror((int)-size));
		error = -EINVAL;
	} else {
		error = take_text(configuration, bytes, (size_t)size);
	}
	spoor_memory_unmap(bytes, FILE_BYTES_MAX);
	return error;
}

static int take_variable(struct spoor_configuration *configuration, const char *variable)
{
	const char *name = variable + strlen(PREFIX), *value = strchr(name, '=');
	char source[128], key[sizeof(source)];
	struct spoor_setting setting = {
		.source = source,
		.assignment = "=",
		.key = key,
		.value = value + 1,
		.has_value = true,
		.any_kind = true,
		.origin = SPOOR_ORIGIN_ENVIRONMENT,
	};
	size_t length = (size_t)(value - variable);

	if (length >= sizeof(source)) {
		spoor_warning("%.80s... is not a key of this version: 'spoor config' lists the keys; "
			      "the program runs untraced", variable);
		return -EINVAL;
	}
	memcpy(source, variable, length);
	source[length] = '\0';
	if (strcmp(source, PREFIX FILE_KEY) == 0)
		return 0;
	/* Variables are in upper case, keys in lower case. A '?' makes a lower-case variable unknown. */
	strcpy(key, source + strlen(PREFIX));
	for (char *at = key; *at; at++)
		*at = *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at >= 'a' && *at <= 'z' ? '?' : *at;
	return spoor_configuration_set(configuration, &setting);
}

int spoor_sources_read(struct spoor_configuration *configuration)
{
	const char *file = getenv(PREFIX FILE_KEY);

	if (file && file[0] && take_file(configuration, file) < 0)
		return -EINVAL;
	for (char **variable = environ; variable && *variable; variable++) {
		if (strncmp(*variable, PREFIX, strlen(PREFIX)) == 0 && strchr(*variable, '=') &&
		    take_variable(configuration, *variable) < 0)
			return -EINVAL;
	}
	return 0;
}
