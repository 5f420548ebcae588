/* SPDX-License-Identifier: MIT */
/* test_wait.c - calls, requests and full slices end a drainer's wait. If a test hangs, check's time limit ends it. */
#include "format/drainer_call.h"
#include "format/mailbox.h"
#include "tests/unit/support/draining.h"

START_TEST(a_wake_between_a_drain_and_the_wait_is_not_lost)
{
	draining_begin();
	spoor_drain_run(draining.drain, 0);
	spoor_drain_wake(draining.drain);
	ck_assert(spoor_drain_wait(draining.drain, false));
	ck_assert_uint_eq(spoor_pool->wake, 1);
}
END_TEST

START_TEST(a_wake_ends_one_wait_and_not_the_next)
{
	draining_begin();
	/* The wait then reads clocks, and counts that it did. */
	spoor_pool->counter_is_clock = 0;
	spoor_drain_wake(draining.drain);
	ck_assert(spoor_drain_wait(draining.drain, false));
	spoor_drain_run(draining.drain, 0);
	spoor_pool->begin.steady_ns = spoor_pool->latest.steady_ns;
	ck_assert(!spoor_drain_wait(draining.drain, false));
	ck_assert_uint_eq(spoor_pool->wake, 1);
}
END_TEST

START_TEST(each_request_ends_a_wait_and_the_next_run_grants_it)
{
	struct spoor_mail mail = { .command = SPOOR_MAIL_FLUSH };

	draining_begin();
	ck_assert(draining_log());
	spoor_pool->wanted = SPOOR_WISH_FLUSH;
	spoor_pool->asked++;
	spoor_drainer_call(spoor_pool);
	ck_assert(spoor_drain_wait(draining.drain, false));
	spoor_drain_run(draining.drain, 0);
	ck_assert_uint_eq(spoor_pool->answered, spoor_pool->asked);
	ck_assert_uint_eq(draining_read_back(), 1);
	ck_assert(draining_log());
	spoor_pool->posted++;
	spoor_drainer_call(spoor_pool);
	ck_assert(spoor_drain_wait(draining.drain, false));
	spoor_drain_run(draining.drain, 0);
	ck_assert_uint_eq(draining_read_back(), 2);
	spoor_mailbox_request(spoor_pool, &mail);
	ck_assert(spoor_drain_wait(draining.drain, false));
}
END_TEST

START_TEST(a_slice_that_fills_during_a_run_ends_the_next_wait)
{
	draining_begin();
	for (int i = 0; i < 20 * (int)SPOOR_SLICE_WORDS; i++)
		ck_assert(draining_log());
	ck_assert_uint_eq(spoor_pool->wake, 0);
	ck_assert(spoor_drain_wait(draining.drain, false));
	/* The slices fill after the wait and before the run. */
	for (int i = 0; i < 20 * (int)SPOOR_SLICE_WORDS; i++)
		ck_assert(draining_log());
	ck_assert(spoor_drain_wait(draining.drain, false));
	ck_assert_uint_ge(spoor_drain_run(draining.drain, 0), 38);
	ck_assert_uint_eq(spoor_pool->wake, 1);
}
END_TEST

UNIT_MAIN("wait", a_wake_between_a_drain_and_the_wait_is_not_lost, a_wake_ends_one_wait_and_not_the_next,
	  each_request_ends_a_wait_and_the_next_run_grants_it, a_slice_that_fills_during_a_run_ends_the_next_wait)
