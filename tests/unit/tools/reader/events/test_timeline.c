/* SPDX-License-Identifier: MIT */
/* test_timeline.c - puts processes of several traces on one line of time, and never confuses two of them. */
#include "reader/events/timeline.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/unit/support/reading.h"

#define LATER_NS 4000000000000	/* how much later the other machine booted */
#define EVENT_NS 1000000

static char folder[64];
static const char *paths[4];
static char path_room[4][80];
static struct timeline timeline;

static void begin(void)
{
	strcpy(folder, reading_folder());
	for (int i = 0; i < 4; i++) {
		snprintf(path_room[i], sizeof(path_room[i]), "%s/%c", folder, 'a' + i);
		paths[i] = path_room[i];
	}
	ck_assert(freopen("/dev/null", "w", stderr) != NULL);
}

static void end(void)
{
	timeline_close(&timeline);
	reading_remove(folder);
}

/* Writes a process with one thread and one call, @begin_ns after the origin. @facts: texts separated by NULs */
static void write_process(size_t trace, const char *name, int64_t process_id, const char *facts, size_t bytes,
			  int64_t booted_ns, uint64_t begin_ns)
{
	struct trace_writer writer;
	struct trace_thread *thread;

	trace_writer_begin(&writer, paths[trace], name, process_id);
	writer.booted_ns = booted_ns;
	writer.counter += trace_writer_ticks(begin_ns);
	trace_writer_facts(&writer, facts, bytes);
	thread = trace_thread_begin(&writer, 101);
	writer.counter += trace_writer_ticks(EVENT_NS);
	trace_thread_entry(thread, 1);
	trace_thread_exit(thread, 1);
	trace_thread_user(thread, 0x80000001, 1, 2, TRACE_WRITER_STEADY_NS - booted_ns + 5);
	trace_thread_end(thread);
	trace_writer_end(&writer, true);
}

#define WRITE(trace, name, facts, booted_ns, begin_ns) \
	write_process(trace, name, 100, facts, sizeof(facts), booted_ns, begin_ns)

static void open_all(size_t count, size_t processes)
{
	ck_assert_int_eq(timeline_open(&timeline, paths, count, true), 0);
	ck_assert_uint_eq(timeline.count, processes);
}

struct seen {
	int64_t process_id, begin_ns;
	uint32_t thread_id;
	uint64_t entry_ns, user_ns;
};

static struct seen see(size_t number)
{
	struct process process;
	struct functions functions;
	struct thread_events events;
	struct event event;
	struct seen seen;

	ck_assert_int_eq(timeline_open_process(&timeline, number, &process), 0);
	ck_assert_int_eq(functions_begin(&functions, &process), 0);
	seen = (struct seen){ .process_id = process.process_id, .begin_ns = process.begin_steady_ns };
	ck_assert_uint_eq(process.threads.count, 1);
	seen.thread_id = process.threads.threads[0]->thread_id;
	thread_events_begin(&events, &process, &functions, process.threads.threads[0]);
	while (thread_events_next(&events, &event) > 0) {
		if (event.kind == EVENT_ENTRY)
			seen.entry_ns = event.time_ns;
		if (event.kind == EVENT_USER)
			seen.user_ns = event.time_ns;
	}
	thread_events_end(&events);
	functions_end(&functions);
	process_close(&process);
	return seen;
}

/* Checks that the call began when the first machine's clock was at @ns. */
static void began(const struct seen *seen, uint64_t ns, uint32_t offset)
{
	ck_assert_int_eq(seen->process_id, 100 + offset);
	ck_assert_uint_eq(seen->thread_id, 101 + offset);
	/* Rates come from pairs of clocks that are close together here, so they are not exact. */
	ck_assert_uint_le(seen->entry_ns, TRACE_WRITER_STEADY_NS + ns + EVENT_NS + 3);
	ck_assert_uint_ge(seen->entry_ns, TRACE_WRITER_STEADY_NS + ns + EVENT_NS - 3);
	ck_assert_int_eq(seen->begin_ns, (int64_t)(TRACE_WRITER_STEADY_NS + ns));
	ck_assert_uint_eq(seen->user_ns, TRACE_WRITER_STEADY_NS + 5);
}

START_TEST(processes_of_one_boot_keep_their_clock_and_numbers)
{
	struct seen seen;

	begin();
	WRITE(0, "1", "boot=x", 0, 3000000);
	WRITE(1, "1", "boot=x", 0, 1000000);
	WRITE(0, "2", "boot=x", 0, 2000000);
	open_all(2, 3);
	ck_assert_uint_eq(timeline.machine_count, 1);
	for (size_t i = 0; i < 3; i++) {
		seen = see(i);
		began(&seen, (i + 1) * 1000000, 0);
	}
	end();
}
END_TEST

START_TEST(another_boot_is_moved_by_its_realtime_to_the_oldest)
{
	struct seen seen;

	begin();
	WRITE(0, "1", "boot=young", LATER_NS, 2000000);
	WRITE(0, "2", "boot=young", LATER_NS, 4000000);
	WRITE(1, "1", "boot=old", 0, 1000000);
	WRITE(2, "1", "boot=young", LATER_NS, 3000000);
	open_all(3, 4);
	ck_assert_uint_eq(timeline.machine_count, 2);
	for (size_t i = 0; i < 4; i++) {
		seen = see(i);
		/* Processes of the first trace's machine keep the kernel's IDs. */
		began(&seen, (i + 1) * 1000000, i == 0 ? TIMELINE_IDS : 0);
	}
	end();
}
END_TEST

