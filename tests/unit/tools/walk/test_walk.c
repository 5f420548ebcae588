/* SPDX-License-Identifier: MIT */
/* test_walk.c - a walk reports the chosen part of a trace, completely, and returns how it ended. */
#include "walk/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "tests/unit/support/reading.h"

static struct walk_choice choice;
static char folder[64], reported[4096];

static void add(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void add(const char *format, ...)
{
	size_t used = strlen(reported);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reported + used, sizeof(reported) - used, format, arguments);
	va_end(arguments);
}

static int process_begin(void *context, struct process *process, struct functions *functions)
{
	(void)functions;
	add("P%d{", (int)process->process_id);
	return *(int *)context == 1 ? -EPIPE : 0;
}

static int process_end(void *context)
{
	add("}");
	return *(int *)context == 4 ? -EIO : 0;
}

static int thread_begin(void *context, const struct thread_slices *thread)
{
	add("T%u(", thread->thread_id);
	return *(int *)context == 2 ? -ENOSPC : 0;
}

static int thread_end(void *context, const struct call_tree *tree)
{
	add(")%s", tree->repaired ? "~" : "");
	return *(int *)context == 3 ? -EIO : 0;
}

static int trace_end(void *context)
{
	(void)context;
	add(".");
	return 0;
}

static void enter(void *context, const struct call *call, size_t depth)
{
	(void)context, (void)call;
	add("%zu", depth);
}

static void leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	(void)context, (void)call, (void)depth, (void)end_ns, (void)how;
}

/* @fails: number of the callback that returns an error; 0: none. Returns the exit status. */
static int walk(int fails)
{
	const struct walk_sink sink = {
		.context = &fails,
		.process_begin = process_begin,
		.process_end = process_end,
		.thread_begin = thread_begin,
		.thread_end = thread_end,
		.trace_end = trace_end,
		.calls = { .context = &fails, .enter = enter, .leave = leave },
		.takes_counts = true,
	};

	reported[0] = '\0';
	return walk_trace(&choice, &sink);
}

static void write_thread(struct trace_writer *writer, uint32_t thread_id)
{
	struct trace_thread *thread = trace_thread_begin(writer, thread_id);

	trace_thread_entry(thread, 1);
	trace_thread_entry(thread, 2);
	trace_thread_exit(thread, 2);
	trace_thread_exit(thread, 1);
	trace_thread_end(thread);
}

static void begin(void)
{
	struct trace_writer writer;

	strcpy(folder, reading_folder());
	for (uint32_t process = 10; process <= 20; process += 10) {
		char name[8];

		snprintf(name, sizeof(name), "%u", process);
		trace_writer_begin(&writer, folder, name, process);
		writer.counter += process;
		trace_writer_facts(&writer, "name=x", 7);
		write_thread(&writer, process);
		write_thread(&writer, process + 1);
		trace_writer_end(&writer, true);
	}
	walk_choice_begin(&choice);
	ck_assert_str_eq(choice.trace_path, TRACE_DEFAULT_PATH);
	ck_assert(choice.demangle);
	choice.trace_path = folder;
	ck_assert(freopen("/dev/null", "w", stderr) != NULL);
}

static void end(void)
{
	walk_choice_end(&choice);
	reading_remove(folder);
}

START_TEST(all_processes_and_threads_are_reported_in_order)
{
	begin();
	ck_assert_int_eq(walk(0), SPOOR_EXIT_GOOD);
	ck_assert_str_eq(reported, "P10{T10(01)T11(01)}P20{T20(01)T21(01)}.");
	end();
}
END_TEST

START_TEST(only_chosen_processes_and_threads_are_reported)
{
	begin();
	ck_assert_int_eq(walk_choice_option(&choice, WALK_PROCESS, "20"), 0);
	ck_assert_int_eq(walk(0), SPOOR_EXIT_GOOD);
	ck_assert_str_eq(reported, "P20{T20(01)T21(01)}.");
	ck_assert_int_eq(walk_choice_option(&choice, WALK_THREAD, "21"), 0);
	ck_assert_int_eq(walk(0), SPOOR_EXIT_GOOD);
	ck_assert_str_eq(reported, "P20{T21(01)}.");
	ck_assert_int_eq(walk_choice_option(&choice, WALK_PROCESS, "10"), 0);
	ck_assert_int_eq(walk_choice_option(&choice, WALK_THREAD, "10"), 0);
	ck_assert_int_eq(walk(0), SPOOR_EXIT_GOOD);
	ck_assert_str_eq(reported, "P10{T10(01)}P20{T21(01)}.");
	end();
}
END_TEST

START_TEST(a_choice_without_a_match_is_an_error)
{
	begin();
	walk_choice_option(&choice, WALK_THREAD, "99");
	ck_assert_int_eq(walk(0), SPOOR_EXIT_BAD_TRACE);
	walk_choice_option(&choice, WALK_PROCESS, "99");
	ck_assert_int_eq(walk(0), SPOOR_EXIT_BAD_TRACE);
	ck_assert_str_eq(reported, ".");
	end();
}
END_TEST

START_TEST(an_option_that_is_no_ID_is_wrong_usage)
{
	static const char *const wrong[] = { "", "x", "12x", "-1", "0", "99999999999999999999", "1 2" };

	begin();
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		ck_assert_int_eq(walk_choice_option(&choice, WALK_THREAD, wrong[i]), SPOOR_EXIT_USAGE);
	ck_assert_uint_eq(choice.thread_count, 0);
	ck_assert_int_eq(walk_choice_option(&choice, '?', NULL), SPOOR_EXIT_USAGE);
	ck_assert_int_eq(walk_choice_option(&choice, WALK_NO_DEMANGLE, NULL), 0);
	ck_assert(!choice.demangle);
	end();
}
END_TEST

