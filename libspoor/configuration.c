/* SPDX-License-Identifier: MIT */
/* configuration.c - SPOOR_RUNTIME_* from the environment, checked. */
#define _GNU_SOURCE
#include "configuration.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "message.h"
#include "pattern.h"
#include "pool_format.h"

#define PREFIX "SPOOR_RUNTIME_"

extern char **environ;

static int set_text(char *field, size_t size, const char *key, const char *value)
{
	if (strlen(value) >= size) {
		spoor_message(PREFIX "%s is longer than %zu characters; nothing is traced", key, size - 1);
		return -EINVAL;
	}
	strcpy(field, value);
	return 0;
}

static int set_patterns(char *field, size_t size, const char *key, const char *value)
{
	if (spoor_patterns_check(value) < 0) {
		spoor_message(PREFIX "%s=%s is no list of patterns such as 'libfoo*,-libbar.so'; "
			      "nothing is traced", key, value);
		return -EINVAL;
	}
	return set_text(field, size, key, value);
}

static int set_number(uint64_t *field, const char *key, const char *value, uint64_t least, uint64_t most)
{
	char *end;
	unsigned long long number;

	errno = 0;
	number = strtoull(value, &end, 0);
	if (errno || end == value || *end || *value == '-' || number < least || number > most) {
		spoor_message(PREFIX "%s=%s is no whole number from %llu to %llu; nothing is traced", key,
			      value, (unsigned long long)least, (unsigned long long)most);
		return -EINVAL;
	}
	*field = number;
	return 0;
}

static int set(struct spoor_configuration *configuration, const char *key, const char *value)
{
	if (strcmp(key, "MODULES") == 0)
		return set_patterns(configuration->modules, sizeof(configuration->modules), key, value);
	if (strcmp(key, "FUNCTIONS") == 0)
		return set_patterns(configuration->functions, sizeof(configuration->functions), key, value);
	if (strcmp(key, "TRACE_PATH") == 0)
		return set_text(configuration->trace_path, sizeof(configuration->trace_path), key, value);
	if (strcmp(key, "RECORDER") == 0)
		return set_text(configuration->recorder, sizeof(configuration->recorder), key, value);
	if (strcmp(key, "SESSION_ID") == 0)
		return set_number(&configuration->session_id, key, value, 0, UINT64_MAX);
	if (strcmp(key, "DYNAMIC_EVENT_POOL_CAPACITY") == 0)
		return set_number(&configuration->pool_events, key, value, 64 * SPOOR_SLICE_WORDS,
				  (uint64_t)SPOOR_POOL_SLICE_COUNT_MAX * SPOOR_SLICE_WORDS);
	if (strcmp(key, "MODE") == 0) {
		if (strcmp(value, "log") == 0)
			configuration->mode = SPOOR_MODE_LOG;
		else if (strcmp(value, "off") == 0)
			configuration->mode = SPOOR_MODE_OFF;
		else
			goto bad_mode;
		return 0;
	}
	spoor_message(PREFIX "%s is no key of this version; nothing is traced", key);
	return -EINVAL;
bad_mode:
	spoor_message(PREFIX "MODE=%s is neither 'log' nor 'off'; nothing is traced", value);
	return -EINVAL;
}

/* A quarter of a gigabyte, or an eighth of the memory where that is less. */
static uint64_t default_pool_events(void)
{
	uint64_t most = 256ull << 20;
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	if (pages > 0 && page > 0 && (uint64_t)pages * (uint64_t)page / 8 < most)
		most = (uint64_t)pages * (uint64_t)page / 8;
	return most / 8;
}

static int absolute(char *path, size_t size)
{
	char directory[PATH_MAX], joined[2 * PATH_MAX];
	size_t length;

	if (path[0] == '/')
		return 0;
	if (!getcwd(directory, sizeof(directory)))
		return -errno;
	length = strlen(directory);
	memcpy(joined, directory, length);
	joined[length] = '/';
	strcpy(joined + length + 1, path);
	if (strlen(joined) >= size)
		return -ENAMETOOLONG;
	strcpy(path, joined);
	return 0;
}

int spoor_configuration_read(struct spoor_configuration *configuration)
{
	char key[64];
	int error;

	memset(configuration, 0, sizeof(*configuration));
	strcpy(configuration->modules, "*");
	strcpy(configuration->functions, "*");
	strcpy(configuration->trace_path, "spoor.trace");
	configuration->pool_events = default_pool_events();
	if (getrandom(&configuration->session_id, sizeof(configuration->session_id), GRND_NONBLOCK) < 0)
		configuration->session_id = (uint64_t)getpid();

	for (char **variable = environ; variable && *variable; variable++) {
		const char *name = *variable + strlen(PREFIX), *value;

		if (strncmp(*variable, PREFIX, strlen(PREFIX)) != 0 || !(value = strchr(name, '=')))
			continue;
		if ((size_t)(value - name) >= sizeof(key)) {
			spoor_message("%.80s... is no key of this version; nothing is traced", *variable);
			return -EINVAL;
		}
		memcpy(key, name, (size_t)(value - name));
		key[value - name] = '\0';
		error = set(configuration, key, value + 1);
		if (error < 0)
			return error;
	}
	error = absolute(configuration->trace_path, sizeof(configuration->trace_path));
	if (error < 0)
		spoor_message("the trace path '%.500s' cannot be made absolute: %s; nothing is traced",
			      configuration->trace_path, strerror(-error));
	return error;
}
