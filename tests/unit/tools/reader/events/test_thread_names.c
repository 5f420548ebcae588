/* SPDX-License-Identifier: MIT */
/* test_thread_names.c - gives names to the right threads if the kernel reuses thread IDs. */
#include "tests/unit/support/reading.h"

#include <string.h>

static struct trace_writer writer;
static struct trace trace;
static struct process process;
static char folder[64];

/* Writes a thread with its first and its last event. */
static void thread(uint32_t thread_id)
{
	struct trace_thread *thread = trace_thread_begin(&writer, thread_id);

	writer.counter += 100;
	trace_thread_entry(thread, 1);
	writer.counter += 100;
	trace_thread_exit(thread, 1);
	trace_thread_end(thread);
}

static void name(uint32_t thread_id, const char *text)
{
	writer.counter += 100;
	trace_writer_block(&writer, SPOOR_BLOCK_THREAD, thread_id, text, strlen(text));
}

static void begin(void)
{
	strcpy(folder, reading_folder());
	trace_writer_begin(&writer, folder, "1", 1);
	trace_writer_facts(&writer, "name=test", 10);
}

static void finish(void)
{
	trace_writer_end(&writer, true);
	reading_open(folder, &trace, &process);
}

/* Returns the names in the order of the threads, as "a - b". */
static const char *names(void)
{
	static char text[256];

	text[0] = '\0';
	for (size_t i = 0; i < process.threads.count; i++) {
		const char *one = process.threads.threads[i]->name;

		strcat(text, i ? " " : "");
		strcat(text, one ? one : "-");
	}
	return text;
}

static void end(void)
{
	reading_close(&trace, &process);
	reading_remove(folder);
}

START_TEST(threads_with_the_same_ID_have_separate_names)
{
	begin();
	thread(7);
	name(7, "first");
	thread(9);
	thread(7);
	name(7, "second");
	name(9, "other");
	thread(7);
	name(7, "third");
	finish();
	ck_assert_str_eq(names(), "first other second third");
	end();
}
END_TEST

START_TEST(the_last_name_counts)
{
	begin();
	thread(7);
	name(7, "early");
	name(7, "late");
	finish();
	ck_assert_str_eq(names(), "late");
	end();
}
END_TEST

START_TEST(a_name_belongs_to_the_latest_thread_with_its_ID)
{
	begin();
	thread(7);
	thread(7);
	name(7, "second");
	name(3, "no thread");
	finish();
	ck_assert_str_eq(names(), "- second");
	end();
}
END_TEST

UNIT_MAIN("thread_names", threads_with_the_same_ID_have_separate_names, the_last_name_counts,
	  a_name_belongs_to_the_latest_thread_with_its_ID)
