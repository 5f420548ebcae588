/* SPDX-License-Identifier: MIT */
/* configuration.c - sets the configuration's values from text, and checks them. */
#define _GNU_SOURCE
#include "config/configuration.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/large.h"
#include "config/configuration_keys.h"
#include "config/configuration_sources.h"
#include "text/capture_text.h"
#include "text/expansion.h"
#include "base/memory_limit.h"
#include "base/warning.h"
#include "text/pattern.h"
#include "format/pool_format.h"
#include "base/rank.h"
#include "base/signal_name.h"
#include "text/trigger_condition_text.h"

struct spoor_configuration spoor_configuration SPOOR_LARGE;

const struct spoor_key *spoor_configuration_key(uint32_t position)
{
	return position < KEY_COUNT ? &spoor_key_fields[position].key : NULL;
}

/* Prints a message with the source, the key, the value and the reason. Returns -EINVAL. */
__attribute__((format(printf, 2, 3))) static int refuse(const struct spoor_setting *setting, const char *format, ...)
{
	char why[600];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why, sizeof(why), format, arguments);
	va_end(arguments);
	spoor_warning("%.300s%s%.120s %s; the program runs untraced", setting->source, setting->assignment,
		      setting->has_value ? setting->value : "", why);
	return -EINVAL;
}

