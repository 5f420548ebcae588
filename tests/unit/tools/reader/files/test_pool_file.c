/* SPDX-License-Identifier: MIT */
/* test_pool_file.c - the trace of a killed process includes the events in its pool. */
#include "tests/unit/support/reading.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static struct trace_writer writer;
static struct trace trace;
static struct process process;
static char folder[64];

static struct trace_thread *threads[4];
static size_t thread_count;

static struct trace_thread *begin_thread(uint32_t thread_id)
{
	return threads[thread_count++] = trace_thread_begin(&writer, thread_id);
}

static void begin(void)
{
	strcpy(folder, reading_folder());
	trace_writer_begin(&writer, folder, "1", 1);
	trace_writer_facts(&writer, "name=test", 10);
}

static void call(struct trace_thread *thread, uint32_t index)
{
	writer.counter += 100;
	trace_thread_entry(thread, index);
	writer.counter += 100;
	trace_thread_exit(thread, index);
}

static void finish(void)
{
	trace_writer_end(&writer, false);
	reading_open(folder, &trace, &process);
}

static void end(void)
{
	while (thread_count)
		trace_thread_free(threads[--thread_count]);
	reading_close(&trace, &process);
	reading_remove(folder);
}

START_TEST(a_slice_in_use_is_read_up_to_its_last_word)
{
	struct trace_thread *thread;

	begin();
	thread = begin_thread(1);
	call(thread, 1);
	trace_thread_flush(thread);
	call(thread, 2);
	call(thread, 3);
	thread->info.words = 0;
	trace_writer_pool(&writer, &thread, 1, 0);
	finish();
	ck_assert_uint_eq(process.threads.count, 1);
	ck_assert_str_eq(reading_calls(&process, 0), "1 2 3");
	ck_assert_uint_eq(process_words(&process), 6);
	ck_assert(!process.ended);
	end();
}
END_TEST

START_TEST(a_slice_whose_words_begin_in_the_middle_is_read_from_there)
{
	struct trace_thread *thread;

	begin();
	thread = begin_thread(1);
	call(thread, 1);
	thread->info.offset = SPOOR_SLICE_BYTES - 4096;
	trace_writer_pool(&writer, &thread, 1, 0);
	finish();
	ck_assert_str_eq(reading_calls(&process, 0), "1");
	end();
}
END_TEST

START_TEST(holes_are_skipped_and_counted)
{
	struct trace_thread *thread;

	begin();
	thread = begin_thread(1);
	trace_thread_word(thread, 0);
	call(thread, 1);
	trace_thread_word(thread, 0);
	trace_thread_word(thread, 0);
	call(thread, 2);
	trace_writer_pool(&writer, &thread, 1, 0);
	finish();
	ck_assert_str_eq(reading_calls(&process, 0), "1 2");
	ck_assert_uint_eq(process.threads.threads[0]->holes, 3);
	end();
}
END_TEST

START_TEST(a_zero_that_an_extended_word_owns_is_no_hole)
{
	const uint64_t words[] = { 0, 0, 0 };
	const uint64_t trailing[] = { 1, 0, 0 };
	struct trace_thread *thread;

	begin();
	thread = begin_thread(1);
	call(thread, 1);
	trace_thread_extended(thread, SPOOR_EXTENDED_NOP, words, 3);
	call(thread, 2);
	trace_thread_extended(thread, SPOOR_EXTENDED_NOP, trailing, 3);
	trace_writer_pool(&writer, &thread, 1, 0);
	finish();
	ck_assert_str_eq(reading_calls(&process, 0), "1 2");
	ck_assert_uint_eq(process.threads.threads[0]->holes, 0);
	end();
}
END_TEST

START_TEST(free_slices_and_those_never_used_are_not_read)
{
	struct trace_thread *slices[3];

	begin();
	for (int i = 0; i < 3; i++) {
		slices[i] = begin_thread((uint32_t)i + 1);
		call(slices[i], (uint32_t)i);
	}
	slices[2]->info.counter = 0;
	trace_writer_pool(&writer, slices, 3, 1);
	finish();
	ck_assert_uint_eq(process.threads.count, 1);
	ck_assert_str_eq(reading_calls(&process, 0), "1");
	end();
}
END_TEST

START_TEST(a_slice_that_is_also_drained_is_read_once)
{
	struct trace_thread *thread, copy, *slices[2];

	begin();
	thread = begin_thread(1);
	call(thread, 1);
	copy = *thread;
	trace_thread_flush(thread);
	call(thread, 2);
	slices[0] = thread;
	slices[1] = &copy;
	trace_writer_pool(&writer, slices, 2, 0);
	finish();
	ck_assert_str_eq(reading_calls(&process, 0), "1 2");
	ck_assert_uint_eq(process_words(&process), 4);
	end();
}
END_TEST

