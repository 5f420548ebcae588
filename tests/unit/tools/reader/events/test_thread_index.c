/* SPDX-License-Identifier: MIT */
/* test_thread_index.c - finds the slices of a thread, in order and each once. */
#include "reader/events/thread_index.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/support/unit.h"

static struct thread_index index_;

static void add(uint32_t serial, uint64_t sequence, uint64_t place)
{
	struct spoor_slice_info info = {
		.thread_serial = serial, .thread_id = serial + 100, .sequence = sequence, .counter = 1000 + sequence,
	};

	ck_assert_int_eq(thread_index_add(&index_, &info, 10, place), 0);
}

static void begin(void)
{
	memset(&index_, 0, sizeof(index_));
}

/* Checks that thread @thread has the sequence numbers [0, count) without @missing, at place_of(sequence). */
static void expect(size_t thread, uint64_t count, uint64_t (*place_of)(uint64_t sequence))
{
	struct thread_walk walk;
	struct thread_place place;
	uint64_t expected = 0;

	thread_walk_begin(&walk, index_.threads[thread]);
	while (thread_walk_next(&walk, &place)) {
		ck_assert_uint_eq(place.sequence, expected);
		ck_assert_uint_eq(place.place, place_of(expected));
		expected++;
	}
	ck_assert_uint_eq(expected, count);
	ck_assert_uint_eq(index_.threads[thread]->slices, count);
	ck_assert_uint_eq(index_.threads[thread]->gaps, 0);
}

static uint64_t in_file(uint64_t sequence)
{
	return sequence * 20000 + 7;
}

START_TEST(slices_of_threads_that_take_turns_are_separated)
{
	begin();
	for (uint64_t i = 0; i < 1000; i++)
		for (uint32_t serial = 300; serial > 0; serial--)
			add(serial, i, in_file(i));
	ck_assert_int_eq(thread_index_finish(&index_), 0);
	ck_assert_uint_eq(index_.count, 300);
	for (size_t i = 0; i < 300; i++) {
		ck_assert_uint_eq(index_.threads[i]->serial, i + 1);
		ck_assert_uint_eq(index_.threads[i]->thread_id, i + 101);
		ck_assert_uint_eq(index_.threads[i]->words, 10000);
		expect(i, 1000, in_file);
	}
	thread_index_free(&index_);
}
END_TEST

START_TEST(slices_slightly_out_of_order_are_ordered_without_a_sort)
{
	begin();
	for (uint64_t i = 0; i < 10000; i += 16)
		for (uint64_t j = 16; j-- > 0;)
			add(1, i + j, in_file(i + j));
	ck_assert_int_eq(thread_index_finish(&index_), 0);
	ck_assert(!index_.threads[0]->unordered);
	expect(0, 10000, in_file);
	thread_index_free(&index_);
}
END_TEST

START_TEST(slices_in_any_order_are_put_in_order)
{
	begin();
	for (uint64_t i = 0; i < 10007; i++)
		add(1, i * 5003 % 10007, in_file(i * 5003 % 10007));
	ck_assert_int_eq(thread_index_finish(&index_), 0);
	expect(0, 10007, in_file);
	thread_index_free(&index_);
}
END_TEST

START_TEST(a_drained_slice_is_not_read_from_the_pool_again)
{
	begin();
	for (uint64_t i = 0; i < 500; i++)
		add(1, i, in_file(i));
	for (uint64_t i = 0; i < 500; i += 3)
		add(1, i, THREAD_PLACE_POOL | i);
	ck_assert_int_eq(thread_index_finish(&index_), 0);
	expect(0, 500, in_file);
	ck_assert_uint_eq(index_.threads[0]->words, 5000);
	thread_index_free(&index_);
}
END_TEST

