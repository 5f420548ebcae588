/* SPDX-License-Identifier: MIT */
/* test_root_calls.c - the first calls of a thread are inside the calls that were open when recording began. */
#include "tests/unit/support/reading.h"

#include <string.h>

static struct trace_writer writer;
static struct trace_thread *thread;
static char folder[64];

static void begin(void)
{
	strcpy(folder, reading_folder());
	trace_writer_begin(&writer, folder, "1", 1);
	trace_writer_facts(&writer, "name=test", 10);
	writer.counter += trace_writer_ticks(1000);
}

/* Writes roots 1 to @count. The frame of root n is n * 1000. */
static void write_roots(uint32_t thread_id, uint32_t serial, uint32_t count)
{
	struct spoor_root roots[16];

	for (uint32_t i = 0; i < count; i++)
		roots[i] = (struct spoor_root){ i + 1, 1000 * (i + 1) };
	trace_writer_roots(&writer, thread_id, serial, roots, count);
}

static void step(void)
{
	writer.counter += trace_writer_ticks(10);
}

static void enter(uint32_t index)
{
	step();
	trace_thread_entry(thread, index);
}

static void leave(uint32_t index)
{
	step();
	trace_thread_exit(thread, index);
}

static void gap(void)
{
	step();
	trace_thread_extended(thread, SPOOR_EXTENDED_GAP, &writer.counter, 1);
}

/* Closes the trace, opens it for reading, and compares the calls of thread @number with @calls. */
static void expect(size_t number, const char *calls, const char *durations, bool damaged)
{
	struct trace trace;
	struct process process;

	if (thread)
		trace_thread_end(thread);
	thread = NULL;
	trace_writer_end(&writer, true);
	reading_open(folder, &trace, &process);
	ck_assert_str_eq(reading_calls(&process, number), calls);
	if (durations)
		ck_assert_str_eq(reading_durations(&process, number), durations);
	ck_assert_int_eq(process.damaged, damaged);
	reading_close(&trace, &process);
	reading_remove(folder);
}

START_TEST(the_first_call_is_inside_the_innermost_root)
{
	begin();
	write_roots(5, 0, 3);
	thread = trace_thread_begin(&writer, 5);
	enter(7);
	leave(7);
	expect(0, "@1(@2(@3(7)?)?)?", "10 20 20 20", false);
}
END_TEST

START_TEST(roots_that_return_end_and_the_others_continue)
{
	begin();
	write_roots(5, 0, 3);
	thread = trace_thread_begin(&writer, 5);
	leave(3);
	enter(4);
	leave(4);
	leave(2);
	enter(3);
	leave(3);
	expect(0, "@1(@2(@3 4) 3)?", "10 10 40 10 60", false);
}
END_TEST

START_TEST(an_exception_that_arrives_in_a_root_unwinds_the_roots_inside_it)
{
	begin();
	write_roots(5, 0, 4);
	thread = trace_thread_begin(&writer, 5);
	enter(7);
	step();
	trace_thread_word(thread, SPOOR_EVENT_WORD(SPOOR_EVENT_UNWIND, 2000, writer.counter));
	leave(2);
	expect(0, "@1(@2(@3(@4(7*)*)*))?", NULL, false);
}
END_TEST

START_TEST(a_root_that_ends_by_a_tail_call_is_followed_by_the_called_function)
{
	begin();
	write_roots(5, 0, 2);
	thread = trace_thread_begin(&writer, 5);
	step();
	trace_thread_tail(thread, 2);
	enter(3);
	leave(3);
	expect(0, "@1(@2> 3)?", NULL, false);
}
END_TEST

START_TEST(roots_of_a_stack_that_was_left_continue_with_it)
{
	begin();
	write_roots(5, 0, 2);
	thread = trace_thread_begin(&writer, 5);
	trace_thread_word(thread, SPOOR_EVENT_WORD(SPOOR_EVENT_SWITCH, 900, writer.counter));
	enter(3);
	leave(3);
	trace_thread_word(thread, SPOOR_EVENT_WORD(SPOOR_EVENT_SWITCH, SPOOR_SWITCH_GOES_ON | 900, writer.counter));
	leave(2);
	expect(0, "@1(@2/)/ 3 @1(@2)?", NULL, false);
}
END_TEST

START_TEST(a_thread_that_has_only_roots_is_in_the_trace)
{
	begin();
	thread = trace_thread_begin(&writer, 4);
	enter(1);
	leave(1);
	write_roots(5, 0, 2);
	expect(1, "@1(@2?)?", "0 0", false);
}
END_TEST

