/* SPDX-License-Identifier: MIT */
/* test_ordered_work.c - units are prepared by any thread and taken in order, however fast each thread is. */
#include "base/ordered_work.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/support/unit.h"

#define SLOTS_MAX 8

static struct ordered_work order;
static unsigned long slots[SLOTS_MAX];	/* no atomics: ThreadSanitizer looks whether they are handed over */
static unsigned long claimed, filled, units;
static unsigned int filler_pause_us;
static const size_t no_error = SIZE_MAX;
static size_t failing_unit;

static bool claim(void *context, size_t slot)
{
	ck_assert_ptr_eq(context, &order);
	ck_assert_uint_eq(slots[slot], 0);
	if (claimed == units)
		return false;
	slots[slot] = ++claimed;
	return true;
}

/* By one thread alone. */
static int fill(void *context, size_t slot, size_t worker)
{
	ck_assert_ptr_eq(context, &order);
	ck_assert_uint_eq(worker, 1);
	ck_assert_uint_eq(slots[slot], ++filled);
	if (filler_pause_us && filled % 16 == 0)
		usleep(filler_pause_us);
	return 0;
}

static const struct ordered_work_steps fill_steps = { .claim = claim, .prepare = fill };

static void begin(const struct ordered_work_steps *steps, size_t slot_count, size_t at_once, unsigned long fills)
{
	memset(slots, 0, sizeof(slots));
	claimed = filled = 0;
	units = fills;
	failing_unit = no_error;
	ordered_work_begin(&order, steps, &order, slot_count, at_once);
}

static void begin_filling(size_t slot_count, unsigned long fills, unsigned int pause_us)
{
	filler_pause_us = pause_us;
	begin(&fill_steps, slot_count, (slot_count + 1) / 2, fills);
	ck_assert_uint_eq(ordered_work_start(&order, 1), 1);
}

/* Takes all; @pause_us for one in sixteen. */
static void take_all(size_t slot_count, unsigned int filler_us, unsigned int pause_us)
{
	unsigned long expected = 0;
	long slot;

	begin_filling(slot_count, 1000, filler_us);
	while ((slot = ordered_work_take(&order, false)) >= 0) {
		ck_assert_uint_lt(slot, slot_count);
		ck_assert_uint_eq(slots[slot], ++expected);
		if (pause_us && expected % 16 == 0)
			usleep(pause_us);
		slots[slot] = 0;
		ordered_work_release(&order, (size_t)slot);
	}
	ck_assert_int_eq(ordered_work_end(&order), 0);
	ck_assert_uint_eq(expected, 1000);
}

START_TEST(each_filled_unit_is_taken_once_and_in_order)
{
	for (size_t slot_count = 1; slot_count <= SLOTS_MAX; slot_count++)
		take_all(slot_count, 0, 0);
}
END_TEST

START_TEST(a_slow_filler_is_waited_for)
{
	take_all(3, 100, 0);
	take_all(8, 100, 0);
}
END_TEST

START_TEST(a_slow_emptier_is_waited_for)
{
	take_all(3, 0, 100);
	take_all(8, 0, 100);
}
END_TEST

START_TEST(fewer_than_half_of_the_slots_are_taken_where_nothing_follows)
{
	begin_filling(8, 3, 0);
	for (unsigned long expected = 1; expected <= 3; expected++) {
		long slot = ordered_work_take(&order, false);

		ck_assert_int_ge(slot, 0);
		ck_assert_uint_eq(slots[slot], expected);
		slots[slot] = 0;
		ordered_work_release(&order, (size_t)slot);
	}
	ck_assert_int_lt(ordered_work_take(&order, false), 0);
	ck_assert_int_lt(ordered_work_take(&order, false), 0);
	ck_assert_int_eq(ordered_work_end(&order), 0);
}
END_TEST

START_TEST(no_unit_is_taken_if_no_unit_was_filled)
{
	begin_filling(4, 0, 0);
	ck_assert_int_lt(ordered_work_take(&order, false), 0);
	ck_assert_int_eq(ordered_work_end(&order), 0);
}
END_TEST

START_TEST(a_filler_that_waits_ends_when_nothing_more_is_wanted)
{
	long slot;

	begin_filling(4, SIZE_MAX, 0);
	slot = ordered_work_take(&order, false);
	ck_assert_int_ge(slot, 0);
	ck_assert_uint_eq(slots[slot], 1);
	/* The one that is held is not filled again. */
	ck_assert_int_eq(ordered_work_end(&order), 0);
	ck_assert_uint_eq(slots[slot], 1);
	ck_assert_uint_le(filled, 4);
}
END_TEST

/* By any thread: for slots that are not the same unit's for long. */
static int prepare(void *context, size_t slot, size_t worker)
{
	(void)context;
	ck_assert_uint_le(worker, 3);
	if (slots[slot] == failing_unit)
		return -EIO;
	if (slots[slot] % 7 == 0)
		usleep(50);
	slots[slot] += 1000000;
	return 0;
}

