/* SPDX-License-Identifier: MIT */
/* test_thread_events.c - reads one event after the other, each with its time, and losses at their place. */
#include "tests/unit/support/reading.h"
#include "reader/events/tracepoint_events.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct trace_writer writer;
static struct trace trace;
static struct process process;
static struct functions functions;
static struct thread_events events;
static struct trace_thread *thread;
static char folder[64];

static void begin(void)
{
	strcpy(folder, reading_folder());
	trace_writer_begin(&writer, folder, "1", 1);
	trace_writer_facts(&writer, "name=test", 10);
	thread = trace_thread_begin(&writer, 1);
}

static void after(uint64_t ns)
{
	writer.counter += trace_writer_ticks(ns);
}

static void open_events(void)
{
	trace_writer_end(&writer, true);
	reading_open(folder, &trace, &process);
	ck_assert_uint_eq(process.threads.count, 1);
	ck_assert_int_eq(functions_begin(&functions, &process), 0);
	thread_events_begin(&events, &process, &functions, process.threads.threads[0]);
}

static void finish(void)
{
	/* The last pair of clocks. */
	after(1000000);
	trace_thread_end(thread);
	open_events();
}

static void end(void)
{
	thread_events_end(&events);
	functions_end(&functions);
	reading_close(&trace, &process);
	reading_remove(folder);
}

/* Returns the next event as "+1@100": kind, function, and ns since the writer began, rounded to tens because
 * clocks are read in whole ns. */
static const char *next(void)
{
	static const char kinds[] = { [EVENT_ENTRY] = '+', [EVENT_EXIT] = '-', [EVENT_TAIL_EXIT] = '>' };
	static char text[128];
	struct event event;
	int more = thread_events_next(&events, &event);

	if (more <= 0)
		return more < 0 ? "error" : "end";
	int64_t ns = ((int64_t)event.time_ns - TRACE_WRITER_STEADY_NS + 5) / 10 * 10;

	if (event.kind == EVENT_LOST)
		snprintf(text, sizeof(text), "!%" PRIu32 ":%" PRIu64, event.cause, event.count);
	else if (event.kind == EVENT_USER)
		snprintf(text, sizeof(text), "$%" PRIu32 ":%" PRIu64 ",%" PRIu32 "@%" PRId64, event.user_type,
			 event.user_payload_1, event.user_payload_2, ns);
	else if (event.kind > EVENT_TAIL_EXIT)
		snprintf(text, sizeof(text), "%s%" PRIu32 "@%" PRId64, event.kind == EVENT_FRAME ? "frame" : "unwind",
			 event.frame, ns);
	else
		snprintf(text, sizeof(text), "%c%" PRIu64 "@%" PRId64, kinds[event.kind],
			 functions.list[event.function].id, ns);
	return text;
}

START_TEST(events_get_their_time_from_the_clocks_of_the_trace)
{
	begin();
	after(100);
	trace_thread_entry(thread, 1);
	after(50);
	trace_thread_entry(thread, 2);
	after(1000);
	trace_thread_tail(thread, 2);
	after(10);
	trace_thread_exit(thread, 1);
	finish();
	ck_assert_str_eq(next(), "+1@100");
	ck_assert_str_eq(next(), "+2@150");
	ck_assert_str_eq(next(), ">2@1150");
	ck_assert_str_eq(next(), "-1@1160");
	ck_assert_str_eq(next(), "end");
	ck_assert_str_eq(next(), "end");
	end();
}
END_TEST

START_TEST(time_does_not_run_backwards)
{
	begin();
	after(1000);
	trace_thread_entry(thread, 1);
	writer.counter -= trace_writer_ticks(500);
	trace_thread_entry(thread, 2);
	writer.counter += trace_writer_ticks(600);
	trace_thread_exit(thread, 2);
	finish();
	ck_assert_str_eq(next(), "+1@1000");
	ck_assert_str_eq(next(), "+2@1000");
	ck_assert_str_eq(next(), "-2@1100");
	end();
}
END_TEST

START_TEST(an_event_after_a_long_time_gets_its_time_from_a_full_time_stamp)
{
	uint64_t words[2];

	begin();
	after(100);
	trace_thread_entry(thread, 1);
	after(20ull * 1000000000);
	words[0] = writer.counter;
	words[1] = SPOOR_EVENT_CODE(SPOOR_EVENT_EXIT, 1);
	trace_thread_extended(thread, SPOOR_EXTENDED_TIMED_EVENT, words, 2);
	after(20ull * 1000000000);
	trace_thread_extended(thread, SPOOR_EXTENDED_TIME, &writer.counter, 1);
	after(70);
	trace_thread_entry(thread, 3);
	finish();
	ck_assert_str_eq(next(), "+1@100");
	ck_assert_str_eq(next(), "-1@20000000100");
	ck_assert_str_eq(next(), "+3@40000000170");
	ck_assert_str_eq(next(), "end");
	end();
}
END_TEST

