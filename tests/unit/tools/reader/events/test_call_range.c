/* SPDX-License-Identifier: MIT */
/* test_call_range.c - a range of time has the calls that are open in it, cut at its ends. */
#include "tests/unit/support/reading.h"

#include <stdlib.h>
#include <string.h>

static struct trace_writer writer;
static struct trace_thread *thread;
static struct trace trace;
static struct process process;
static char folder[64];

static void begin(void)
{
	strcpy(folder, reading_folder());
	trace_writer_begin(&writer, folder, "1", 1);
	trace_writer_facts(&writer, "name=test", 10);
	/* Half a nanosecond, because rates are rounded down. */
	writer.counter++;
	thread = trace_thread_begin(&writer, 1);
}

/* Writes entries and exits, "+3 -3", with 10 ns between two events. */
static void write_events(const char *events)
{
	for (const char *at = events; *at; at += *at == ' ') {
		char kind = *at++;
		uint32_t index = (uint32_t)strtoul(at, (char **)&at, 10);

		writer.counter += trace_writer_ticks(10);
		(kind == '+' ? trace_thread_entry : trace_thread_exit)(thread, index);
	}
}

static void write_switch(uint32_t frame)
{
	trace_thread_word(thread, SPOOR_EVENT_WORD(SPOOR_EVENT_SWITCH, frame, writer.counter));
}

static void finish(void)
{
	trace_thread_end(thread);
	/* This end has no fraction of a nanosecond either. */
	writer.counter = TRACE_WRITER_COUNTER + trace_writer_ticks(1000);
	trace_writer_end(&writer, true);
	reading_open(folder, &trace, &process);
}

/* The range is [@begin_ns, @end_ns), counted from the first event. */
static void expect(uint64_t begin_ns, uint64_t end_ns, const char *calls, const char *durations)
{
	reading_only(TRACE_WRITER_STEADY_NS + begin_ns, end_ns == UINT64_MAX ? end_ns : TRACE_WRITER_STEADY_NS + end_ns);
	ck_assert_str_eq(reading_calls(&process, 0), calls);
	ck_assert_str_eq(reading_durations(&process, 0), durations);
}

static void end(void)
{
	reading_close(&trace, &process);
	reading_remove(folder);
}

START_TEST(calls_that_cross_an_end_are_cut_there)
{
	begin();
	write_events("+1 +2 -2 +3 -3 -1 +4 -4");
	finish();
	expect(0, UINT64_MAX, "1(2 3) 4", "10 10 50 10");
	expect(25, 45, "<1(<2 3+)+", "5 5 20");
	expect(25, UINT64_MAX, "<1(<2 3) 4", "5 10 35 10");
	expect(0, 45, "1(2 3+)+", "10 5 35");
	expect(32, 38, "<1+", "6");
	end();
}
END_TEST

START_TEST(the_begin_of_a_range_is_inclusive_and_its_end_exclusive)
{
	begin();
	write_events("+1 -1 +2 -2 +3 -3");
	finish();
	expect(20, 50, "<1 2", "0 10");
	expect(30, 51, "2 3+", "10 1");
	end();
}
END_TEST

START_TEST(ranges_before_and_after_all_events_are_empty)
{
	begin();
	write_events("+1 +2 -2");
	finish();
	expect(0, 5, "", "");
	/* The ends of unfinished calls are unknown; the thread's last event counts as their end. */
	expect(35, UINT64_MAX, "", "");
	expect(30, UINT64_MAX, "<1(<2)?", "0 0");
	end();
}
END_TEST

START_TEST(a_stack_that_was_left_before_the_range_continues_in_it)
{
	begin();
	write_events("+1 +2");
	write_switch(900);
	write_events("+3");
	write_switch(800);
	write_switch(SPOOR_SWITCH_GOES_ON | 900);
	write_events("-2 -1");
	finish();
	expect(25, UINT64_MAX, "3/ <1(<2)", "0 10 20");
	end();
}
END_TEST

START_TEST(calls_that_a_gap_ended_before_the_range_are_not_in_it)
{
	uint64_t counter;

	begin();
	write_events("+1 +2");
	counter = writer.counter + trace_writer_ticks(100);
	writer.counter = counter;
	trace_thread_extended(thread, SPOOR_EXTENDED_GAP, &counter, 1);
	write_events("+3 -3");
	finish();
	expect(50, UINT64_MAX, "!260:0 3", "10");
	expect(0, 50, "1(2|)|", "0 10");
	end();
}
END_TEST

START_TEST(only_events_missing_in_the_range_make_calls_unreliable)
{
	const uint64_t words[] = { 5, SPOOR_LOSS_POOL_EXHAUSTED };

	begin();
	write_events("+1 +2 -2");
	trace_thread_extended(thread, SPOOR_EXTENDED_LOST, words, 2);
	write_events("+3 -3 -1");
	finish();
	expect(0, 25, "1(2+)+", "5 15");
	expect(25, UINT64_MAX, "<1(<2 !0:5 3)%", "5 10 35");
	end();
}
END_TEST

UNIT_MAIN("call_range", calls_that_cross_an_end_are_cut_there,
	  the_begin_of_a_range_is_inclusive_and_its_end_exclusive,
	  ranges_before_and_after_all_events_are_empty,
	  a_stack_that_was_left_before_the_range_continues_in_it,
	  calls_that_a_gap_ended_before_the_range_are_not_in_it,
	  only_events_missing_in_the_range_make_calls_unreliable)