static const struct ordered_work_steps prepare_steps = { .claim = claim, .prepare = prepare };

/* Takes all units of @threads and the owner. */
static void take_from_many(size_t threads)
{
	unsigned long expected = 0;
	long slot;

	begin(&prepare_steps, 5, 1, 500);
	ordered_work_start(&order, threads);
	while ((slot = ordered_work_take(&order, true)) >= 0) {
		ck_assert_uint_eq(slots[slot], 1000000 + ++expected);
		slots[slot] = 0;
		ordered_work_release(&order, (size_t)slot);
	}
	ck_assert_int_eq(ordered_work_end(&order), 0);
	ck_assert_uint_eq(expected, 500);
}

START_TEST(the_owner_helps_any_number_of_threads)
{
	for (size_t threads = 0; threads <= 3; threads++)
		take_from_many(threads);
}
END_TEST

/* Turns come in order and one at a time; units are finished at the same time as others. */
static unsigned long turns;
static unsigned long finished[4];	/* by worker */

static int take_turn(void *context, size_t slot, size_t worker)
{
	(void)context, (void)worker;
	ck_assert_uint_eq(slots[slot], 1000000 + ++turns);
	return 0;
}

static int finish(void *context, size_t slot, size_t worker)
{
	(void)context;
	if (slots[slot] % 5 == 0)
		usleep(50);
	slots[slot] = 0;
	finished[worker]++;
	return 0;
}

static const struct ordered_work_steps turn_steps = {
	.claim = claim, .prepare = prepare, .turn = take_turn, .finish = finish,
};
static const struct ordered_work_steps unfinished_steps = { .claim = claim, .prepare = prepare, .turn = finish };

static int run_all(const struct ordered_work_steps *steps, size_t threads, size_t failing)
{
	begin(steps, threads + 1, 1, 500);
	failing_unit = failing;
	turns = 0;
	memset(finished, 0, sizeof(finished));
	ordered_work_start(&order, threads);
	ordered_work_run(&order);
	return ordered_work_end(&order);
}

START_TEST(turns_come_in_order_and_all_units_are_finished)
{
	for (size_t threads = 0; threads <= 3; threads++) {
		ck_assert_int_eq(run_all(&turn_steps, threads, no_error), 0);
		ck_assert_uint_eq(turns, 500);
		ck_assert_uint_eq(finished[0] + finished[1] + finished[2] + finished[3], 500);
	}
}
END_TEST

START_TEST(nothing_need_be_finished)
{
	ck_assert_int_eq(run_all(&unfinished_steps, 2, no_error), 0);
	ck_assert_uint_eq(finished[0] + finished[1] + finished[2], 500);
}
END_TEST

START_TEST(an_error_ends_all_work)
{
	for (size_t threads = 0; threads <= 3; threads++) {
		ck_assert_int_eq(run_all(&turn_steps, threads, 100), -EIO);
		ck_assert_uint_lt(turns, 100);
	}
	begin(&prepare_steps, 4, 1, 500);
	failing_unit = 1;
	ordered_work_start(&order, 2);
	ck_assert_int_lt(ordered_work_take(&order, true), 0);
	ck_assert_int_eq(ordered_work_end(&order), -EIO);
}
END_TEST

/* The owner adds units, and takes them. */
static const struct ordered_work_steps added_steps = { .prepare = prepare };

START_TEST(what_the_owner_adds_comes_back_in_order)
{
	unsigned long added = 0, taken = 0;

	begin(&added_steps, 4, 1, 0);
	ck_assert_int_lt(ordered_work_take(&order, true), 0);
	ordered_work_start(&order, 2);
	while (taken < 500) {
		long slot = added < 500 ? ordered_work_room(&order) : -1;

		if (slot >= 0) {
			slots[slot] = ++added;
			ordered_work_add(&order, (size_t)slot, added % 3 != 0);
			continue;
		}
		slot = ordered_work_take(&order, true);
		ck_assert_int_ge(slot, 0);
		ck_assert_uint_eq(slots[slot], 1000000 + ++taken);
		ordered_work_release(&order, (size_t)slot);
	}
	ck_assert_int_lt(ordered_work_take(&order, true), 0);
	ck_assert_int_eq(ordered_work_end(&order), 0);
}
END_TEST

UNIT_MAIN("ordered_work", each_filled_unit_is_taken_once_and_in_order, a_slow_filler_is_waited_for,
	  a_slow_emptier_is_waited_for, fewer_than_half_of_the_slots_are_taken_where_nothing_follows,
	  no_unit_is_taken_if_no_unit_was_filled, a_filler_that_waits_ends_when_nothing_more_is_wanted,
	  the_owner_helps_any_number_of_threads, turns_come_in_order_and_all_units_are_finished, nothing_need_be_finished,
	  an_error_ends_all_work, what_the_owner_adds_comes_back_in_order)
