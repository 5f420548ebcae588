/* SPDX-License-Identifier: MIT */
/* test_trace.c - the reader reads the trace that this process wrote of itself. */
#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/time_source.h"
#include "tests/unit/support/hand_module.h"
#include "base/warning.h"
#include "tests/unit/support/reading.h"
#include "api/runtime.h"
#include "trace/disabled_functions.h"
#include "trace/foreign_sleds.h"
#include "trace/recorded_modules.h"

static struct hand_module module;
static struct trace trace;
static struct process process;
static char folder[64], trace_path[80];

static void begin(void)
{
	strcpy(folder, reading_folder());
	snprintf(trace_path, sizeof(trace_path), "%s/trace", folder);
	strcpy(spoor_configuration.trace_path, trace_path);
}

static struct spoor_instance *load(void)
{
	hand_module_begin(&module, 8);
	hand_module_functions(&module, 64, 100);
	hand_module_build_id(&module, "trace", 5);
	hand_module_log(&module);
	hand_module_finish(&module);
	spoor_dso_register(module.dso);
	return module.dso->instance;
}

static void finish(void)
{
	spoor_registry_lock();
	spoor_trace_end();
	spoor_registry_unlock();
	reading_open(trace_path, &trace, &process);
}

static void end(void)
{
	reading_close(&trace, &process);
	reading_remove(folder);
}

START_TEST(calls_that_were_logged_are_read)
{
	begin();
	load();
	for (uint32_t i = 0; i < 5; i++)
		hand_module_call(&module, 10 * i);
	finish();
	ck_assert_uint_eq(process.threads.count, 1);
	ck_assert_str_eq(reading_calls(&process, 0), "0 10 20 30 40");
	ck_assert(process.ended);
	ck_assert(!process.damaged);
	ck_assert_int_eq(process.process_id, getpid());
	ck_assert_uint_eq(process.session_id, spoor_configuration.session_id);
	end();
}
END_TEST

START_TEST(more_calls_than_many_slices_hold_are_all_there_in_order)
{
	enum { CALLS = 50000 };
	struct thread_events events;
	struct functions functions;
	struct event event;
	uint64_t seen = 0, last_ns = 0;

	begin();
	load();
	for (uint32_t i = 0; i < CALLS; i++)
		hand_module_call(&module, i % 100);
	finish();
	ck_assert_int_eq(functions_begin(&functions, &process), 0);
	thread_events_begin(&events, &process, &functions, process.threads.threads[0]);
	for (; thread_events_next(&events, &event) > 0; seen++) {
		ck_assert_uint_eq(event.kind, seen % 2 ? EVENT_EXIT : EVENT_ENTRY);
		ck_assert_uint_eq(functions.list[event.function].id, seen / 2 % 100);
		ck_assert_uint_ge(event.time_ns, last_ns);
		last_ns = event.time_ns;
	}
	ck_assert_uint_eq(seen, 2 * CALLS);
	thread_events_end(&events);
	functions_end(&functions);
	end();
}
END_TEST

START_TEST(records_contain_the_facts_that_the_runtime_knows)
{
	struct spoor_instance *instance;
	const struct module *read;
	struct spoor_sleds *sleds;

	begin();
	instance = load();
	sleds = spoor_instance_sleds(instance);
	sleds->skipped_sleds.stack_operand = 7;
	sleds->skipped_sleds.other_kind = 9;
	spoor_registry_lock();
	spoor_trace_skipped_sleds(instance, sleds->skipped_sleds);
	spoor_trace_foreign("/opt/lib/libforeign.so", 12345);
	spoor_trace_thread((uint32_t)gettid(), "worker");
	hand_module_call(&module, 0);
	spoor_trace_module_gone(instance);
	spoor_registry_unlock();
	finish();
	ck_assert_uint_eq(process.module_count, 1);
	read = &process.modules[0];
	ck_assert_uint_eq(read->module_id, instance->module_id);
	ck_assert_uint_eq(read->base, instance->base);
	ck_assert_uint_eq(read->count, 100);
	ck_assert_uint_eq(read->load_bias, (uintptr_t)module.dso->image);
	ck_assert_uint_eq(read->build_id_bytes, 5);
	ck_assert_mem_eq(read->build_id, "trace", 5);
	ck_assert_uint_lt(read->counter, read->gone_counter);
	ck_assert_uint_ne(read->gone_counter, UINT64_MAX);
	ck_assert_uint_eq(read->skipped_sleds.stack_operand, 7);
	ck_assert_uint_eq(read->skipped_sleds.other_kind, 9);
	ck_assert_uint_eq(process.foreign_count, 1);
	ck_assert_str_eq(process.foreign[0].path, "/opt/lib/libforeign.so");
	ck_assert_uint_eq(process.foreign[0].sleds, 12345);
	ck_assert_str_eq(process.names[0].name, "worker");
	ck_assert_str_eq(process_title(&process), program_invocation_short_name);
	end();
}
END_TEST