static int set_text(const struct spoor_setting *setting, char *field, size_t size, const char *value)
{
	if (strlen(value) >= size) {
		spoor_warning("%.300s is longer than %zu characters; the program runs untraced", setting->source,
			      size - 1);
		return -EINVAL;
	}
	strcpy(field, value);
	return 0;
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

static int set_path(const struct spoor_setting *setting, char *field, size_t size)
{
	const char *fault;

	if (strlen(setting->value) >= size)
		return set_text(setting, field, size, setting->value);
	if (!setting->value[0])
		return refuse(setting, "is not a path");
	if (spoor_expand(setting->value, field, size, &fault) < 0)
		return refuse(setting, "has %s", fault);
	return 0;
}

/* Multiplies @number by the power of 1,000 of its unit, k, M, G or T in either case. Returns the end of the unit. */
static const char *apply_unit(const char *unit, unsigned long long *number)
{
	static const char units[] = "kmgt";
	const char *at = *unit ? strchr(units, *unit | 0x20) : NULL;

	if (!at)
		return unit;
	for (; at >= units; at--)
		if (__builtin_mul_overflow(*number, 1000, number))
			errno = ERANGE;
	return unit + 1;
}

static int set_number(const struct spoor_setting *setting, const struct spoor_key *key, uint64_t *field)
{
	bool is_hexadecimal = strncasecmp(setting->value, "0x", 2) == 0;
	unsigned long long number;
	const char *end;
	char *digits_end;

	errno = 0;
	number = strtoull(setting->value, &digits_end, is_hexadecimal ? 16 : 10);
	end = is_hexadecimal || digits_end == setting->value ? digits_end : apply_unit(digits_end, &number);
	if (errno || end == setting->value || *end || strpbrk(setting->value, "- \t\n") || number < key->least ||
	    number > key->most)
		return refuse(setting, "is not a whole number from %llu to %llu", (unsigned long long)key->least,
			      (unsigned long long)key->most);
	*field = number;
	return 0;
}

static const char *const modes[] = {
	[SPOOR_MODE_LOG] = "log", [SPOOR_MODE_RING] = "ring", [SPOOR_MODE_COUNT] = "count",
	[SPOOR_MODE_OFF] = "off", [SPOOR_MODE_ORDER] = "order",
};

int spoor_configuration_mode(const char *name)
{
	for (int i = 0; i < (int)(sizeof(modes) / sizeof(*modes)); i++) {
		if (strcmp(name, modes[i]) == 0)
			return i;
	}
	return -EINVAL;
}

const char *spoor_configuration_mode_name(enum spoor_mode mode)
{
	return modes[mode];
}

static int set_words(struct spoor_configuration *configuration, const struct spoor_setting *setting,
		     enum spoor_key_position position)
{
	const char *value = setting->value;

	if (position == KEY_MODE) {
		int mode = spoor_configuration_mode(value);

		if (mode < 0)
			return refuse(setting, "is unknown: use 'log', 'ring', 'count', 'order' or 'off'");
		configuration->mode = (enum spoor_mode)mode;
		return 0;
	}
	/* "snappy" is the value of Microsoft's Spoor. Exports to its format are compressed with Snappy. */
	if (strcmp(value, "packed") != 0 && strcmp(value, "snappy") != 0 && strcmp(value, "none") != 0)
		return refuse(setting, "is unknown: use 'packed', 'snappy' or 'none'");
	configuration->packed = strcmp(value, "none") != 0;
	return 0;
}

static bool has_wrong_condition(const char *trigger)
{
	static struct spoor_condition parsed SPOOR_LARGE;	/* large; one thread reads the configuration */
	char condition[SPOOR_TRIGGER_CONDITION_MAX];

	return spoor_trigger_condition(trigger, condition) && spoor_trigger_condition_check(condition, &parsed);
}

static int set(struct spoor_configuration *configuration, const struct spoor_setting *setting,
	       enum spoor_key_position position)
{
	char *field = (char *)configuration + spoor_key_fields[position].field;
	const struct spoor_key *key = &spoor_key_fields[position].key;

	if (!setting->any_kind && setting->kind != key->kind) {
		static const char *const kinds[] = { "a string", "a whole number", "true or false" };

		return refuse(setting, "is %s: use %s", kinds[setting->kind], kinds[key->kind]);
	}
	if (key->kind == SPOOR_KEY_NUMBER)
		return set_number(setting, key, (uint64_t *)field);
	if (key->kind == SPOOR_KEY_BOOLEAN) {
		if (strcmp(setting->value, "true") != 0 && strcmp(setting->value, "false") != 0)
			return refuse(setting, "is invalid: use 'true' or 'false'");
		*(bool *)field = strcmp(setting->value, "true") == 0;
		return 0;
	}
	if (position == KEY_MODULES || position == KEY_FUNCTIONS) {
		if (spoor_patterns_check(setting->value) < 0)
			return refuse(setting, "is not a list of patterns such as 'libfoo*,-libbar.so'");
	} else if (position == KEY_TRACEPOINTS) {
		if (spoor_patterns_check(setting->value) < 0)
			return refuse(setting, "is not a list of patterns such as 'server:request_*'");
	} else if (position == KEY_LIBRARY_CALLS) {
		if (*setting->value && spoor_patterns_check(setting->value) < 0)
			return refuse(setting, "is not a list of patterns such as 'libc*,libz*:inflate*'");
	} else if (position == KEY_ARGS || position == KEY_RETVAL || position == KEY_CPU_TIME) {
		if (*setting->value && spoor_capture_text_check(setting->value) < 0)
			return refuse(setting, "is not a list of functions such as 'parse*,open(path:s,flags:x)'");
	} else if (position == KEY_FLUSH_SIGNAL) {
		if (spoor_signal_number(setting->value) < 0)
			return refuse(setting, "is not a signal that can request a flush: use 'none', "
				       "or a signal such as 'SIGUSR1'");
	} else if (position == KEY_TRIGGER) {
		if (spoor_trigger_parse(setting->value, NULL, 0, NULL) < 0)
			return refuse(setting, "is not a trigger such as 'parse*>10ms' or 'parse*(size>100)': use patterns, "
				       "and '>' with a time in ns, us, ms or s, or a condition");
		if (has_wrong_condition(setting->value))
			return refuse(setting, "has an invalid condition: compare names of arguments, arg1, arg2, ..., or result, "
				       "with whole numbers");
	} else if (position == KEY_HANDLER && !setting->value[0]) {
		/* No handler. An empty variable in the environment overrides the file. */
	} else if (position == KEY_TRACE_PATH || position == KEY_HANDLER) {
		return set_path(setting, field, spoor_key_fields[position].size);
	} else if (position != KEY_RECORDER) {
		return set_words(configuration, setting, position);
	}
	return set_text(setting, field, spoor_key_fields[position].size, setting->value);
}

int spoor_configuration_set(struct spoor_configuration *configuration, const struct spoor_setting *setting)
{
	struct spoor_setting unknown = *setting;
	int error;

	for (enum spoor_key_position i = 0; i < KEY_COUNT; i++) {
		uint32_t before = configuration->origins[i];

		if (strcmp(setting->key, spoor_key_fields[i].key.name) != 0 &&
		    !(i == KEY_TRACE_PATH && strcmp(setting->key, "trace_file_path") == 0))
			continue;
		if (before == SPOOR_ORIGIN_ENVIRONMENT ? setting->origin == before
						       : before && setting->origin != SPOOR_ORIGIN_ENVIRONMENT)
			return refuse(setting, "sets %s a second time", spoor_key_fields[i].key.name);
		error = set(configuration, setting, i);
		configuration->origins[i] = setting->origin;
		return error;
	}
	unknown.assignment = "";
	unknown.has_value = false;
	return refuse(&unknown, "is not a key of this version: 'spoor config' lists the keys");
}

/* The default is 256 MiB of events, or an eighth of the memory if that is less. The memory is read only on
 * demand, since most processes have no pool. */
static uint64_t pool_events(const struct spoor_configuration *configuration)
{
	uint64_t share;

	if (configuration->origins[KEY_DYNAMIC_POOL] != SPOOR_ORIGIN_DEFAULT)
		return configuration->pool_events;
	share = spoor_memory_limit() / 8 / sizeof(uint64_t);
	share = share > POOL_EVENTS_LEAST ? share : POOL_EVENTS_LEAST;
	return share < configuration->pool_events ? share : configuration->pool_events;
}

static uint64_t slices(uint64_t events, uint64_t slice_events)
{
	return (events + slice_events - 1) / slice_events;
}

uint32_t spoor_configuration_reserved_slices(const struct spoor_configuration *configuration)
{
	return (uint32_t)slices(configuration->reserved_events, configuration->reserved_slice_events);
}

uint32_t spoor_configuration_dynamic_slices(const struct spoor_configuration *configuration)
{
	return (uint32_t)slices(pool_events(configuration), configuration->dynamic_slice_events);
}

/* Reconciles `mode` with `flush_all_events`, the key of Microsoft's Spoor. The environment takes precedence
 * over the file. Returns 0, or -EINVAL if both are set in the same place and contradict each other. */
static int settle_mode(struct spoor_configuration *configuration)
{
	uint32_t *mode_origin = &configuration->origins[KEY_MODE], *flush_origin = &configuration->origins[KEY_FLUSH_ALL];
	bool mode_in_environment = *mode_origin == SPOOR_ORIGIN_ENVIRONMENT;
	bool flush_in_environment = *flush_origin == SPOOR_ORIGIN_ENVIRONMENT;
	bool stores = configuration->mode == SPOOR_MODE_LOG || configuration->mode == SPOOR_MODE_RING;
	bool differ = configuration->flush_all_events != (configuration->mode == SPOOR_MODE_LOG);
	bool both = *mode_origin != SPOOR_ORIGIN_DEFAULT && *flush_origin != SPOOR_ORIGIN_DEFAULT;

	if (!stores || !differ)
		return 0;
	if (both && mode_in_environment == flush_in_environment) {
		spoor_warning("%.300s: mode '%s' and flush_all_events %s contradict each other: remove one; "
			      "the program runs untraced",
			      mode_in_environment ? "SPOOR_RUNTIME_MODE" : configuration->config_file,
			      modes[configuration->mode],
			      configuration->flush_all_events ? "true" : "false");
		return -EINVAL;
	}
	if (*mode_origin == SPOOR_ORIGIN_DEFAULT || (both && flush_in_environment)) {
		configuration->mode = configuration->flush_all_events ? SPOOR_MODE_LOG : SPOOR_MODE_RING;
		*mode_origin = SPOOR_ORIGIN_DEFAULT;
	} else {
		configuration->flush_all_events = configuration->mode == SPOOR_MODE_LOG;
		*flush_origin = SPOOR_ORIGIN_DEFAULT;
	}
	return 0;
}

/* Checks values that depend on several keys. */
static int check(struct spoor_configuration *configuration)
{
	uint64_t reserved = slices(configuration->reserved_events, configuration->reserved_slice_events);
	uint64_t dynamic = slices(configuration->pool_events, configuration->dynamic_slice_events);
	uint64_t most = SPOOR_POOL_SLICE_COUNT_MAX;
	int error;

	/* The default of the dynamic part shrinks to the slices that remain. */
	if (configuration->origins[KEY_DYNAMIC_POOL] == SPOOR_ORIGIN_DEFAULT && reserved + 64 <= most &&
	    reserved + dynamic > most) {
		configuration->pool_events = (most - reserved) * configuration->dynamic_slice_events;
		dynamic = most - reserved;
	}
	if (reserved + dynamic > most) {
		spoor_warning("the pool would have %llu slices; the limit is %llu: lower reserved_event_pool_capacity "
			      "or dynamic_event_pool_capacity, or set more events per slice; the program runs untraced",
			      (unsigned long long)(reserved + dynamic), (unsigned long long)most);
		return -EINVAL;
	}
	error = settle_mode(configuration);
	if (error < 0)
		return error;
	error = absolute(configuration->trace_path, sizeof(configuration->trace_path));
	if (error < 0)
		spoor_warning("cannot make the trace path '%.500s' absolute: %s; the program runs untraced",
			      configuration->trace_path, strerror(-error));
	return error;
}

int spoor_configuration_read(struct spoor_configuration *configuration)
{
	int error;

	memset(configuration, 0, sizeof(*configuration));
	strcpy(configuration->modules, "*");
	strcpy(configuration->functions, "*");
	strcpy(configuration->tracepoints, SPOOR_TRACEPOINTS_NONE);
	strcpy(configuration->trace_path, "spoor.trace");
	strcpy(configuration->flush_signal, "none");
	strcpy(configuration->trigger, "none");
	configuration->trigger_before_ms = configuration->trigger_after_ms = 100;
	configuration->trigger_count = 10;
	configuration->packed = configuration->flush_all_events = configuration->time_stamp_counter = true;
	configuration->pool_events = POOL_EVENTS_DEFAULT;
	configuration->reserved_slice_events = configuration->dynamic_slice_events = SPOOR_SLICE_WORDS;
	configuration->session_id = spoor_rank_session();
	if (!configuration->session_id &&
	    getrandom(&configuration->session_id, sizeof(configuration->session_id), GRND_NONBLOCK) < 0)
		configuration->session_id = (uint64_t)getpid();
	error = spoor_sources_read(configuration);
	return error < 0 ? error : check(configuration);
}

size_t spoor_configuration_text(const struct spoor_configuration *configuration, uint32_t position, char *text,
				size_t size)
{
	const char *field = (const char *)configuration + spoor_key_fields[position].field;

	if (position == KEY_MODE)
		field = modes[configuration->mode];
	else if (position == KEY_COMPRESSION)
		field = configuration->packed ? "packed" : "none";
	else if (position == KEY_DYNAMIC_POOL)
		return (size_t)snprintf(text, size, "%llu", (unsigned long long)pool_events(configuration));
	else if (spoor_key_fields[position].key.kind == SPOOR_KEY_BOOLEAN)
		field = *(const bool *)field ? "true" : "false";
	else if (spoor_key_fields[position].key.kind == SPOOR_KEY_NUMBER)
		return (size_t)snprintf(text, size, "%llu", (unsigned long long)*(const uint64_t *)field);
	return (size_t)snprintf(text, size, "%s", field);
}
