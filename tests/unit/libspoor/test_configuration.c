/* SPDX-License-Identifier: MIT */
/* test_configuration.c - reads settings from a file and from the environment. Each test runs in its own process. */
#define _GNU_SOURCE
#include "config/configuration.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "text/expansion.h"
#include "tests/unit/support/unit.h"

static struct spoor_configuration configuration;

/* Writes @text to a file and names it in the environment. */
static void file(const char *text)
{
	char path[64];
	int fd = memfd_create("configuration", 0);

	ck_assert(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	setenv("SPOOR_RUNTIME_CONFIG_FILE", path, 1);
}

static uint32_t origin(const char *name)
{
	const struct spoor_key *key;

	for (uint32_t i = 0; (key = spoor_configuration_key(i)); i++)
		if (strcmp(key->name, name) == 0)
			return configuration.origins[i];
	ck_abort_msg("no key %s", name);
}

START_TEST(without_file_and_variables_all_is_default)
{
	const struct spoor_key *key;

	ck_assert_int_eq(spoor_configuration_read(&configuration), 0);
	for (uint32_t i = 0; (key = spoor_configuration_key(i)); i++)
		ck_assert_uint_eq(configuration.origins[i], SPOOR_ORIGIN_DEFAULT);
	ck_assert_int_eq(configuration.mode, SPOOR_MODE_LOG);
	ck_assert_str_eq(configuration.modules, "*");
	ck_assert_uint_ge(configuration.pool_events, 262144);
	ck_assert(configuration.packed && configuration.trace_path[0] == '/');
}
END_TEST

START_TEST(the_file_is_read_and_the_environment_wins)
{
	file("mode = \"off\"\nmodules = 'liba*'\nsession_id = 0xff\ncompression_strategy = \"none\"\n"
	     "dynamic_event_pool_capacity = 1_000_000\nflush_all_events = true\n");
	setenv("SPOOR_RUNTIME_MODULES", "libb*", 1);
	ck_assert_int_eq(spoor_configuration_read(&configuration), 0);
	ck_assert_int_eq(configuration.mode, SPOOR_MODE_OFF);
	ck_assert_str_eq(configuration.modules, "libb*");
	ck_assert_uint_eq(configuration.session_id, 255);
	ck_assert_uint_eq(configuration.pool_events, 1000000);
	ck_assert(!configuration.packed);
	ck_assert_uint_eq(origin("mode"), 1);
	ck_assert_uint_eq(origin("modules"), SPOOR_ORIGIN_ENVIRONMENT);
	ck_assert_uint_eq(origin("session_id"), 3);
	ck_assert_uint_eq(origin("functions"), SPOOR_ORIGIN_DEFAULT);
}
END_TEST

START_TEST(flush_all_events_false_means_mode_ring)
{
	file("flush_all_events = false\nevent_buffer_retention_duration_nanoseconds = 5\n");
	ck_assert_int_eq(spoor_configuration_read(&configuration), 0);
	ck_assert_int_eq(configuration.mode, SPOOR_MODE_RING);
	ck_assert_uint_eq(configuration.retention_ns, 5);
	file("mode = \"count\"\n");
	ck_assert_int_eq(spoor_configuration_read(&configuration), 0);
	ck_assert_int_eq(configuration.mode, SPOOR_MODE_COUNT);
	file("mode = \"ring\"\n");
	ck_assert_int_eq(spoor_configuration_read(&configuration), 0);
	ck_assert(!configuration.flush_all_events);
	/* The runtime starts dormant. When a function is enabled, the mode is ring. */
	file("mode = \"off\"\nflush_all_events = false\n");
	ck_assert_int_eq(spoor_configuration_read(&configuration), 0);
	ck_assert(configuration.mode == SPOOR_MODE_OFF && !configuration.flush_all_events);
}
END_TEST

START_TEST(the_environments_mode_or_flush_all_events_wins)
{
	file("mode = \"log\"\nflush_all_events = true\n");
	setenv("SPOOR_RUNTIME_MODE", "ring", 1);
	ck_assert_int_eq(spoor_configuration_read(&configuration), 0);
	ck_assert(configuration.mode == SPOOR_MODE_RING && !configuration.flush_all_events);
	ck_assert_uint_eq(origin("flush_all_events"), SPOOR_ORIGIN_DEFAULT);
	unsetenv("SPOOR_RUNTIME_MODE");
	setenv("SPOOR_RUNTIME_FLUSH_ALL_EVENTS", "false", 1);
	ck_assert_int_eq(spoor_configuration_read(&configuration), 0);
	ck_assert(configuration.mode == SPOOR_MODE_RING && !configuration.flush_all_events);
	ck_assert_uint_eq(origin("mode"), SPOOR_ORIGIN_DEFAULT);
	setenv("SPOOR_RUNTIME_MODE", "log", 1);
	ck_assert_int_eq(spoor_configuration_read(&configuration), -EINVAL);
}
END_TEST

/* Checks that a wrong text is rejected in a file, and in the environment. */
static void refused_file(const char *text)
{
	file(text);
	ck_assert_msg(spoor_configuration_read(&configuration) == -EINVAL, "accepted: %s", text);
}

START_TEST(wrong_files_are_rejected)
{
	refused_file("mode = \"loud\"");
	refused_file("mode = true");
	refused_file("MODE = \"log\"");
	refused_file("zork = 1");
	refused_file("config_file = \"x\"");
	refused_file("handler = 1");
	refused_file("handler = \"$NO_SUCH_VARIABLE/x\"");
	refused_file("session_id = \"1\"");
	refused_file("session_id = -1");
	refused_file("session_id = 1\nsession_id = 1");
	refused_file("trace_path = \"a\"\ntrace_file_path = \"b\"");
	refused_file("trace_path = \"\"");
	refused_file("trace_path = \"$SPOOR_NOT_SET/x\"");
	refused_file("mode = \"log\"\nflush_all_events = false");
	refused_file("mode = \"ring\"\nflush_all_events = true");
	refused_file("flush_all_events = \"true\"");
	refused_file("modules = \"\"");
	refused_file("dynamic_event_pool_capacity = 262143");
	refused_file("max_dynamic_event_buffer_slice_capacity = 63");
	refused_file("max_dynamic_event_buffer_slice_capacity = 4097");
	refused_file("event_buffer_retention_duration_nanoseconds = -1");
	refused_file("mode = \"log\"\n[table]");
	setenv("SPOOR_RUNTIME_CONFIG_FILE", "/nowhere/at/all", 1);
	ck_assert_int_eq(spoor_configuration_read(&configuration), -EINVAL);
	setenv("SPOOR_RUNTIME_CONFIG_FILE", "/", 1);
	ck_assert_int_eq(spoor_configuration_read(&configuration), -EINVAL);
	setenv("SPOOR_RUNTIME_CONFIG_FILE", "/dev/zero", 1);
	ck_assert_int_eq(spoor_configuration_read(&configuration), -EINVAL);
	setenv("SPOOR_RUNTIME_CONFIG_FILE", "", 1);
	ck_assert_int_eq(spoor_configuration_read(&configuration), 0);
}
END_TEST

START_TEST(the_limits_of_the_pool_are_counted_in_slices)
{
	file("reserved_event_pool_capacity = 2_001\nmax_reserved_event_buffer_slice_capacity = 1000\n"
	     "dynamic_event_pool_capacity = 300_000\nmax_dynamic_event_buffer_slice_capacity = 100\n");
	ck_assert_int_eq(spoor_configuration_read(&configuration), 0);
	ck_assert_uint_eq(spoor_configuration_reserved_slices(&configuration), 3);
	ck_assert_uint_eq(spoor_configuration_dynamic_slices(&configuration), 3000);
	/* The default number of slices is reduced if the slices are small. */
	file("max_dynamic_event_buffer_slice_capacity = 64\n");
	ck_assert_int_eq(spoor_configuration_read(&configuration), 0);
	ck_assert_uint_eq(spoor_configuration_dynamic_slices(&configuration), 16384);
	file("max_dynamic_event_buffer_slice_capacity = 64\ndynamic_event_pool_capacity = 2_000_000\n");
	ck_assert_int_eq(spoor_configuration_read(&configuration), -EINVAL);
	file("reserved_event_pool_capacity = 67_108_864\n");
	ck_assert_int_eq(spoor_configuration_read(&configuration), -EINVAL);
}
END_TEST

static void expands(const char *text, const char *wanted)
{
	const char *fault = "?";
	char path[64];

	ck_assert_msg(spoor_expand(text, path, sizeof(path), &fault) == 0, "%s: %s", text, fault);
	ck_assert_str_eq(path, wanted);
}

START_TEST(tilde_and_variables_are_replaced_in_paths)
{
	const char *fault;
	char path[16];

	setenv("HOME", "/srv/x", 1);
	setenv("A_1", "one", 1);
	setenv("EMPTY", "", 1);
	expands("plain/path", "plain/path");
	expands("~", "/srv/x");
	expands("~/t", "/srv/x/t");
	expands("a~/~", "a~/~");
	expands("$A_1/${A_1}x$EMPTY", "one/onex");
	expands("$$A_1", "$A_1");
	ck_assert_int_eq(spoor_expand("~other/x", path, sizeof(path), &fault), -EINVAL);
	ck_assert_int_eq(spoor_expand("$", path, sizeof(path), &fault), -EINVAL);
	ck_assert_int_eq(spoor_expand("${A_1", path, sizeof(path), &fault), -EINVAL);
	ck_assert_int_eq(spoor_expand("$1", path, sizeof(path), &fault), -EINVAL);
	ck_assert_int_eq(spoor_expand("$NOT_SET_AT_ALL", path, sizeof(path), &fault), -EINVAL);
	ck_assert_int_eq(spoor_expand("123456789012345", path, sizeof(path), &fault), 0);
	ck_assert_int_eq(spoor_expand("1234567890123456", path, sizeof(path), &fault), -EINVAL);
	unsetenv("HOME");
	ck_assert_int_eq(spoor_expand("~", path, sizeof(path), &fault), -EINVAL);
}
END_TEST

UNIT_MAIN("configuration", without_file_and_variables_all_is_default,
	  the_file_is_read_and_the_environment_wins, flush_all_events_false_means_mode_ring,
	  the_environments_mode_or_flush_all_events_wins, wrong_files_are_rejected,
	  the_limits_of_the_pool_are_counted_in_slices, tilde_and_variables_are_replaced_in_paths)
