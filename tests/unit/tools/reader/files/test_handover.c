/* SPDX-License-Identifier: MIT */
/* test_handover.c - slots go from one thread to another one in order, however fast either is. */
#include "reader/files/handover.h"

#include <stdint.h>
#include <unistd.h>

#include "tests/unit/support/unit.h"

#define SLOTS_MAX 8

static struct handover handover;
static unsigned long slots[SLOTS_MAX];	/* no atomics: ThreadSanitizer looks whether they are handed over */
static unsigned long filled, count;
static unsigned int filler_pause_us;

static void *fill(void *context)
{
	long slot;

	(void)context;
	while (filled < count && (slot = handover_fill(&handover)) >= 0) {
		slots[slot] = ++filled;
		if (filler_pause_us && filled % 16 == 0)
			usleep(filler_pause_us);
		handover_filled(&handover);
	}
	handover_fill_end(&handover);
	return NULL;
}

static pthread_t begin(size_t slot_count, unsigned long fills, unsigned int pause_us)
{
	pthread_t thread;

	filled = 0;
	count = fills;
	filler_pause_us = pause_us;
	handover_begin(&handover, slot_count);
	ck_assert_int_eq(pthread_create(&thread, NULL, fill, NULL), 0);
	return thread;
}

static void end(pthread_t thread)
{
	pthread_join(thread, NULL);
	handover_free(&handover);
}

/* Takes all; @pause_us for one in sixteen. */
static void take_all(size_t slot_count, unsigned int filler_us, unsigned int pause_us)
{
	pthread_t thread = begin(slot_count, 1000, filler_us);
	unsigned long expected = 0;
	long slot;

	while ((slot = handover_take(&handover)) >= 0) {
		ck_assert_uint_lt(slot, slot_count);
		ck_assert_uint_eq(slots[slot], ++expected);
		if (pause_us && expected % 16 == 0)
			usleep(pause_us);
		slots[slot] = 0;
		handover_taken(&handover);
	}
	end(thread);
	ck_assert_uint_eq(expected, 1000);
}

START_TEST(all_that_is_filled_is_taken_once_and_in_order)
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
	pthread_t thread = begin(8, 3, 0);

	for (unsigned long expected = 1; expected <= 3; expected++) {
		long slot = handover_take(&handover);

		ck_assert_int_ge(slot, 0);
		ck_assert_uint_eq(slots[slot], expected);
		handover_taken(&handover);
	}
	ck_assert_int_lt(handover_take(&handover), 0);
	ck_assert_int_lt(handover_take(&handover), 0);
	end(thread);
}
END_TEST

START_TEST(nothing_is_taken_where_nothing_was_filled)
{
	pthread_t thread = begin(4, 0, 0);

	ck_assert_int_lt(handover_take(&handover), 0);
	end(thread);
}
END_TEST

START_TEST(a_filler_that_waits_ends_when_nothing_more_is_wanted)
{
	pthread_t thread = begin(4, SIZE_MAX, 0);
	long slot = handover_take(&handover);

	ck_assert_int_ge(slot, 0);
	ck_assert_uint_eq(slots[slot], 1);
	/* The one that is held is not filled again. */
	handover_stop(&handover);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(slots[slot], 1);
	ck_assert_uint_le(filled, 4);
	handover_free(&handover);
}
END_TEST

UNIT_MAIN("handover", all_that_is_filled_is_taken_once_and_in_order, a_slow_filler_is_waited_for,
	  a_slow_emptier_is_waited_for, fewer_than_half_of_the_slots_are_taken_where_nothing_follows,
	  nothing_is_taken_where_nothing_was_filled, a_filler_that_waits_ends_when_nothing_more_is_wanted)