/* The processes begin a few nanoseconds apart, and their calls take no time. */
START_TEST(processes_after_the_range_have_no_threads)
{
	begin();
	ck_assert_int_eq(walk_choice_option(&choice, WALK_TIME, "0..2ns"), 0);
	ck_assert_int_eq(walk(0), SPOOR_EXIT_GOOD);
	ck_assert_str_eq(reported, "P10{T10(01)T11(01)}P20{}.");
	ck_assert_int_eq(walk_choice_option(&choice, WALK_TIME, "1us.."), 0);
	ck_assert_int_eq(walk(0), SPOOR_EXIT_GOOD);
	ck_assert_str_eq(reported, "P10{T10()T11()}P20{T20()T21()}.");
	end();
}
END_TEST

START_TEST(calls_of_other_libraries_and_short_calls_are_skipped)
{
	begin();
	/* An unmatched pattern is an error. */
	ck_assert_int_eq(walk_choice_option(&choice, WALK_LIBRARY, "libx.so"), 0);
	ck_assert_int_eq(walk(0), SPOOR_EXIT_BAD_TRACE);
	ck_assert_str_eq(reported, "P10{T10()T11()}P20{T20()T21()}.");
	/* An unknown library has this name. */
	ck_assert_int_eq(walk_choice_option(&choice, WALK_LIBRARY, "[?]"), 0);
	ck_assert_int_eq(walk(0), SPOOR_EXIT_GOOD);
	ck_assert_str_eq(reported, "P10{T10(01)T11(01)}P20{T20(01)T21(01)}.");
	ck_assert_int_eq(walk_choice_option(&choice, WALK_LEAST, "1ns"), 0);
	ck_assert_int_eq(walk(0), SPOOR_EXIT_GOOD);
	ck_assert_str_eq(reported, "P10{T10()T11()}P20{T20()T21()}.");
	ck_assert_int_eq(walk_choice_option(&choice, WALK_TIME, "5"), SPOOR_EXIT_USAGE);
	ck_assert_int_eq(walk_choice_option(&choice, WALK_LEAST, "5"), SPOOR_EXIT_USAGE);
	ck_assert_int_eq(walk_choice_option(&choice, WALK_LIBRARY, ""), SPOOR_EXIT_USAGE);
	end();
}
END_TEST

START_TEST(traces_are_used_in_the_given_order)
{
	char *arguments[] = { (char *)(uintptr_t)"one", (char *)(uintptr_t)"two" };

	begin();
	ck_assert_int_eq(walk_choice_arguments(&choice, 0, arguments), 0);
	ck_assert_str_eq(choice.trace_path, folder);
	ck_assert_int_eq(walk_choice_arguments(&choice, 1, arguments), 0);
	ck_assert_str_eq(choice.trace_path, "one");
	ck_assert_uint_eq(choice.trace_count, 1);
	ck_assert_int_eq(walk_choice_arguments(&choice, 2, arguments), 0);
	ck_assert_str_eq(choice.trace_path, "one");
	ck_assert_uint_eq(choice.trace_count, 2);
	ck_assert_str_eq(choice.trace_paths[1], "two");
	end();
}
END_TEST

START_TEST(an_error_of_the_command_ends_the_walk)
{
	begin();
	ck_assert_int_eq(walk(2), SPOOR_EXIT_BAD_TRACE);
	ck_assert_str_eq(reported, "P10{T10(");
	ck_assert_int_eq(walk(3), SPOOR_EXIT_BAD_TRACE);
	ck_assert_str_eq(reported, "P10{T10(01)");
	ck_assert_int_eq(walk(4), SPOOR_EXIT_BAD_TRACE);
	ck_assert_str_eq(reported, "P10{T10(01)T11(01)}");
	/* It is no error if a command stops the walk early. */
	ck_assert_int_eq(walk(1), SPOOR_EXIT_GOOD);
	ck_assert_str_eq(reported, "P10{");
	end();
}
END_TEST

START_TEST(damage_is_an_error_and_the_rest_is_reported)
{
	char path[128];
	int file;

	begin();
	snprintf(path, sizeof(path), "%s/10/%s", folder, SPOOR_EVENTS_FILE);
	file = open(path, O_RDWR);
	ck_assert_int_eq(pwrite(file, "\xff\xff\xff", 3, 100), 3);
	close(file);
	ck_assert_int_eq(walk(0), SPOOR_EXIT_BAD_TRACE);
	ck_assert_str_eq(reported, "P10{T11(01)}P20{T20(01)T21(01)}.");
	choice.trace_path = "/nowhere";
	ck_assert_int_eq(walk(0), SPOOR_EXIT_BAD_TRACE);
	ck_assert_str_eq(reported, "");
	end();
}
END_TEST

UNIT_MAIN("walk", all_processes_and_threads_are_reported_in_order,
	  only_chosen_processes_and_threads_are_reported, a_choice_without_a_match_is_an_error,
	  an_option_that_is_no_ID_is_wrong_usage, processes_after_the_range_have_no_threads,
	  calls_of_other_libraries_and_short_calls_are_skipped, traces_are_used_in_the_given_order,
	  an_error_of_the_command_ends_the_walk, damage_is_an_error_and_the_rest_is_reported)