START_TEST(frames_are_returned_with_their_bits)
{
	uint64_t words[2];

	begin();
	after(100);
	trace_thread_entry(thread, 1);
	trace_thread_word(thread, SPOOR_EVENT_WORD(SPOOR_EVENT_FRAME, 12345, writer.counter));
	after(100);
	trace_thread_word(thread, SPOOR_EVENT_WORD(SPOOR_EVENT_UNWIND, SPOOR_INDEX_MAX, writer.counter));
	after(20ull * 1000000000);
	words[0] = writer.counter;
	words[1] = SPOOR_EVENT_CODE(SPOOR_EVENT_UNWIND, 0);
	trace_thread_extended(thread, SPOOR_EXTENDED_TIMED_EVENT, words, 2);
	finish();
	ck_assert_str_eq(next(), "+1@100");
	ck_assert_str_eq(next(), "frame12345@100");
	ck_assert_str_eq(next(), "unwind536870911@200");
	ck_assert_str_eq(next(), "unwind0@20000000200");
	end();
}
END_TEST

START_TEST(missing_slices_are_reported_once_at_their_place)
{
	begin();
	trace_thread_entry(thread, 1);
	trace_thread_flush(thread);
	trace_thread_skip(thread);
	trace_thread_skip(thread);
	trace_thread_entry(thread, 2);
	trace_thread_flush(thread);
	trace_thread_entry(thread, 3);
	finish();
	ck_assert_str_eq(next(), "+1@0");
	ck_assert_str_eq(next(), "!257:2");
	ck_assert_str_eq(next(), "+2@0");
	ck_assert_str_eq(next(), "+3@0");
	ck_assert_str_eq(next(), "end");
	end();
}
END_TEST

START_TEST(a_loss_is_reported_once_whether_a_slice_or_a_word_has_it)
{
	const uint64_t words[] = { 30, SPOOR_LOSS_POOL_EXHAUSTED };

	begin();
	trace_thread_entry(thread, 1);
	trace_thread_flush(thread);
	thread->info.lost = 12;
	trace_thread_entry(thread, 2);
	trace_thread_flush(thread);
	thread->info.lost = 42;
	trace_thread_extended(thread, SPOOR_EXTENDED_LOST, words, 2);
	trace_thread_entry(thread, 3);
	finish();
	ck_assert_str_eq(next(), "+1@0");
	ck_assert_str_eq(next(), "!256:12");
	ck_assert_str_eq(next(), "+2@0");
	ck_assert_str_eq(next(), "!0:30");
	ck_assert_str_eq(next(), "+3@0");
	ck_assert_str_eq(next(), "end");
	end();
}
END_TEST

static void user_event(uint32_t type, uint64_t payload_1, uint32_t payload_2)
{
	struct spoor_user_event event = { .counter = writer.counter, .type = type, .payload_1 = payload_1,
					  .payload_2 = payload_2 };
	uint64_t words[SPOOR_USER_OWN_TIME_WORDS];

	spoor_user_pack(&event, words);
	trace_thread_extended(thread, SPOOR_EXTENDED_USER, words, SPOOR_USER_WORDS);
}

START_TEST(user_events_have_their_payload_and_injected_calls_their_function)
{
	begin();
	after(100);
	user_event(0x80000009, UINT64_MAX, 5);
	user_event(SPOOR_EVENT_ENTRY, 77, 0);
	user_event(SPOOR_EVENT_EXIT, 77, 0);
	finish();
	ck_assert_str_eq(next(), "$2147483657:18446744073709551615,5@100");
	ck_assert_str_eq(next(), "+77@100");
	ck_assert_str_eq(next(), "-77@100");
	end();
}
END_TEST

