/* SPDX-License-Identifier: MIT */
/* test_trigger_watch.c - the trigger reports each call that takes too long, once, and reports no other call. */
#define _GNU_SOURCE
#include "drain/trigger_watch.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "event/pool.h"
#include "tests/unit/support/unit.h"

#define SLICES 64u
#define MS 1000000ull
#define LIMIT (10 * MS)

/* Functions. The trigger names SLOW and OTHER_SLOW. */
enum { PLAIN = 3, SLOW = 10, OTHER_SLOW = 12 };

static struct spoor_thread thread;
static struct spoor_watch *watch;
static uint64_t base;		/* value of the time stamp counter at time 0; one count is one nanosecond */
static struct spoor_trigger_record found[16];
static int found_count;

static void begin(bool ring)
{
	struct spoor_trigger *trigger;

	ck_assert_int_eq(spoor_pool_create(memfd_create("pool", 0), 1, SLICES, &spoor_pool), 0);
	spoor_pool->ring = ring;
	spoor_pool_limits.ring_slices = 4;
	trigger = spoor_pool_trigger(spoor_pool);
	trigger->limit_ns = LIMIT;
	trigger->most = 3;
	trigger->ranges[0] = (struct spoor_trigger_range){ OTHER_SLOW, OTHER_SLOW + 1 };
	trigger->ranges[1] = (struct spoor_trigger_range){ SLOW, SLOW + 1 };
	trigger->range_count = 2;
	watch = spoor_watch_begin(spoor_pool, SLICES);
	ck_assert_ptr_nonnull(watch);
	thread = (struct spoor_thread){ .process_id = 1, .thread_id = 2, .serial = 3 };
	found_count = 0;
	base = 0;
}

/* Stores an event at time @ns, as a trampoline does. */
static void log_at(uint64_t ns, enum spoor_event_kind kind, uint32_t index)
{
	uint64_t slot;

	for (;;) {
		slot = thread.cursor;
		thread.cursor += 8;
		if (slot & SPOOR_SLICE_BIT)
			break;
		ck_assert_int_eq(spoor_event_slow(&thread, slot ? slot : 8, 1), 0);
	}
	if (!base) {
		base = spoor_pool_info(spoor_pool, 0)->counter;
		spoor_pool->begin = (struct spoor_clocks){ .counter = base };
	}
	/* New slices take their time from the clock, which may be ahead of the times of the test. */
	for (uint32_t i = 0; i < SLICES; i++)
		if (spoor_pool_info(spoor_pool, i)->counter > base + ns)
			spoor_pool_info(spoor_pool, i)->counter = base + ns;
	*(uint64_t *)slot = SPOOR_EVENT_WORD(kind, index, base + ns);
}

static void noticed(void *context, uint32_t thread_id, const struct spoor_trigger_record *record)
{
	ck_assert_ptr_null(context);
	ck_assert_uint_eq(thread_id, 2);
	ck_assert_int_lt(found_count, 16);
	found[found_count++] = *record;
}

static bool look_at(uint64_t ns)
{
	const struct spoor_clocks now = { .counter = base + ns, .steady_ns = (int64_t)ns };

	return spoor_watch_look(watch, &now, noticed, NULL);
}

START_TEST(a_call_that_is_open_too_long_is_reported_once_while_it_is_open)
{
	begin(false);
	log_at(1 * MS, SPOOR_EVENT_ENTRY, PLAIN);
	log_at(2 * MS, SPOOR_EVENT_ENTRY, SLOW);
	ck_assert(look_at(11 * MS));
	ck_assert_int_eq(found_count, 0);
	ck_assert(look_at(13 * MS));
	ck_assert_int_eq(found_count, 1);
	ck_assert_uint_eq(found[0].index, SLOW);
	ck_assert_uint_eq(found[0].began, base + 2 * MS);
	ck_assert_uint_eq(found[0].ended, 0);
	ck_assert_uint_eq(found[0].number, 1);
	look_at(50 * MS);
	log_at(60 * MS, SPOOR_EVENT_EXIT, SLOW);
	look_at(70 * MS);
	ck_assert_int_eq(found_count, 1);
}
END_TEST