START_TEST(containers_of_one_boot_have_one_clock_and_numbers_of_their_own)
{
	struct seen seen;

	begin();
	WRITE(0, "1", "boot=x\0pid_namespace=1", 0, 1000000);
	WRITE(0, "2", "boot=x\0pid_namespace=2", 0, 2000000);
	open_all(1, 2);
	seen = see(0);
	began(&seen, 1000000, 0);
	seen = see(1);
	began(&seen, 2000000, TIMELINE_IDS);
	end();
}
END_TEST

START_TEST(a_process_without_a_boot_ID_belongs_to_the_machine_of_its_trace)
{
	struct seen seen;

	begin();
	WRITE(0, "1", "name=x", LATER_NS, 1000000);
	WRITE(0, "2", "boot=young", LATER_NS, 2000000);
	WRITE(1, "1", "name=x", 0, 3000000);
	WRITE(1, "2", "name=y", 0, 4000000);
	open_all(2, 4);
	ck_assert_uint_eq(timeline.machine_count, 2);
	for (size_t i = 0; i < 4; i++) {
		seen = see(i);
		began(&seen, (i + 1) * 1000000, i < 2 ? 0 : TIMELINE_IDS);
	}
	end();
}
END_TEST

START_TEST(a_path_without_a_trace_does_not_affect_the_others)
{
	begin();
	WRITE(1, "1", "boot=x", 0, 0);
	open_all(3, 1);
	ck_assert_uint_eq(timeline.unopened, 2);
	timeline_close(&timeline);
	ck_assert_int_eq(timeline_open(&timeline, paths, 1, true), -ENOENT);
	ck_assert_ptr_null(timeline.traces);
	end();
}
END_TEST

START_TEST(a_process_that_is_given_twice_is_opened_once)
{
	static const char facts[] = "boot=A";

	begin();
	write_process(0, "100", 100, facts, sizeof(facts), 0, 0);
	write_process(0, "200", 200, facts, sizeof(facts), 0, 0);
	/* A copy under another name, and another process that began in the same nanosecond. */
	write_process(1, "copied", 100, facts, sizeof(facts), 0, 0);
	write_process(1, "300", 300, facts, sizeof(facts), 0, 0);
	snprintf(path_room[2], sizeof(path_room[2]), "%s/a/100", folder);
	snprintf(path_room[3], sizeof(path_room[3]), "%s/a/", folder);
	open_all(4, 3);
	ck_assert_ptr_eq(timeline.processes[0].trace, &timeline.traces[0]);
	ck_assert_ptr_eq(timeline.processes[1].trace, &timeline.traces[0]);
	ck_assert_ptr_eq(timeline.processes[2].trace, &timeline.traces[1]);
	end();
}
END_TEST

START_TEST(more_traces_than_descriptors_are_all_opened_or_none_is)
{
	const struct rlimit few = { 32, 4096 }, none_more = { 32, 32 };
	const char *many[100];
	char room[100][80];

	begin();
	for (size_t i = 0; i < 100; i++) {
		snprintf(room[i], sizeof(room[i]), "%s/%zu", folder, i);
		paths[0] = many[i] = room[i];
		WRITE(0, "1", "boot=x", 0, i * 1000000);
	}
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	ck_assert_int_eq(timeline_open(&timeline, many, 100, true), 0);
	ck_assert_uint_eq(timeline.count, 100);
	timeline_close(&timeline);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none_more), 0);
	ck_assert_int_eq(timeline_open(&timeline, many, 100, true), -EMFILE);
	end();
}
END_TEST

START_TEST(too_many_machines_are_an_error)
{
	char name[16], boot[16], said[80], line[400] = "";

	begin();
	snprintf(said, sizeof(said), "%s/said", folder);
	for (int i = 0; i <= (int)TIMELINE_MACHINES; i++) {
		snprintf(name, sizeof(name), "%d", i);
		snprintf(boot, sizeof(boot), "boot=%05d", i);
		write_process(0, name, 100, boot, strlen(boot) + 1, 0, (uint64_t)i);
		if (i < (int)TIMELINE_MACHINES - 1)
			continue;
		ck_assert(freopen(said, "w", stderr) != NULL);
		open_all(1, (size_t)i + 1);
		timeline_close(&timeline);
		fflush(stderr);
		FILE *file = fopen(said, "r");
		ck_assert(!fgets(line, sizeof(line), file) == (i < (int)TIMELINE_MACHINES));
		fclose(file);
	}
	ck_assert(strstr(line, "from 1025 machines or containers, and only 1024") != NULL);
	end();
}
END_TEST

START_TEST(invalid_clocks_cause_no_overflow)
{
	begin();
	WRITE(0, "1", "boot=x", INT64_MAX, 0);			/* negative */
	WRITE(1, "1", "boot=y", -(INT64_MAX - 2 * TRACE_WRITER_STEADY_NS), 0);	/* as late as possible */
	WRITE(2, "1", "boot=z", LATER_NS, 0);
	open_all(3, 3);
	for (size_t i = 0; i < 3; i++)
		see(i);
	end();
}
END_TEST

UNIT_MAIN("timeline", processes_of_one_boot_keep_their_clock_and_numbers,
	  another_boot_is_moved_by_its_realtime_to_the_oldest,
	  containers_of_one_boot_have_one_clock_and_numbers_of_their_own,
	  a_process_without_a_boot_ID_belongs_to_the_machine_of_its_trace,
	  a_path_without_a_trace_does_not_affect_the_others, a_process_that_is_given_twice_is_opened_once,
	  more_traces_than_descriptors_are_all_opened_or_none_is, too_many_machines_are_an_error,
	  invalid_clocks_cause_no_overflow)