START_TEST(the_next_thread_with_the_ID_gets_the_roots_and_no_other_does)
{
	struct trace_thread *earlier;

	begin();
	earlier = trace_thread_begin(&writer, 5);
	trace_thread_entry(earlier, 9);
	trace_thread_end(earlier);
	step();
	write_roots(5, 0, 1);
	thread = trace_thread_begin(&writer, 5);
	enter(7);
	trace_thread_end(thread);
	thread = trace_thread_begin(&writer, 5);
	enter(8);
	expect(1, "@1(7?)?", NULL, false);
}
END_TEST

START_TEST(roots_after_a_gap_replace_the_open_calls)
{
	begin();
	thread = trace_thread_begin(&writer, 5);
	enter(7);
	enter(8);
	leave(8);
	gap();
	write_roots(5, 1, 2);
	enter(3);
	leave(3);
	leave(2);
	expect(0, "7(8)| !260:0 @1(@2(3))?", NULL, false);
}
END_TEST

START_TEST(roots_without_their_gap_begin_with_the_next_slice)
{
	begin();
	thread = trace_thread_begin(&writer, 5);
	enter(7);
	trace_thread_flush(thread);
	step();
	write_roots(5, 1, 2);
	enter(3);
	leave(3);
	expect(0, "7| @1(@2(3)?)?", NULL, false);
}
END_TEST

START_TEST(the_later_of_two_records_of_roots_counts)
{
	begin();
	write_roots(5, 1, 3);
	step();
	write_roots(5, 1, 1);
	thread = trace_thread_begin(&writer, 5);
	enter(7);
	expect(0, "@1(7?)?", NULL, false);
}
END_TEST

START_TEST(a_missing_slice_makes_roots_unreliable)
{
	begin();
	write_roots(5, 1, 1);
	thread = trace_thread_begin(&writer, 5);
	enter(7);
	trace_thread_skip(thread);
	enter(8);
	leave(8);
	expect(0, "@1(!257:1 8)?%", NULL, false);
}
END_TEST

START_TEST(an_empty_record_of_roots_is_no_damage)
{
	struct spoor_roots cut = { .counter = TRACE_WRITER_COUNTER, .flags = SPOOR_ROOTS_CUT };

	begin();
	trace_writer_block(&writer, SPOOR_BLOCK_ROOTS, 5, &cut, sizeof(cut));
	thread = trace_thread_begin(&writer, 5);
	enter(7);
	leave(7);
	expect(0, "7", NULL, false);
}
END_TEST

START_TEST(invalid_records_are_skipped)
{
	struct spoor_root root = { SPOOR_INDEX_MAX, SPOOR_INDEX_MAX }, bad = { SPOOR_INDEX_MAX + 1, 0 },
			  bad_frame = { 0, SPOOR_INDEX_MAX + 1 };
	struct {
		struct spoor_roots record;
		struct spoor_root roots[2];
	} cut = { { .counter = TRACE_WRITER_COUNTER, .count = 3 }, { { 0 } } };

	begin();
	trace_writer_roots(&writer, 5, 0, &bad, 1);
	trace_writer_roots(&writer, 5, 0, &bad_frame, 1);
	trace_writer_roots(&writer, 5, 0, &root, 0);
	trace_writer_block(&writer, SPOOR_BLOCK_ROOTS, 5, &cut, sizeof(cut));
	trace_writer_block(&writer, SPOOR_BLOCK_ROOTS, 5, &cut, sizeof(cut.record) - 1);
	cut.record.count = 1;
	cut.record.counter = UINT64_MAX;
	trace_writer_block(&writer, SPOOR_BLOCK_ROOTS, 5, &cut, sizeof(cut));
	cut.record.count = UINT32_MAX;
	trace_writer_block(&writer, SPOOR_BLOCK_ROOTS, 5, &cut, sizeof(cut));
	thread = trace_thread_begin(&writer, 5);
	enter(7);
	expect(0, "7?", NULL, true);
}
END_TEST

UNIT_MAIN("roots", the_first_call_is_inside_the_innermost_root,
	  roots_that_return_end_and_the_others_continue,
	  an_exception_that_arrives_in_a_root_unwinds_the_roots_inside_it,
	  a_root_that_ends_by_a_tail_call_is_followed_by_the_called_function,
	  roots_of_a_stack_that_was_left_continue_with_it, a_thread_that_has_only_roots_is_in_the_trace,
	  the_next_thread_with_the_ID_gets_the_roots_and_no_other_does,
	  roots_after_a_gap_replace_the_open_calls, roots_without_their_gap_begin_with_the_next_slice,
	  the_later_of_two_records_of_roots_counts, a_missing_slice_makes_roots_unreliable,
	  an_empty_record_of_roots_is_no_damage, invalid_records_are_skipped)
