/* SPDX-License-Identifier: MIT */
/*
 * test_single_step_turn.c - the mode changes between any two instructions of an event: the
 * call is stored or counted, and once.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "box.h"
#include "event/count_lanes.h"
#include "mode/counts.h"
#include "mode/mode.h"
#include "module/registry.h"
#include "stepping.h"
#include "event/thread.h"
#include "trace/trace.h"
#include "turned_counter.h"

/* Changes the mode as spoor_mode_change does. The slots lead to the logging trampolines all the time. */
static void count_from_now_on(void)
{
	spoor_threads_turn(SPOOR_COUNTS);
}

static void record_from_now_on(void)
{
	spoor_threads_gap();
	spoor_threads_turn(SPOOR_RECORDS);
}

static void act_count(void)
{
	count_from_now_on();
}

static void act_record(void)
{
	record_from_now_on();
}

static void act_count_and_record(void)
{
	count_from_now_on();
	record_from_now_on();
}

static void act_record_and_count(void)
{
	record_from_now_on();
	count_from_now_on();
}

static const struct {
	const char *name;
	void (*action)(void);
} plans[] = {
	{ "to count", act_count },
	{ "to log", act_record },
	{ "to count and to log", act_count_and_record },
	{ "to log and to count", act_record_and_count },
};

static uint64_t counted(void)
{
	uint64_t sum = spoor_counts->lost;

	for (uint32_t lane = 0; lane < spoor_counts->lanes; lane++)
		for (uint32_t i = 0; i < BOX_COUNTED; i++)
			sum += *(uint64_t *)((char *)spoor_counts + spoor_count_offset(lane, i));
	return sum;
}

static uint64_t counted_before;

/* Prepares a thread with @room words in its slice, whose mode changed since its last event if it @counts
 * now. */
static void prepare(uint32_t room, bool counts)
{
	if (spoor_thread != &spoor_detached_thread)
		spoor_count_lane_leave(spoor_thread);
	box_reset();
	turned_counter = 1ull << 40;
	if (turned_counter_begin() < 0)
		box_fail("rdtsc cannot be made to fault");
	record_from_now_on();
	box_log_pair();
	box_leave_room(room);
	if (counts)
		count_from_now_on();
	counted_before = counted();
}

/* Checks that there is one entry, and a second one after the mode is changed back. */
static void verify(uint32_t stored_before)
{
	uint64_t found;

	record_from_now_on();
	box_log(SPOOR_EVENT_ENTRY, 0);
	found = box_stored() - stored_before + counted() - counted_before;
	if (found != 2)
		box_fail("%u of 2 calls were found", (unsigned int)found);
}

static void at_each_step(uint32_t room, bool counts)
{
	static char text[200];

	prepare(room, counts);
	stepping_watch(false);
	box_log(SPOOR_EVENT_ENTRY, STEPPING_TRAP_FLAG);
	stepping_unwatch();
	for (size_t plan = 0; plan < sizeof(plans) / sizeof(*plans); plan++) {
		stepping_action = plans[plan].action;
		for (int at = 0; at < stepping_count - STEPPING_AFTER; at++) {
			snprintf(text, sizeof(text), "room for %u words, %s, turned %s at step %d of %d, 0x%llx", room,
				 counts ? "counting" : "logging", plans[plan].name, at, stepping_count,
				 (unsigned long long)stepping_at[at]);
			box_case = text;
			prepare(room, counts);
			stepping_break(at, "turned");
			box_log(SPOOR_EVENT_ENTRY, 0);
			stepping_unbreak();
			verify(2);
		}
	}
}

START_TEST(a_call_is_stored_or_counted_whenever_the_mode_changes)
{
	static const uint32_t rooms[] = { 100, 0, 1, 2, 3 };

	spoor_configuration.mode = SPOOR_MODE_LOG;
	spoor_mode_begin();
	spoor_mode_wake();
	stepping_begin();
	box_begin();
	if (spoor_trace_provide(SPOOR_MODE_COUNT) < 0 || spoor_counts_cover(spoor_registry_at(0)) < 0)
		box_fail("there are no counters");
	for (size_t i = 0; i < sizeof(rooms) / sizeof(*rooms); i++) {
		at_each_step(rooms[i], false);
		at_each_step(rooms[i], true);
	}
	stepping_end();
	box_end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("single step of turns");
	TCase *cases = tcase_create("single step of turns");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, cases);
	tcase_set_timeout(cases, 900);
	tcase_add_test(cases, a_call_is_stored_or_counted_whenever_the_mode_changes);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