START_TEST(a_call_that_ended_before_the_check_is_reported_by_its_duration)
{
	begin(false);
	log_at(1 * MS, SPOOR_EVENT_ENTRY, SLOW);
	log_at(5 * MS, SPOOR_EVENT_EXIT, SLOW);
	log_at(6 * MS, SPOOR_EVENT_ENTRY, OTHER_SLOW);
	log_at(17 * MS, SPOOR_EVENT_TAIL_EXIT, OTHER_SLOW);
	look_at(30 * MS);
	ck_assert_int_eq(found_count, 1);
	ck_assert_uint_eq(found[0].index, OTHER_SLOW);
	ck_assert_uint_eq(found[0].ended, base + 17 * MS);
}
END_TEST

START_TEST(a_call_that_began_after_the_check_began_is_reported_at_its_end)
{
	begin(false);
	log_at(12 * MS, SPOOR_EVENT_ENTRY, SLOW);
	log_at(30 * MS, SPOOR_EVENT_EXIT, SLOW);
	look_at(11 * MS);
	ck_assert_int_eq(found_count, 1);
	ck_assert_uint_eq(found[0].noticed, base + 30 * MS);
	log_at(31 * MS, SPOOR_EVENT_ENTRY, SLOW);
	log_at(50 * MS, SPOOR_EVENT_EXIT, SLOW);
	look_at(60 * MS);
	ck_assert_int_eq(found_count, 2);
	ck_assert_uint_eq(found[1].noticed, base + 60 * MS);
}
END_TEST

START_TEST(an_exit_without_its_entry_ends_no_other_call)
{
	begin(false);
	log_at(1 * MS, SPOOR_EVENT_ENTRY, SLOW);
	log_at(2 * MS, SPOOR_EVENT_EXIT, PLAIN);
	look_at(20 * MS);
	ck_assert_int_eq(found_count, 1);
}
END_TEST

START_TEST(an_exit_closes_the_calls_inside_its_call)
{
	begin(false);
	log_at(1 * MS, SPOOR_EVENT_ENTRY, PLAIN);
	log_at(1 * MS, SPOOR_EVENT_ENTRY, SLOW);
	log_at(2 * MS, SPOOR_EVENT_EXIT, PLAIN);
	look_at(20 * MS);
	ck_assert_int_eq(found_count, 0);
}
END_TEST

START_TEST(unwound_calls_are_not_open)
{
	begin(false);
	log_at(1 * MS, SPOOR_EVENT_ENTRY, PLAIN);
	log_at(1 * MS, SPOOR_EVENT_FRAME, 77);
	log_at(2 * MS, SPOOR_EVENT_ENTRY, SLOW);
	log_at(2 * MS, SPOOR_EVENT_FRAME, 66);
	log_at(3 * MS, SPOOR_EVENT_UNWIND, 77);
	look_at(20 * MS);
	ck_assert_int_eq(found_count, 0);
	log_at(21 * MS, SPOOR_EVENT_ENTRY, SLOW);
	log_at(22 * MS, SPOOR_EVENT_UNWIND, 0);
	look_at(50 * MS);
	ck_assert_int_eq(found_count, 0);
}
END_TEST

START_TEST(a_call_is_followed_through_many_slices)
{
	begin(false);
	log_at(1 * MS, SPOOR_EVENT_ENTRY, SLOW);
	for (uint32_t i = 0; i < 5 * SPOOR_SLICE_WORDS; i++) {
		log_at(2 * MS, i % 2 ? SPOOR_EVENT_EXIT : SPOOR_EVENT_ENTRY, PLAIN);
		if (i % 1000 == 0)
			look_at(2 * MS);
	}
	look_at(12 * MS);
	ck_assert_int_eq(found_count, 1);
	ck_assert_uint_eq(found[0].began, base + 1 * MS);
}
END_TEST

START_TEST(a_thread_that_overwrote_its_ring_begins_with_no_open_call)
{
	begin(true);
	log_at(1 * MS, SPOOR_EVENT_ENTRY, SLOW);
	look_at(2 * MS);
	for (uint32_t i = 0; i < 12 * SPOOR_SLICE_WORDS; i++)
		log_at(2 * MS, i % 2 ? SPOOR_EVENT_EXIT : SPOOR_EVENT_ENTRY, PLAIN);
	look_at(20 * MS);
	ck_assert_int_eq(found_count, 0);
	log_at(21 * MS, SPOOR_EVENT_ENTRY, SLOW);
	look_at(22 * MS);
	look_at(32 * MS);
	ck_assert_int_eq(found_count, 1);
}
END_TEST

