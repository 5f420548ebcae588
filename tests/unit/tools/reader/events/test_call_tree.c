/* SPDX-License-Identifier: MIT */
/* test_call_tree.c - makes calls from events, and repairs calls that do not nest. */
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

/* Writes events: "+3 -3 >3" are entry, exit and tail exit of function 3; "|" ends a slice. */
static void write_events(const char *events)
{
	for (const char *at = events; *at;) {
		char kind = *at++;
		uint32_t index = *at >= '0' && *at <= '9' ? (uint32_t)strtoul(at, (char **)&at, 10) : 0;

		writer.counter += trace_writer_ticks(10);
		if (kind == '+')
			trace_thread_entry(thread, index);
		else if (kind == '-')
			trace_thread_exit(thread, index);
		else if (kind == '>')
			trace_thread_tail(thread, index);
		else if (kind == '|')
			trace_thread_flush(thread);
		while (*at == ' ')
			at++;
	}
}

/* Closes the trace, opens it for reading, and compares its calls with @calls. */
static void expect(const char *calls, const char *durations)
{
	struct trace trace;
	struct process process;

	trace_thread_end(thread);
	trace_writer_end(&writer, true);
	reading_open(folder, &trace, &process);
	ck_assert_str_eq(reading_calls(&process, 0), calls);
	if (durations)
		ck_assert_str_eq(reading_durations(&process, 0), durations);
	ck_assert(!process.damaged);
	reading_close(&trace, &process);
	reading_remove(folder);
}

START_TEST(calls_nest_like_their_events)
{
	begin();
	write_events("+1 +2 -2 +3 +4 -4 -3 -1 +5 -5");
	expect("1(2 3(4)) 5", "10 10 30 70 10");
}
END_TEST

START_TEST(a_call_continues_in_the_next_slice)
{
	begin();
	write_events("+1 +2 | -2 +3 | | -3 -1");
	expect("1(2 3)", NULL);
}
END_TEST

START_TEST(recursion_of_30_000_nests)
{
	struct trace trace;
	struct process process;
	const char *calls;

	begin();
	for (int i = 0; i < 30000; i++)
		write_events("+1");
	for (int i = 0; i < 30000; i++)
		write_events("-1");
	trace_thread_end(thread);
	trace_writer_end(&writer, true);
	reading_open(folder, &trace, &process);
	calls = reading_calls(&process, 0);
	for (int i = 0; i < 30000 - 1; i++)
		ck_assert_int_eq(memcmp(calls + 2 * i, "1(", 2), 0);
	ck_assert_uint_eq(strspn(calls + 2 * 29999 + 1, ")"), 29999);
	reading_close(&trace, &process);
	reading_remove(folder);
}
END_TEST

START_TEST(a_tail_call_follows_as_a_sibling)
{
	begin();
	write_events("+1 +2 >2 +3 >3 +4 -4 -1");
	expect("1(2> 3> 4)", NULL);
}
END_TEST

START_TEST(calls_that_an_exception_left_end_when_their_caller_returns)
{
	begin();
	write_events("+1 +2 +3 +4 -2 +5 -5 -1");
	expect("1(2(3(4~)~) 5)", "10 20 30 10 70");
}
END_TEST

START_TEST(a_tail_exit_of_an_outer_call_closes_the_inner_ones)
{
	begin();
	write_events("+1 +2 +3 >2 +4 -4 -1");
	expect("1(2(3~)> 4)", NULL);
}
END_TEST

START_TEST(an_exit_without_an_entry_changes_nothing)
{
	begin();
	write_events("-7 +1 -8 +2 -2 -1 -9");
	expect("^7 1(^8 2) ^9", NULL);
}
END_TEST

START_TEST(calls_that_are_open_at_the_end_are_unfinished)
{
	begin();
	write_events("+1 +2 +3 -3");
	expect("1(2(3)?)?", "10 20 30");
}
END_TEST

