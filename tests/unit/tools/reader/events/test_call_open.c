/* SPDX-License-Identifier: MIT */
/* test_call_open.c - a call ends if its function becomes dormant during the call; other calls are unaffected. */
#include "tests/unit/support/reading.h"

#include <stdlib.h>
#include <string.h>

static struct trace_writer writer;
static struct trace_thread *thread;
static char folder[64];

static void begin(void)
{
	strcpy(folder, reading_folder());
	trace_writer_begin(&writer, folder, "1", 1);
	trace_writer_facts(&writer, "name=test", 10);
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

/* Records that functions @first to @last, and 100 to 109, became dormant between the two times. */
static void write_dormant_run(uint32_t first, uint32_t last, uint64_t asked_ns, uint64_t done_ns)
{
	struct {
		struct spoor_disabled disabled;
		struct spoor_index_run runs[2];
	} record = {
		{
			.asked = TRACE_WRITER_COUNTER + trace_writer_ticks(asked_ns),
			.counter = TRACE_WRITER_COUNTER + trace_writer_ticks(done_ns),
		},
		{ { first, last + 1 - first }, { 100, 10 } },
	};

	trace_writer_block(&writer, SPOOR_BLOCK_DISABLED, 0, &record, sizeof(record));
}

static void write_dormant(uint32_t index, uint64_t asked_ns, uint64_t done_ns)
{
	write_dormant_run(index, index, asked_ns, done_ns);
}

/* @durations: of the calls in the order of their ends; or null to ignore them */
static void expect_lasting(const char *calls, const char *durations)
{
	struct process process;
	struct trace trace;

	trace_thread_end(thread);
	trace_writer_end(&writer, true);
	reading_open(folder, &trace, &process);
	ck_assert_str_eq(reading_calls(&process, 0), calls);
	if (durations)
		ck_assert_str_eq(reading_durations(&process, 0), durations);
	reading_close(&trace, &process);
	reading_remove(folder);
}

static void expect(const char *calls)
{
	expect_lasting(calls, NULL);
}

START_TEST(calls_after_an_entry_without_an_exit_are_not_inside_that_call)
{
	begin();
	write_events("+1 +2 -2 +2 -2 +2 +3 -3 -1");
	write_dormant(2, 35, 75);
	expect("1(2 2 2| 3)");
}
END_TEST

START_TEST(a_call_of_a_dormant_function_ends_when_that_was_requested)
{
	begin();
	write_events("+1 +2 +3 -3 +4 -4 +5 -5 -1");
	write_dormant(2, 45, 65);
	expect("1(2(3)| 4 5)");
}
END_TEST

START_TEST(a_call_of_a_dormant_function_ends_after_the_calls_inside_it)
{
	begin();
	write_events("+1 +2 +3 +4 -4 -3 +5 -5 -1");
	write_dormant(2, 35, 38);
	expect("1(2(3(4))| 5)");
}
END_TEST

START_TEST(without_an_open_call_nothing_changes)
{
	begin();
	write_events("+1 +2 -2 +3 -3 -1");
	write_dormant(2, 15, 45);
	expect("1(2 3)");
}
END_TEST

START_TEST(calls_after_the_function_is_enabled_again_have_their_own_ends)
{
	begin();
	write_events("+1 +2 +3 -3 +2 -2 -1");
	write_dormant(2, 22, 28);
	expect("1(2| 3 2)");
}
END_TEST

START_TEST(all_calls_of_a_recursion_end)
{
	begin();
	write_events("+1 +2 +2 +2 +3 -3 -1");
	write_dormant(2, 15, 45);
	expect("1(2(2(2|)|)| 3)");
}
END_TEST

START_TEST(two_functions_that_become_dormant_at_the_same_time_both_end)
{
	begin();
	write_events("+1 +2 +3 +4 -4 -1");
	write_dormant(2, 22, 36);
	write_dormant(3, 22, 36);
	expect("1(2| 3| 4)");
}
END_TEST

START_TEST(a_time_after_all_events_changes_nothing_without_an_open_call)
{
	begin();
	write_events("+1 +2 -2 -1");
	write_dormant(1, 500, 600);
	expect("1(2)");
}
END_TEST

START_TEST(an_open_call_whose_function_becomes_dormant_after_all_events_ends_with_the_last_event)
{
	begin();
	write_events("+1 +2 -2 +2");
	write_dormant(2, 500, 600);
	expect("1(2 2|)?");
}
END_TEST

START_TEST(an_open_call_of_several_functions_that_become_dormant_ends_with_the_last_event)
{
	begin();
	write_events("+1 +2 +3 -3");
	write_dormant(2, 22, 25);
	write_dormant(3, 500, 600);
	write_dormant(1, 700, 800);
	expect("1(2| 3)|");
}
END_TEST

START_TEST(a_call_that_a_later_root_shows_open_continues)
{
	const struct spoor_root root = { 2, 1000 };

	begin();
	write_events("+1 +2");
	write_dormant(2, 500, 600);
	writer.counter += trace_writer_ticks(1000);
	trace_writer_roots(&writer, 1, 1, &root, 1);
	expect("1(2|)| @2?");
}
END_TEST

START_TEST(calls_of_all_functions_of_a_choice_end)
{
	begin();
	write_events("+99 +2 +4 +104 +110 -110 -4 +4 -4 -99");
	write_dormant_run(2, 3, 45, 45);
	expect("99(2(4(104| 110))| 4)");
}
END_TEST

START_TEST(a_call_lasts_until_its_function_is_disabled)
{
	begin();
	write_events("+1 +2");
	write_dormant(2, 55, 65);
	writer.counter += trace_writer_ticks(100);
	write_events("+3 -3 -1");
	expect_lasting("1(2| 3)", "35 10 140");
}
END_TEST

START_TEST(calls_on_a_stack_that_was_left_end_when_the_stack_continues)
{
	begin();
	write_events("+1 +2 +3");
	write_switch(900);
	write_events("+4 -4");
	write_switch(SPOOR_SWITCH_GOES_ON | 900);
	write_events("+5 -5 -1");
	write_dormant_run(2, 3, 35, 35);
	expect("1(2(3/)/)/ 4 1(2(3|)| 5)");
}
END_TEST

UNIT_MAIN("call_open", calls_after_an_entry_without_an_exit_are_not_inside_that_call,
	  a_call_of_a_dormant_function_ends_when_that_was_requested,
	  a_call_of_a_dormant_function_ends_after_the_calls_inside_it, without_an_open_call_nothing_changes,
	  calls_after_the_function_is_enabled_again_have_their_own_ends, all_calls_of_a_recursion_end,
	  two_functions_that_become_dormant_at_the_same_time_both_end,
	  a_time_after_all_events_changes_nothing_without_an_open_call,
	  an_open_call_whose_function_becomes_dormant_after_all_events_ends_with_the_last_event,
	  an_open_call_of_several_functions_that_become_dormant_ends_with_the_last_event,
	  a_call_that_a_later_root_shows_open_continues, calls_of_all_functions_of_a_choice_end,
	  a_call_lasts_until_its_function_is_disabled,
	  calls_on_a_stack_that_was_left_end_when_the_stack_continues)