START_TEST(calls_below_the_depth_limit_do_not_hide_their_callers)
{
	begin(false);
	log_at(1 * MS, SPOOR_EVENT_ENTRY, SLOW);
	for (int i = 0; i < 3000; i++)
		log_at(1 * MS, SPOOR_EVENT_ENTRY, PLAIN);
	look_at(2 * MS);
	for (int i = 0; i < 3000; i++)
		log_at(3 * MS, SPOOR_EVENT_EXIT, PLAIN);
	look_at(12 * MS);
	ck_assert_int_eq(found_count, 1);
	log_at(13 * MS, SPOOR_EVENT_EXIT, SLOW);
	log_at(13 * MS, SPOOR_EVENT_ENTRY, SLOW);
	log_at(14 * MS, SPOOR_EVENT_EXIT, SLOW);
	look_at(40 * MS);
	ck_assert_int_eq(found_count, 1);
}
END_TEST

START_TEST(the_number_of_reports_is_limited)
{
	begin(false);
	for (uint64_t i = 0; i < 3; i++) {
		log_at(1 * MS + 40 * i * MS, SPOOR_EVENT_ENTRY, SLOW);
		ck_assert_int_eq(look_at(20 * MS + 40 * i * MS), i < 2);
		log_at(21 * MS + 40 * i * MS, SPOOR_EVENT_EXIT, SLOW);
	}
	log_at(200 * MS, SPOOR_EVENT_ENTRY, SLOW);
	ck_assert(!look_at(300 * MS));
	ck_assert_int_eq(found_count, 3);
}
END_TEST

START_TEST(the_check_continues_at_an_empty_slot_when_its_event_is_stored)
{
	uint64_t *hole;

	begin(false);
	log_at(1 * MS, SPOOR_EVENT_ENTRY, SLOW);
	hole = (uint64_t *)thread.cursor;
	log_at(2 * MS, SPOOR_EVENT_EXIT, SLOW);
	*hole = 0;
	log_at(2 * MS, SPOOR_EVENT_ENTRY, OTHER_SLOW);
	look_at(3 * MS);
	*hole = SPOOR_EVENT_WORD(SPOOR_EVENT_EXIT, SLOW, base + 2 * MS);
	look_at(13 * MS);
	ck_assert_int_eq(found_count, 1);
	ck_assert_uint_eq(found[0].index, OTHER_SLOW);
}
END_TEST

START_TEST(calls_that_were_open_before_a_gap_are_not_reported)
{
	uint64_t counter;

	begin(false);
	log_at(1 * MS, SPOOR_EVENT_ENTRY, SLOW);
	counter = base + 2 * MS;
	ck_assert_int_eq(spoor_record_append(&thread, SPOOR_EXTENDED_GAP, &counter, 1, counter), 1);
	look_at(20 * MS);
	ck_assert_int_eq(found_count, 0);
	log_at(21 * MS, SPOOR_EVENT_ENTRY, OTHER_SLOW);
	look_at(40 * MS);
	ck_assert_int_eq(found_count, 1);
	ck_assert_uint_eq(found[0].began, base + 21 * MS);
}
END_TEST

START_TEST(a_pool_without_a_trigger_is_not_watched)
{
	begin(false);
	spoor_pool_trigger(spoor_pool)->most = 0;
	ck_assert_ptr_null(spoor_watch_begin(spoor_pool, SLICES));
	spoor_pool_trigger(spoor_pool)->most = 1;
	spoor_pool_trigger(spoor_pool)->limit_ns = 0;
	ck_assert_ptr_null(spoor_watch_begin(spoor_pool, SLICES));
}
END_TEST

UNIT_MAIN("watch", a_call_that_is_open_too_long_is_reported_once_while_it_is_open,
	  a_call_that_ended_before_the_check_is_reported_by_its_duration,
	  a_call_that_began_after_the_check_began_is_reported_at_its_end,
	  an_exit_without_its_entry_ends_no_other_call, an_exit_closes_the_calls_inside_its_call,
	  unwound_calls_are_not_open, a_call_is_followed_through_many_slices,
	  a_thread_that_overwrote_its_ring_begins_with_no_open_call,
	  calls_below_the_depth_limit_do_not_hide_their_callers, the_number_of_reports_is_limited,
	  calls_that_were_open_before_a_gap_are_not_reported,
	  the_check_continues_at_an_empty_slot_when_its_event_is_stored,
	  a_pool_without_a_trigger_is_not_watched)