START_TEST(a_slice_whose_block_was_torn_comes_from_the_pool)
{
	struct trace_thread *thread, copy, *slices[1] = { &copy };
	off_t whole;

	begin();
	thread = begin_thread(1);
	call(thread, 1);
	trace_thread_flush(thread);
	call(thread, 2);
	copy = *thread;
	trace_thread_flush(thread);
	whole = lseek(writer.events_file, 0, SEEK_CUR);
	ck_assert_int_eq(ftruncate(writer.events_file, whole - 3), 0);
	trace_writer_pool(&writer, slices, 1, 0);
	finish();
	ck_assert_str_eq(reading_calls(&process, 0), "1 2");
	ck_assert(!process.damaged);
	end();
}
END_TEST

START_TEST(a_torn_block_that_is_not_in_the_pool_is_reported)
{
	struct trace_thread *thread, copy, *slices[1] = { &copy };
	off_t whole;

	begin();
	thread = begin_thread(1);
	call(thread, 1);
	trace_thread_flush(thread);
	call(thread, 2);
	trace_thread_flush(thread);
	whole = lseek(writer.events_file, 0, SEEK_CUR);
	call(thread, 3);
	copy = *thread;
	ck_assert_int_eq(ftruncate(writer.events_file, whole - 3), 0);
	trace_writer_pool(&writer, slices, 1, 0);
	finish();
	ck_assert_str_eq(reading_calls(&process, 0), "1 !257:1 3");
	ck_assert(process.damaged);
	end();
}
END_TEST

START_TEST(a_count_of_words_larger_than_a_slice_is_ignored)
{
	struct trace_thread *thread;

	begin();
	thread = begin_thread(1);
	call(thread, 1);
	thread->info.words = UINT32_MAX;
	trace_writer_pool(&writer, &thread, 1, 0);
	finish();
	ck_assert_str_eq(reading_calls(&process, 0), "1");
	end();
}
END_TEST

START_TEST(an_impossible_offset_is_ignored)
{
	static const uint32_t offsets[] = { 4, SPOOR_SLICE_BYTES + 8, UINT32_MAX, UINT32_MAX - 7 };

	for (size_t i = 0; i < sizeof(offsets) / sizeof(*offsets); i++) {
		struct trace_thread *thread;

		begin();
		thread = begin_thread(1);
		call(thread, 1);
		thread->info.offset = offsets[i];
		trace_writer_pool(&writer, &thread, 1, 0);
		finish();
		ck_assert_uint_eq(process.threads.count, 0);
		end();
	}
}
END_TEST

/* Opens pools that are cut, or have a changed byte anywhere in the header. */
START_TEST(the_whole_slices_of_a_cut_pool_are_read)
{
	static const off_t sizes[] = { 0, 1, 63, 64, 200, 4096, 65536, 65600, 1 << 20, (1 << 20) + 65536 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct trace_thread *thread;
		int pool;

		begin();
		thread = begin_thread(1);
		call(thread, 1);
		trace_thread_flush(thread);
		call(thread, 2);
		trace_writer_pool(&writer, &thread, 1, 0);
		pool = openat(writer.folder, SPOOR_POOL_FILE, O_RDWR);
		ck_assert_int_eq(ftruncate(pool, sizes[i]), 0);
		close(pool);
		finish();
		ck_assert_str_eq(reading_calls(&process, 0),
				 sizes[i] >= (off_t)(spoor_pool_slice_offset(0) + SPOOR_SLICE_BYTES) ? "1 2" : "1");
		ck_assert_int_eq(process.damaged, sizes[i] < (off_t)sizeof(struct spoor_pool));
		end();
	}
}
END_TEST

UNIT_MAIN("pool_file", a_slice_in_use_is_read_up_to_its_last_word,
	  a_slice_whose_words_begin_in_the_middle_is_read_from_there, holes_are_skipped_and_counted,
	  a_zero_that_an_extended_word_owns_is_no_hole, free_slices_and_those_never_used_are_not_read,
	  a_slice_that_is_also_drained_is_read_once, a_slice_whose_block_was_torn_comes_from_the_pool,
	  a_torn_block_that_is_not_in_the_pool_is_reported, a_count_of_words_larger_than_a_slice_is_ignored,
	  an_impossible_offset_is_ignored, the_whole_slices_of_a_cut_pool_are_read)
