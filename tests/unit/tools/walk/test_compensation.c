/* SPDX-License-Identifier: MIT */
/* test_compensation.c - times without the cost of events add up, and are never negative. */
#include "walk/compensation.h"

#include "tests/unit/support/unit.h"

static struct compensation compensation;

static void enter(size_t depth)
{
	ck_assert_int_eq(compensation_enter(&compensation, depth), 0);
}

/* Compensates a call with this duration and self time, and checks the results. */
static void leave(size_t depth, uint64_t duration_ns, uint64_t self_ns, uint64_t duration_left_ns, uint64_t self_left_ns)
{
	compensation_leave(&compensation, depth, &duration_ns, &self_ns);
	ck_assert_uint_eq(duration_ns, duration_left_ns);
	ck_assert_uint_eq(self_ns, self_left_ns);
}

START_TEST(a_call_costs_one_event_and_one_for_each_call_below)
{
	compensation = (struct compensation){ .event_ps = 10500 };
	enter(0);
	enter(1);
	leave(1, 100, 100, 90, 90);
	enter(1);
	enter(2);
	leave(2, 50, 50, 40, 40);
	leave(1, 150, 100, 119, 79);
	leave(0, 1000, 750, 90 + 119 + 719, 719);
	compensation_free(&compensation);
}
END_TEST

START_TEST(times_are_never_negative_and_add_up)
{
	compensation = (struct compensation){ .event_ps = 20000 };
	enter(0);
	enter(1);
	leave(1, 7, 7, 0, 0);
	enter(1);
	leave(1, 27, 27, 7, 7);
	leave(0, 64, 30, 7, 0);
	compensation_free(&compensation);
}
END_TEST

START_TEST(deep_calls_and_the_greatest_cost_are_accepted)
{
	compensation = (struct compensation){ .event_ps = EVENT_PS_MAX };
	for (size_t depth = 0; depth < 100000; depth++)
		enter(depth);
	for (size_t depth = 100000; depth--;)
		leave(depth, UINT64_MAX, UINT64_MAX / 2, depth < 99999 ? (UINT64_MAX / 2 - 2000000) * (99999 - depth) +
			      UINT64_MAX / 2 - 1000000 : UINT64_MAX / 2 - 1000000,
		      UINT64_MAX / 2 - (depth < 99999 ? 2000000 : 1000000));
	compensation_free(&compensation);
}
END_TEST

static void fact_is(const char *fact, uint64_t ps)
{
	char *facts[] = { (char *)(uintptr_t)fact };
	struct process process = { .facts = facts, .fact_count = 1 };

	ck_assert_uint_eq(process_event_ps(&process), ps);
}

START_TEST(the_measured_cost_is_a_number_of_picoseconds)
{
	fact_is("event_cost_ps=10420", 10420);
	fact_is("event_cost_ps=1000000000", 1000000000);
	fact_is("event_cost_ps=1000000001", 0);
	fact_is("event_cost_ps=99999999999999999999999", 0);
	fact_is("event_cost_ps=-1", 0);
	fact_is("event_cost_ps= 1", 0);
	fact_is("event_cost_ps=1ns", 0);
	fact_is("event_cost_ps=", 0);
	fact_is("mode=log", 0);
}
END_TEST

UNIT_MAIN("compensation", a_call_costs_one_event_and_one_for_each_call_below,
	  times_are_never_negative_and_add_up, deep_calls_and_the_greatest_cost_are_accepted,
	  the_measured_cost_is_a_number_of_picoseconds)