START_TEST(missing_slices_are_counted)
{
	begin();
	add(1, 2, 10);
	add(1, 3, 20);
	add(1, 7, 30);
	ck_assert_int_eq(thread_index_finish(&index_), 0);
	ck_assert_uint_eq(index_.threads[0]->gaps, 5);
	ck_assert_uint_eq(index_.threads[0]->slices, 3);
	thread_index_free(&index_);
}
END_TEST

START_TEST(places_take_a_few_bytes_each)
{
	begin();
	for (uint64_t i = 0; i < 50000; i++)
		add(1, i, i * 12345);
	ck_assert_int_eq(thread_index_finish(&index_), 0);
	size_t bytes = 0;
	for (const struct place_chunk *chunk = index_.threads[0]->first_chunk; chunk; chunk = chunk->next)
		bytes += sizeof(*chunk);
	ck_assert_uint_le(bytes, 50000 * 4);
	thread_index_free(&index_);
}
END_TEST

START_TEST(extreme_numbers_are_kept)
{
	struct thread_walk walk;
	struct thread_place place;

	begin();
	add(UINT32_MAX, UINT64_MAX, 0);
	add(UINT32_MAX, 0, THREAD_PLACE_POOL | UINT32_MAX);
	add(UINT32_MAX, UINT64_MAX / 2, THREAD_PLACE_POOL - 1);
	ck_assert_int_eq(thread_index_finish(&index_), 0);
	thread_walk_begin(&walk, index_.threads[0]);
	ck_assert(thread_walk_next(&walk, &place));
	ck_assert_uint_eq(place.place, THREAD_PLACE_POOL | UINT32_MAX);
	ck_assert(thread_walk_next(&walk, &place));
	ck_assert_uint_eq(place.sequence, UINT64_MAX / 2);
	ck_assert_uint_eq(place.place, THREAD_PLACE_POOL - 1);
	ck_assert(thread_walk_next(&walk, &place));
	ck_assert_uint_eq(place.sequence, UINT64_MAX);
	ck_assert_uint_eq(place.place, 0);
	ck_assert(!thread_walk_next(&walk, &place));
	thread_index_free(&index_);
}
END_TEST

static void add_partial(uint64_t sequence, uint64_t words, uint64_t place)
{
	struct spoor_slice_info info = { .thread_serial = 1, .thread_id = 101, .sequence = sequence, .counter = 1000 };

	ck_assert_int_eq(thread_index_add_partial(&index_, &info, words, place), 0);
}

static uint64_t hundreds(uint64_t sequence)
{
	return 100 * (sequence + 1);
}

START_TEST(a_partial_slice_is_used_until_the_whole_slice_is_found)
{
	begin();
	add_partial(0, 3, 10);
	add_partial(0, 5, 20);
	add(1, 0, 100);
	add_partial(1, 7, 30);
	add(1, 1, 200);
	add_partial(2, 2, 250);
	add_partial(2, 4, 300);
	ck_assert_int_eq(thread_index_finish(&index_), 0);
	ck_assert_uint_eq(index_.threads[0]->words, 24);
	expect(0, 3, hundreds);
	thread_index_free(&index_);

	/* The pool has the whole slice. */
	begin();
	add(1, 0, 100);
	add_partial(1, 7, 150);
	add(1, 1, THREAD_PLACE_POOL | 5);
	ck_assert_int_eq(thread_index_finish(&index_), 0);
	ck_assert_uint_eq(index_.threads[0]->words, 10);
	ck_assert_uint_eq(index_.threads[0]->slices, 2);
	thread_index_free(&index_);
}
END_TEST

UNIT_MAIN("thread_index", slices_of_threads_that_take_turns_are_separated,
	  slices_slightly_out_of_order_are_ordered_without_a_sort, slices_in_any_order_are_put_in_order,
	  a_drained_slice_is_not_read_from_the_pool_again, missing_slices_are_counted,
	  places_take_a_few_bytes_each, extreme_numbers_are_kept,
	  a_partial_slice_is_used_until_the_whole_slice_is_found)
