/* SPDX-License-Identifier: MIT */
/* test_call_filter.c - the calls that pass a filter are a tree, in order and complete. */
#include "walk/call_filter.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/support/unit.h"

static char reported[4096];
static size_t used;
static struct call open_calls[64];
static size_t depth;
static struct call_choice libraries;
static struct call_filter filter;
static bool has_no_place, looks_around;
static const struct call_sink *entrance;

static void enter(void *context, const struct call *call, size_t at)
{
	(void)context;
	used += (size_t)sprintf(reported + used, "%zu:%u(", at, call->function);
}

static void leave(void *context, const struct call *call, size_t at, uint64_t end_ns, enum call_end how)
{
	(void)context, (void)at, (void)how;
	used += (size_t)sprintf(reported + used, ")%u/%u ", (unsigned int)call_duration(call, end_ns), (unsigned int)call->inner_ns);
}

static void other(void *context, const struct event *event, size_t at)
{
	(void)context, (void)event;
	used += (size_t)sprintf(reported + used, "%zu:! ", at);
}

static void around(void *context, const struct call *call, size_t at)
{
	(void)context;
	used += (size_t)sprintf(reported + used, "%zu:%u ", at, call->function);
}

static void begin(uint64_t least_ns, const char *patterns, bool with_events)
{
	static struct call_sink sink;

	sink = (struct call_sink){ .enter = enter, .leave = leave, .other = with_events ? other : NULL,
				   .other_has_no_place = has_no_place, .around = looks_around ? around : NULL };
	used = depth = 0;
	reported[0] = '\0';
	libraries.libraries = patterns;
	filter.libraries = &libraries;
	filter.least_ns = least_ns;
	entrance = call_filter_thread(&filter, &sink);
}

static void put(uint32_t function, uint64_t ns)
{
	open_calls[depth] = (struct call){ .function = function, .begin_ns = ns };
	entrance->enter(entrance->context, &open_calls[depth], depth);
	depth++;
}

static void take(uint64_t ns)
{
	depth--;
	entrance->leave(entrance->context, &open_calls[depth], depth, ns, CALL_EXIT);
}

START_TEST(a_short_call_is_skipped_and_its_time_is_its_callers)
{
	begin(10, NULL, true);
	put(1, 0);
	put(2, 5);
	take(10);
	put(3, 20);
	put(4, 22);
	take(25);
	take(30);
	take(40);
	ck_assert_str_eq(reported, "0:1(1:3()10/0 )40/10 ");
	call_filter_free(&filter);
}
END_TEST

START_TEST(a_call_as_long_as_the_limit_is_reported_before_the_calls_inside_it)
{
	begin(10, NULL, true);
	put(1, 0);
	put(2, 0);
	put(3, 0);
	take(10);
	ck_assert_str_eq(reported, "0:1(1:2(2:3()10/0 ");
	take(10);
	take(10);
	ck_assert_str_eq(reported, "0:1(1:2(2:3()10/0 )10/10 )10/10 ");
	call_filter_free(&filter);
}
END_TEST

START_TEST(an_event_is_reported_inside_all_its_calls)
{
	const struct event event = { .kind = EVENT_USER };

	begin(10, NULL, true);
	put(1, 0);
	put(2, 1);
	entrance->other(entrance->context, &event, depth);
	put(3, 2);
	take(3);
	take(4);
	take(5);
	ck_assert_str_eq(reported, "0:1(1:2(2:! )3/0 )5/3 ");
	begin(10, NULL, false);
	ck_assert_ptr_null(entrance->other);
	call_filter_free(&filter);
}
END_TEST

START_TEST(an_event_that_needs_no_place_makes_no_short_call_reported)
{
	const struct event event = { .kind = EVENT_TRACEPOINT };

	has_no_place = true;
	begin(10, NULL, true);
	has_no_place = false;
	put(1, 0);
	put(2, 1);
	entrance->other(entrance->context, &event, depth);
	take(4);
	take(20);
	ck_assert_str_eq(reported, "2:! 0:1()20/0 ");
	call_filter_free(&filter);
}
END_TEST