START_TEST(an_exit_belongs_to_the_innermost_call_of_its_function)
{
	begin();
	write_events("+1 +2 +1 +3 -1 -2 -1");
	expect("1(2(1(3~)))", NULL);
}
END_TEST

START_TEST(a_counted_loss_is_reported_once_and_makes_open_calls_unreliable)
{
	const uint64_t words[] = { 5, SPOOR_LOSS_POOL_EXHAUSTED };

	begin();
	write_events("+1 +2 -2 |");
	thread->info.lost = 5;
	trace_thread_extended(thread, SPOOR_EXTENDED_LOST, words, 2);
	write_events("+3 -3 -1");
	expect("1(2 !0:5 3)%", NULL);
}
END_TEST

START_TEST(an_exit_after_a_gap_closes_no_call_from_before_the_gap)
{
	const uint64_t words[] = { writer.counter };

	begin();
	write_events("+1 +2 +3 -3");
	trace_thread_extended(thread, SPOOR_EXTENDED_GAP, words, 1);
	write_events("+4 -4 -2 -1");
	expect("1(2(3)|)| !260:0 4 ^2 ^1", NULL);
}
END_TEST

START_TEST(a_loss_without_an_event_is_reported_before_the_slice)
{
	begin();
	write_events("+1 |");
	thread->info.lost = 5;
	write_events("+3 -3 | +4 -4 -1");
	expect("1(!256:5 3 4)%", NULL);
}
END_TEST

START_TEST(a_missing_slice_is_reported_at_its_place)
{
	begin();
	write_events("+1 |");
	trace_thread_skip(thread);
	trace_thread_skip(thread);
	write_events("+3 -3 -1");
	expect("1(!257:2 3)%", NULL);
}
END_TEST

START_TEST(a_time_that_runs_backwards_is_clamped)
{
	begin();
	write_events("+1 +2");
	writer.counter -= 5;
	trace_thread_exit(thread, 2);
	writer.counter += 5;
	write_events("-1");
	expect("1(2)", "0 20");
}
END_TEST

START_TEST(the_low_half_of_the_counter_wraps_in_the_middle)
{
	begin();
	writer.counter = (writer.counter | UINT32_MAX) - 30;
	write_events("+1 +2 -2 +3 -3 -1");
	expect("1(2 3)", "10 10 50");
}
END_TEST

START_TEST(a_full_time_bridges_any_gap)
{
	uint64_t words[2];

	begin();
	write_events("+1 +2");
	writer.counter += trace_writer_ticks(100000000000);
	words[0] = writer.counter;
	words[1] = SPOOR_EVENT_CODE(SPOOR_EVENT_EXIT, 2);
	trace_thread_extended(thread, SPOOR_EXTENDED_TIMED_EVENT, words, 2);
	write_events("-1");
	writer.counter += trace_writer_ticks(100000000000);
	trace_thread_extended(thread, SPOOR_EXTENDED_TIME, &writer.counter, 1);
	write_events("+3 -3");
	expect("1(2) 3", "100000000000 100000000020 10");
}
END_TEST

START_TEST(nops_and_unknown_extended_words_are_skipped)
{
	struct trace trace;
	struct process process;
	const uint64_t words[] = { SPOOR_EVENT_WORD(SPOOR_EVENT_ENTRY, 9, 0), 0, 1 };

	begin();
	write_events("+1");
	trace_thread_extended(thread, SPOOR_EXTENDED_NOP, NULL, 0);
	trace_thread_extended(thread, (enum spoor_extended_type)77, words, 3);
	trace_thread_word(thread, SPOOR_EVENT_WORD(0, 1, writer.counter));
	write_events("-1");
	trace_thread_end(thread);
	trace_writer_end(&writer, true);
	reading_open(folder, &trace, &process);
	ck_assert_str_eq(reading_calls(&process, 0), "1");
	reading_close(&trace, &process);
	reading_remove(folder);
}
END_TEST