START_TEST(functions_that_were_disabled_are_written_in_runs)
{
	const struct spoor_index_run wanted[] = { { 3, 3 }, { 49, 3 }, { 70, 1 }, { 99, 1 } };
	struct spoor_instance *instance;
	struct spoor_sleds *sleds;
	uint64_t before[2], after[2] = { ~0ull, ~0ull };
	uint64_t asked = spoor_counter();

	begin();
	instance = load();
	sleds = spoor_instance_sleds(instance);
	sleds->awake.patched[0] &= ~(1ull << 50);	/* the bit's value before the change */
	memcpy(before, sleds->awake.patched, sizeof(before));
	ck_assert_uint_eq(before[0], ~(1ull << 50));
	after[0] &= ~(7ull << 3 | 7ull << 49);
	after[1] &= ~(1ull << (70 - 64) | 1ull << (99 - 64));
	sleds->awake.patched[0] &= after[0];
	sleds->awake.patched[1] &= after[1];
	spoor_registry_lock();
	spoor_trace_disabled(instance, before, asked);
	spoor_trace_disabled(instance, sleds->awake.patched, asked);	/* an empty set of functions is not written */
	spoor_registry_unlock();
	memcpy(sleds->awake.patched, before, sizeof(before));
	sleds->awake.patched[0] |= 1ull << 50;
	finish();
	ck_assert_uint_eq(process.disabled_count, 1);
	ck_assert_uint_eq(process.disabled[0].asked, asked);
	ck_assert_uint_gt(process.disabled[0].counter, asked);
	ck_assert_uint_eq(process.disabled[0].run_count, 4);
	for (size_t i = 0; i < 4; i++) {
		ck_assert_uint_eq(process.disabled[0].runs[i].first, instance->base + wanted[i].first);
		ck_assert_uint_eq(process.disabled[0].runs[i].count, wanted[i].count);
	}
	for (uint32_t index = 0; index < 100; index++)
		ck_assert_int_eq(disabling_has(&process.disabled[0], instance->base + index),
				 (index >= 3 && index < 6) || (index >= 49 && index < 52) || index == 70 || index == 99);
	end();
}
END_TEST

START_TEST(an_existing_folder_is_not_used)
{
	char theirs[128], mine[128];
	struct stat status;

	begin();
	ck_assert_int_eq(mkdir(trace_path, 0700), 0);
	snprintf(theirs, sizeof(theirs), "%s/%d", trace_path, getpid());
	snprintf(mine, sizeof(mine), "%s/%d.1", trace_path, getpid());
	ck_assert_int_eq(symlink("/tmp", theirs), 0);
	load();
	ck_assert_int_eq(stat(mine, &status), 0);
	ck_assert_uint_eq(status.st_mode & 07777, 0700);
	ck_assert_int_eq(unlink(theirs), 0);
	finish();
	end();
}
END_TEST

/* Returns all text that @act writes to stderr. */
static const char *stderr_of(void (*act)(void))
{
	static char said[4096];
	int ends[2], saved = dup(STDERR_FILENO);
	ssize_t length;

	ck_assert_int_eq(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	spoor_warning_begin();
	act();
	dup2(saved, STDERR_FILENO);
	close(saved);
	length = read(ends[0], said, sizeof(said) - 1);
	close(ends[0]);
	said[length > 0 ? length : 0] = '\0';
	return said;
}

static void begin_twice(void)
{
	spoor_registry_lock();
	ck_assert_int_eq(spoor_trace_begin(), -ESHUTDOWN);
	ck_assert_int_eq(spoor_trace_begin(), -ESHUTDOWN);
	spoor_registry_unlock();
}

START_TEST(a_trace_that_cannot_begin_prints_one_message_and_the_program_continues)
{
	char expected[512];

	begin();
	strcat(spoor_configuration.trace_path, "/not/there");
	snprintf(expected, sizeof(expected),
		 "spoor: cannot create the trace folder %s: No such file or directory; the program runs untraced\n",
		 spoor_configuration.trace_path);
	ck_assert_str_eq(stderr_of(begin_twice), expected);
	ck_assert(!spoor_trace_is_ours());
	load();
	hand_module_call(&module, 0);
	ck_assert_uint_eq(spoor_registry_patched(), 0);
	reading_remove(folder);
}
END_TEST

static void begin_too_large(void)
{
	const struct rlimit limit = { 8192, 8192 };

	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	begin_twice();
}

START_TEST(a_trace_without_room_for_a_pool_leaves_no_files)
{
	const char *said;

	begin();
	said = stderr_of(begin_too_large);
	ck_assert_msg(strstr(said, ": File too large; the program runs untraced\n") &&
		      strchr(said, '\n') == said + strlen(said) - 1, "%s", said);
	ck_assert_int_eq(access(trace_path, F_OK), -1);
	reading_remove(folder);
}
END_TEST

START_TEST(a_forked_child_has_a_separate_trace)
{
	struct trace both;
	pid_t child;
	int status;

	begin();
	load();
	hand_module_call(&module, 1);
	child = fork();
	if (child == 0) {
		bool mine = spoor_trace_is_ours();

		hand_module_call(&module, 2);
		_exit(mine || !spoor_trace_is_ours());
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	hand_module_call(&module, 3);
	spoor_registry_lock();
	spoor_trace_end();
	spoor_registry_unlock();
	ck_assert_int_eq(trace_open(&both, trace_path, true), 0);
	ck_assert_uint_eq(both.count, 2);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_int_eq(trace_open_process(&both, i, &process), 0);
		ck_assert_str_eq(reading_calls(&process, 0), process.process_id == child ? "2" : "1 3");
		process_close(&process);
	}
	trace_close(&both);
	reading_remove(folder);
}
END_TEST

UNIT_MAIN("trace", calls_that_were_logged_are_read, more_calls_than_many_slices_hold_are_all_there_in_order,
	  records_contain_the_facts_that_the_runtime_knows, an_existing_folder_is_not_used,
	  a_trace_that_cannot_begin_prints_one_message_and_the_program_continues,
	  a_trace_without_room_for_a_pool_leaves_no_files, a_forked_child_has_a_separate_trace,
	  functions_that_were_disabled_are_written_in_runs)