START_TEST(a_sink_that_looks_around_sees_the_skipped_calls_around_an_event)
{
	const struct event event = { .kind = EVENT_USER };

	has_no_place = looks_around = true;
	begin(10, NULL, true);
	has_no_place = looks_around = false;
	put(1, 0);
	put(2, 1);
	entrance->other(entrance->context, &event, depth);
	take(4);
	put(3, 5);
	take(16);
	put(4, 17);
	entrance->other(entrance->context, &event, depth);
	take(18);
	take(20);
	ck_assert_str_eq(reported, "0:1 1:2 2:! 0:1(1:3()11/0 1:4 2:! )20/11 ");
	call_filter_free(&filter);
}
END_TEST

START_TEST(a_million_short_calls_take_no_memory)
{
	begin(1000000000, NULL, true);
	put(1, 0);
	for (uint32_t i = 0; i < 1000000; i++) {
		put(2, 2 * i);
		take(2 * i + 1);
	}
	ck_assert_uint_eq(used, 0);
	ck_assert_uint_le(filter.capacity, 64);
	take(2000000000);
	ck_assert_str_eq(reported, "0:1()2000000000/0 ");
	call_filter_free(&filter);
}
END_TEST

START_TEST(without_a_limit_the_filter_adds_no_sink)
{
	static const struct call_sink sink = { .enter = enter, .leave = leave, .other = other };

	libraries.libraries = NULL;
	filter = (struct call_filter){ .libraries = &libraries };
	ck_assert_ptr_eq(call_filter_thread(&filter, &sink), &sink);
}
END_TEST

/* Functions 1 and 3 are in a library that is skipped. */
START_TEST(calls_of_other_libraries_are_skipped)
{
	static uint8_t known[] = { 0, 3, 1, 3, 1 };	/* bits of call_filter.c */

	libraries.known = known;
	libraries.known_count = sizeof(known);
	begin(0, "chosen", true);
	put(1, 0);
	put(2, 10);
	put(3, 20);
	put(4, 30);
	take(40);
	take(50);
	take(60);
	take(70);
	ck_assert_str_eq(reported, "0:2(1:4()10/0 )50/10 ");
	call_filter_free(&filter);
}
END_TEST

/* Function 2 is chosen, and function 3 is left out. */
START_TEST(only_calls_of_chosen_functions_and_calls_below_them_pass)
{
	static uint8_t known[] = { 0, 1, 5, 3, 1 };
	const struct event event = { .kind = EVENT_USER }, loss = { .kind = EVENT_LOST };

	libraries.known = known;
	libraries.known_count = sizeof(known);
	libraries.roots = "chosen";
	begin(0, NULL, true);
	put(1, 0);
	entrance->other(entrance->context, &event, depth);
	entrance->other(entrance->context, &loss, depth);
	put(4, 5);
	take(10);
	put(2, 20);
	put(3, 30);
	put(4, 40);
	entrance->other(entrance->context, &event, depth);
	take(50);
	put(2, 51);
	take(52);
	take(60);
	put(1, 70);
	take(80);
	take(90);
	put(4, 95);
	take(96);
	take(100);
	ck_assert_str_eq(reported, "0:! 0:2(1:4(2:! )10/0 1:2()1/0 1:1()10/0 )70/21 ");
	libraries.roots = NULL;
	call_filter_free(&filter);
}
END_TEST

UNIT_MAIN("call_filter", a_short_call_is_skipped_and_its_time_is_its_callers,
	  a_call_as_long_as_the_limit_is_reported_before_the_calls_inside_it,
	  an_event_is_reported_inside_all_its_calls,
	  an_event_that_needs_no_place_makes_no_short_call_reported,
	  a_sink_that_looks_around_sees_the_skipped_calls_around_an_event,
	  a_million_short_calls_take_no_memory, without_a_limit_the_filter_adds_no_sink,
	  calls_of_other_libraries_are_skipped, only_calls_of_chosen_functions_and_calls_below_them_pass)