static void write_frame(enum spoor_event_kind kind, uint32_t frame)
{
	trace_thread_word(thread, SPOOR_EVENT_WORD(kind, frame, writer.counter));
}

START_TEST(calls_that_an_exception_left_end_at_its_arrival)
{
	begin();
	write_events("+1");
	write_frame(SPOOR_EVENT_FRAME, 900);
	write_events("+2 +3");
	write_frame(SPOOR_EVENT_UNWIND, 900);
	write_events("+4 -4 -1");
	expect("1(2(3*)* 4)", NULL);
}
END_TEST

START_TEST(a_frame_distinguishes_the_calls_of_a_recursion)
{
	begin();
	write_events("+1");
	write_frame(SPOOR_EVENT_FRAME, 900);
	write_events("+1");
	write_frame(SPOOR_EVENT_FRAME, 800);
	write_events("+1");
	write_frame(SPOOR_EVENT_FRAME, 700);
	write_events("+2");
	write_frame(SPOOR_EVENT_UNWIND, 800);
	write_events("+4 -4 -1 +5 -5 -1");
	expect("1(1(1(2*)* 4) 5)", NULL);
}
END_TEST

START_TEST(if_no_call_survives_all_calls_are_unwound)
{
	begin();
	write_events("+1 +2");
	write_frame(SPOOR_EVENT_UNWIND, 0);
	write_events("+3 -3");
	expect("1(2*)* 3", NULL);
}
END_TEST

#define GOES_ON(frame) (SPOOR_SWITCH_GOES_ON | (frame))

START_TEST(each_stack_nests_on_its_own)
{
	begin();
	write_events("+1 +2");
	write_frame(SPOOR_EVENT_SWITCH, 900);
	write_events("+3 +4");
	write_frame(SPOOR_EVENT_SWITCH, 800);
	write_frame(SPOOR_EVENT_SWITCH, GOES_ON(900));
	write_events("-2 +2");
	write_frame(SPOOR_EVENT_SWITCH, 900);
	write_frame(SPOOR_EVENT_SWITCH, GOES_ON(800));
	write_events("-4 +5 -5 -3");
	write_frame(SPOOR_EVENT_SWITCH, GOES_ON(900));
	write_events("-2 -1");
	/* Events are 10 ns apart; a switch takes no time. */
	expect("1(2/)/ 3(4/)/ 1(2 2/)/ 3(4 5) 1(2)", "0 10 0 10 10 0 20 10 10 40 10 20");
}
END_TEST

START_TEST(a_stack_that_continues_without_having_been_left_closes_the_open_calls)
{
	begin();
	write_events("+1 +2");
	write_frame(SPOOR_EVENT_SWITCH, GOES_ON(900));
	write_events("-7 +3 -3");
	expect("1(2~)~ ^7 3", NULL);
}
END_TEST

START_TEST(a_call_whose_frame_continues_without_having_been_left_stays_open)
{
	begin();
	write_events("+1");
	write_frame(SPOOR_EVENT_FRAME, GOES_ON(900));
	write_events("+2");
	write_frame(SPOOR_EVENT_SWITCH, GOES_ON(900));
	write_events("+3 -3 -1");
	expect("1(2~ 3)", NULL);
}
END_TEST

START_TEST(a_stack_that_is_left_again_from_the_same_frame_is_a_new_stack)
{
	begin();
	write_events("+1");
	write_frame(SPOOR_EVENT_SWITCH, 900);
	write_events("+2");
	write_frame(SPOOR_EVENT_SWITCH, 900);
	write_frame(SPOOR_EVENT_SWITCH, GOES_ON(900));
	write_events("-2");
	expect("1/ 2/ 2", NULL);
}
END_TEST