START_TEST(tracepoints_have_their_name_and_arguments_with_size_and_sign)
{
	static const char record[] = "\5\0\1\0\0\0\0\0some:name\0/a/path";
	const uint64_t mark = SPOOR_USER_MARK, low = SPOOR_USER_MARK - 1;
	/* The types are i8, u16, i32, pointer, i64, u64. Bits above a type's size are ignored. */
	uint64_t types = 4 | 1 << 4 | 6 << 8 | 11 << 12 | 7 << 16 | 3 << 20, hits[3 + 14];
	const uint64_t values[6] = { (uint64_t)-2, 0x12345, (uint64_t)-70000, 0xffffdeadbeef0000, 1ull << 63, UINT64_MAX };
	uint64_t upper = 0;
	char text[TRACEPOINT_TEXT_MAX];
	struct event event;

	begin();
	trace_writer_block(&writer, SPOOR_BLOCK_TRACEPOINT, 0, record, sizeof(record));
	trace_writer_block(&writer, SPOOR_BLOCK_TRACEPOINT, 0, record, 7);	/* too short, */
	trace_writer_block(&writer, SPOOR_BLOCK_TRACEPOINT, 0, record, 17);	/* and without a path */
	after(100);
	for (int i = 0; i < 6; i++) {
		hits[3 + i] = mark | (values[i] & low);
		upper |= values[i] >> 60 << 4 * i;
	}
	hits[0] = mark | writer.counter;
	hits[1] = mark | types | 5ull << 48;
	hits[2] = mark | upper | 16ull << 48;	/* number 5 + (16 << 12) */
	trace_thread_extended(thread, SPOOR_EXTENDED_TRACEPOINT, hits, 9);
	trace_thread_extended(thread, SPOOR_EXTENDED_TRACEPOINT, hits, 2);	/* too short */
	/* A tracepoint without a name, with more arguments than it can have. */
	for (int i = 6; i < 14; i++)
		hits[3 + i] = mark | (uint64_t)i;
	hits[1] = mark | 9ull << 48;
	hits[2] = mark;
	trace_thread_extended(thread, SPOOR_EXTENDED_TRACEPOINT, hits, 17);
	finish();
	ck_assert_int_eq(thread_events_next(&events, &event), 1);
	ck_assert_uint_eq(event.kind, EVENT_TRACEPOINT);
	ck_assert_str_eq(function_name(&functions, event.function), "some:name");
	ck_assert_str_eq(function_library(&functions, event.function), "[tracepoint]");
	ck_assert_str_eq(process_tracepoint(&process, event.tracepoint->number)->path, "/a/path");
	tracepoint_text(event.tracepoint, true, text);
	ck_assert_str_eq(text, "i8 -2, u16 9029, i32 -70000, ptr 0xffffdeadbeef0000, i64 -9223372036854775808, "
			       "u64 18446744073709551615");
	tracepoint_text(event.tracepoint, false, text);
	ck_assert_str_eq(text, "-2, 9029, -70000, 0xffffdeadbeef0000, -9223372036854775808, 18446744073709551615");
	ck_assert_int_eq(thread_events_next(&events, &event), 1);
	ck_assert_str_eq(function_name(&functions, event.function), "tracepoint#9");
	ck_assert_uint_eq(event.tracepoint->count, SPOOR_TRACEPOINT_ARGUMENTS_MAX);
	ck_assert_str_eq(next(), "end");
	ck_assert_uint_eq(events.unknown_words, 3);
	ck_assert(process.damaged);
	end();
}
END_TEST

START_TEST(words_of_unknown_kinds_are_skipped_and_counted)
{
	const uint64_t three[] = { 1, 2, 3 };

	begin();
	trace_thread_entry(thread, 1);
	trace_thread_extended(thread, 99, three, 3);
	trace_thread_extended(thread, SPOOR_EXTENDED_NOP, NULL, 0);
	trace_thread_word(thread, SPOOR_EVENT_WORD(0, 7, 1));
	trace_thread_extended(thread, SPOOR_EXTENDED_USER, three, 2);	/* too short */
	trace_thread_entry(thread, 2);
	/* A word that is longer than the rest of the slice. */
	trace_thread_word(thread, SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, 200, SPOOR_EXTENDED_TIME));
	trace_thread_entry(thread, 3);
	finish();
	ck_assert_str_eq(next(), "+1@0");
	ck_assert_str_eq(next(), "+2@0");
	ck_assert_str_eq(next(), "end");
	ck_assert_uint_eq(events.unknown_words, 4 + 1 + 3 + 1);
	end();
}
END_TEST

/* The packed words of the second slice are damaged after the reader indexed it. */
START_TEST(a_slice_that_cannot_be_unpacked_is_reported)
{
	char path[128];
	off_t size;
	int file;

	begin();
	trace_thread_entry(thread, 1);
	trace_thread_flush(thread);
	for (int i = 0; i < 100; i++)
		trace_thread_entry(thread, 2);
	finish();
	snprintf(path, sizeof(path), "%s/1/%s", folder, SPOOR_EVENTS_FILE);
	file = open(path, O_RDWR);
	size = lseek(file, 0, SEEK_END);
	ck_assert_int_eq(pwrite(file, "\xff\xff\xff\xff", 4, size - 8), 4);
	file_window_forget(&process.events.window);
	ck_assert_str_eq(next(), "+1@0");
	ck_assert_str_eq(next(), "!258:1");
	ck_assert_str_eq(next(), "end");
	ck_assert_uint_eq(events.unreadable_slices, 1);
	close(file);
	end();
}
END_TEST

START_TEST(events_in_the_pool_come_last)
{
	begin();
	trace_thread_entry(thread, 1);
	trace_thread_flush(thread);
	after(10);
	trace_thread_entry(thread, 2);
	trace_writer_pool(&writer, &thread, 1, 0);
	trace_thread_free(thread);
	open_events();
	ck_assert_str_eq(next(), "+1@0");
	ck_assert_str_eq(next(), "+2@10");
	ck_assert_str_eq(next(), "end");
	end();
}
END_TEST

UNIT_MAIN("thread_events", events_get_their_time_from_the_clocks_of_the_trace, time_does_not_run_backwards,
	  an_event_after_a_long_time_gets_its_time_from_a_full_time_stamp,
	  frames_are_returned_with_their_bits, missing_slices_are_reported_once_at_their_place,
	  a_loss_is_reported_once_whether_a_slice_or_a_word_has_it,
	  user_events_have_their_payload_and_injected_calls_their_function,
	  tracepoints_have_their_name_and_arguments_with_size_and_sign,
	  words_of_unknown_kinds_are_skipped_and_counted, a_slice_that_cannot_be_unpacked_is_reported,
	  events_in_the_pool_come_last)