START_TEST(a_loss_while_a_stack_is_left_makes_its_calls_unreliable)
{
	begin();
	write_events("+1");
	write_frame(SPOOR_EVENT_SWITCH, 900);
	write_events("|");
	thread->info.lost = 3;
	write_events("+2 -2");
	write_frame(SPOOR_EVENT_SWITCH, GOES_ON(900));
	write_events("-1");
	expect("1/ !256:3 2 1%", NULL);
}
END_TEST

START_TEST(a_gap_also_ends_the_stacks_that_were_left)
{
	const uint64_t words[] = { writer.counter };

	begin();
	write_events("+1 +2");
	write_frame(SPOOR_EVENT_SWITCH, 900);
	write_events("+3");
	trace_thread_extended(thread, SPOOR_EXTENDED_GAP, words, 1);
	write_frame(SPOOR_EVENT_SWITCH, GOES_ON(900));
	write_events("-2 +4 -4 -1");
	expect("1(2/)/ 3| !260:0 ^2 4 ^1", NULL);
}
END_TEST

START_TEST(an_arrival_in_an_unknown_call_changes_nothing)
{
	begin();
	write_events("+1");
	write_frame(SPOOR_EVENT_FRAME, 900);
	write_events("+2");
	write_frame(SPOOR_EVENT_UNWIND, 850);
	write_events("-2 -1");
	expect("1(2)", NULL);
}
END_TEST

START_TEST(user_events_are_reported_and_injected_calls_are_calls)
{
	begin();
	trace_writer_module(&writer, 0xabc, 100, 10, "", 0, "/nowhere/libx.so", "");
	write_events("+1");
	trace_thread_user(thread, 33, 0xabcull << 32 | 5, 0, 0);
	trace_thread_user(thread, SPOOR_EVENT_ENTRY, 0xabcull << 32 | 5, 0, 0);
	write_events("-105 -1");
	/* Function 5 of its module, given as an index or as a function ID. */
	expect("1($33 5)", NULL);
}
END_TEST

START_TEST(raw_blocks_have_the_same_events_as_packed_ones)
{
	begin();
	writer.raw = true;
	write_events("+1 +2 -2 +3");
	trace_thread_word(thread, 0);
	write_events("+4 -4 -3 -1");
	expect("1(2 3(4))", NULL);
}
END_TEST

UNIT_MAIN("call_tree", calls_nest_like_their_events, a_call_continues_in_the_next_slice,
	  recursion_of_30_000_nests, a_tail_call_follows_as_a_sibling,
	  calls_that_an_exception_left_end_when_their_caller_returns,
	  a_tail_exit_of_an_outer_call_closes_the_inner_ones, an_exit_without_an_entry_changes_nothing,
	  calls_that_are_open_at_the_end_are_unfinished,
	  an_exit_belongs_to_the_innermost_call_of_its_function,
	  a_counted_loss_is_reported_once_and_makes_open_calls_unreliable,
	  an_exit_after_a_gap_closes_no_call_from_before_the_gap,
	  a_loss_without_an_event_is_reported_before_the_slice, a_missing_slice_is_reported_at_its_place,
	  a_time_that_runs_backwards_is_clamped, the_low_half_of_the_counter_wraps_in_the_middle,
	  a_full_time_bridges_any_gap, nops_and_unknown_extended_words_are_skipped,
	  calls_that_an_exception_left_end_at_its_arrival, a_frame_distinguishes_the_calls_of_a_recursion,
	  if_no_call_survives_all_calls_are_unwound, an_arrival_in_an_unknown_call_changes_nothing,
	  each_stack_nests_on_its_own,
	  a_stack_that_continues_without_having_been_left_closes_the_open_calls,
	  a_call_whose_frame_continues_without_having_been_left_stays_open,
	  a_stack_that_is_left_again_from_the_same_frame_is_a_new_stack,
	  a_loss_while_a_stack_is_left_makes_its_calls_unreliable,
	  a_gap_also_ends_the_stacks_that_were_left, user_events_are_reported_and_injected_calls_are_calls,
	  raw_blocks_have_the_same_events_as_packed_ones)
