/* SPDX-License-Identifier: MIT */
/* test_nesting.c - the rule that opens and closes calls, and the parts of it that a policy may change. */
#include "format/nesting.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/support/unit.h"

#define ROOM 4u

struct nest {
	uint32_t function[64], frame[64];
	size_t depth, room;
	uint32_t unstored;
	char log[512];		/* "+function" for each opened call, "-function:how" for each closed one */
};

static struct nest nest;

static size_t depth(const void *context)
{
	(void)context;
	return nest.depth;
}

static uint32_t function_at(const void *context, size_t at)
{
	(void)context;
	ck_assert_uint_lt(at, nest.depth);
	return nest.function[at];
}

static uint32_t frame_at(const void *context, size_t at)
{
	(void)context;
	ck_assert_uint_lt(at, nest.depth);
	return nest.frame[at];
}

static void add_to_log(const char *format, uint32_t function, int how)
{
	size_t used = strlen(nest.log);

	snprintf(nest.log + used, sizeof(nest.log) - used, format, function, how);
}

static int open_call(void *context, uint32_t function, uint64_t time)
{
	(void)context, (void)time;
	if (nest.room && nest.depth == nest.room) {
		nest.unstored++;
		return 0;
	}
	nest.function[nest.depth] = function;
	nest.frame[nest.depth++] = 0;
	add_to_log("+%u ", function, 0);
	return 0;
}

static void close_call(void *context, uint64_t time, enum spoor_call_end how)
{
	(void)context, (void)time;
	ck_assert_uint_gt(nest.depth, 0);
	add_to_log("-%u:%d ", nest.function[--nest.depth], how);
}

static int set_frame(void *context, uint32_t frame)
{
	(void)context;
	nest.frame[nest.depth - 1] = frame;
	return 0;
}

static int stray(void *context, uint32_t function, uint64_t time)
{
	(void)context, (void)time;
	add_to_log("?%u ", function, 0);
	return 0;
}

static int switch_stack(void *context, uint32_t frame, uint64_t time)
{
	(void)context, (void)time;
	add_to_log("=%u ", frame, 0);
	return -EPERM;
}

static int may_have_function(void *context, uint32_t function)
{
	(void)context;
	return function == 13 ? -ENOMEM : function != 1;
}

static bool may_have_frame(const void *context, uint32_t frame)
{
	(void)context;
	return frame != 70;
}

static bool is_scope(const void *context, size_t at)
{
	(void)context;
	return nest.function[at] >= 50;
}

static uint32_t *unstored(void *context)
{
	(void)context;
	return &nest.unstored;
}

static int mend(void *context, uint32_t function, uint64_t time, enum spoor_call_end how);
static int unwind(void *context, uint32_t frame, uint64_t time);
static int mend_little(void *context, uint32_t function, uint64_t time, enum spoor_call_end how);
static int unwind_all(void *context, uint32_t frame, uint64_t time);

#define COMMON \
	.depth = depth, .function = function_at, .frame = frame_at, .open = open_call, .close = close_call, \
	.set_frame = set_frame, .stray = stray

static const struct spoor_nesting_policy ample = {
	COMMON, .mend = mend, .unwind = unwind, .switch_stack = switch_stack, .search_most = SIZE_MAX,
	.may_have_function = may_have_function, .may_have_frame = may_have_frame, .outlives_unwind = is_scope,
};

static const struct spoor_nesting_policy scarce = {
	COMMON, .mend = mend_little, .unwind = unwind_all, .search_most = 2, .unknown_frame_closes_all = true,
	.unstored = unstored,
};

static int mend(void *context, uint32_t function, uint64_t time, enum spoor_call_end how)
{
	return spoor_nesting_mend(context, &ample, function, time, how);
}

static int unwind(void *context, uint32_t frame, uint64_t time)
{
	return spoor_nesting_unwind(context, &ample, frame, time);
}

static int mend_little(void *context, uint32_t function, uint64_t time, enum spoor_call_end how)
{
	return spoor_nesting_mend(context, &scarce, function, time, how);
}

static int unwind_all(void *context, uint32_t frame, uint64_t time)
{
	return spoor_nesting_unwind(context, &scarce, frame, time);
}

static int take(const struct spoor_nesting_policy *policy, enum spoor_event_kind kind, uint32_t value)
{
	return policy == &ample ? spoor_nesting_take(&nest, &ample, kind, value, 1) :
				  spoor_nesting_take(&nest, &scarce, kind, value, 1);
}

static void begin(void)
{
	memset(&nest, 0, sizeof(nest));
}

static void enter_all(const struct spoor_nesting_policy *policy, uint32_t first, uint32_t last)
{
	for (uint32_t i = first; i <= last; i++)
		ck_assert_int_eq(take(policy, SPOOR_EVENT_ENTRY, i), 0);
	nest.log[0] = '\0';
}

START_TEST(exits_close_the_innermost_call)
{
	begin();
	ck_assert_int_eq(take(&ample, SPOOR_EVENT_ENTRY, 2), 0);
	ck_assert_int_eq(take(&ample, SPOOR_EVENT_ENTRY, 3), 0);
	ck_assert_int_eq(take(&ample, SPOOR_EVENT_EXIT, 3), 0);
	ck_assert_int_eq(take(&ample, SPOOR_EVENT_TAIL_EXIT, 2), 0);
	ck_assert_str_eq(nest.log, "+2 +3 -3:0 -2:1 ");
}
END_TEST

START_TEST(an_exit_of_an_outer_call_closes_the_inner_calls)
{
	begin();
	enter_all(&ample, 2, 5);
	ck_assert_int_eq(take(&ample, SPOOR_EVENT_TAIL_EXIT, 3), 0);
	ck_assert_str_eq(nest.log, "-5:4 -4:4 -3:1 ");
	ck_assert_uint_eq(nest.depth, 1);
}
END_TEST

START_TEST(an_exit_without_its_call_is_stray)
{
	begin();
	ck_assert_int_eq(take(&ample, SPOOR_EVENT_EXIT, 9), 0);
	enter_all(&ample, 1, 3);
	ck_assert_int_eq(take(&ample, SPOOR_EVENT_EXIT, 9), 0);
	ck_assert_str_eq(nest.log, "?9 ");
	/* The policy skips the search for the call of this exit. */
	ck_assert_int_eq(take(&ample, SPOOR_EVENT_EXIT, 1), 0);
	ck_assert_str_eq(nest.log, "?9 ?1 ");
	ck_assert_int_eq(take(&ample, SPOOR_EVENT_EXIT, 13), -ENOMEM);
	ck_assert_uint_eq(nest.depth, 3);
}
END_TEST

START_TEST(the_search_for_the_call_of_an_exit_has_a_limit)
{
	begin();
	enter_all(&scarce, 1, 4);
	ck_assert_int_eq(take(&scarce, SPOOR_EVENT_EXIT, 2), 0);
	ck_assert_str_eq(nest.log, "?2 ");
	ck_assert_int_eq(take(&scarce, SPOOR_EVENT_EXIT, 3), 0);
	ck_assert_str_eq(nest.log, "?2 -4:4 -3:0 ");
}
END_TEST

START_TEST(an_unwind_closes_the_calls_inside_its_frame)
{
	begin();
	enter_all(&ample, 2, 2);
	ck_assert_int_eq(take(&ample, SPOOR_EVENT_FRAME, 7), 0);
	ck_assert_int_eq(take(&ample, SPOOR_EVENT_FRAME, 8), 0);	/* the innermost call already has a frame */
	enter_all(&ample, 3, 4);
	ck_assert_int_eq(take(&ample, SPOOR_EVENT_FRAME, 0), 0);
	ck_assert_int_eq(take(&ample, SPOOR_EVENT_UNWIND, 8), 0);
	ck_assert_str_eq(nest.log, "");
	ck_assert_int_eq(take(&ample, SPOOR_EVENT_UNWIND, 7), 0);
	ck_assert_str_eq(nest.log, "-4:2 -3:2 ");
	ck_assert_int_eq(take(&ample, SPOOR_EVENT_UNWIND, 0), 0);
	ck_assert_str_eq(nest.log, "-4:2 -3:2 -2:2 ");
	ck_assert_int_eq(take(&ample, SPOOR_EVENT_FRAME, 7), 0);	/* there is no call for this frame */
}
END_TEST

START_TEST(calls_may_outlive_an_unwind)
{
	begin();
	enter_all(&ample, 2, 2);
	ck_assert_int_eq(take(&ample, SPOOR_EVENT_FRAME, 7), 0);
	enter_all(&ample, 50, 51);
	enter_all(&ample, 3, 3);
	enter_all(&ample, 52, 52);
	ck_assert_int_eq(take(&ample, SPOOR_EVENT_UNWIND, 7), 0);
	ck_assert_str_eq(nest.log, "-52:2 -3:2 ");
	ck_assert_uint_eq(nest.depth, 3);
}
END_TEST

START_TEST(an_unknown_frame_closes_none_or_all)
{
	begin();
	enter_all(&ample, 2, 3);
	ck_assert_int_eq(take(&ample, SPOOR_EVENT_FRAME, 70), 0);
	ck_assert_int_eq(take(&ample, SPOOR_EVENT_UNWIND, 9), 0);
	ck_assert_int_eq(take(&ample, SPOOR_EVENT_UNWIND, 70), 0);	/* the policy excludes this frame */
	ck_assert_str_eq(nest.log, "");
	begin();
	enter_all(&scarce, 2, 3);
	ck_assert_int_eq(take(&scarce, SPOOR_EVENT_UNWIND, 9), 0);
	ck_assert_str_eq(nest.log, "-3:2 -2:2 ");
}
END_TEST

START_TEST(the_policy_handles_a_switch)
{
	begin();
	enter_all(&ample, 2, 2);
	ck_assert_int_eq(take(&ample, SPOOR_EVENT_SWITCH, 5), -EPERM);
	ck_assert_str_eq(nest.log, "=5 ");
	ck_assert_int_eq(take(&scarce, SPOOR_EVENT_SWITCH, 5), 0);
	ck_assert_int_eq(take(&scarce, SPOOR_EVENT_EXTENDED, 2), 0);
	ck_assert_uint_eq(nest.depth, 1);
}
END_TEST

START_TEST(calls_without_room_are_counted)
{
	begin();
	nest.room = ROOM;
	enter_all(&scarce, 1, ROOM + 2);
	ck_assert_uint_eq(nest.unstored, 2);
	ck_assert_int_eq(take(&scarce, SPOOR_EVENT_FRAME, 7), 0);
	ck_assert_uint_eq(nest.frame[ROOM - 1], 0);
	/* The functions of calls without room are unknown, so any exit closes one of them. */
	ck_assert_int_eq(take(&scarce, SPOOR_EVENT_EXIT, ROOM), 0);
	ck_assert_int_eq(take(&scarce, SPOOR_EVENT_TAIL_EXIT, ROOM), 0);
	ck_assert_str_eq(nest.log, "");
	ck_assert_uint_eq(nest.unstored, 0);
	ck_assert_int_eq(take(&scarce, SPOOR_EVENT_FRAME, 7), 0);
	enter_all(&scarce, 1, 3);
	ck_assert_int_eq(take(&scarce, SPOOR_EVENT_UNWIND, 7), 0);
	ck_assert_uint_eq(nest.unstored, 0);
	ck_assert_uint_eq(nest.depth, ROOM);
}
END_TEST

UNIT_MAIN("nesting", exits_close_the_innermost_call, an_exit_of_an_outer_call_closes_the_inner_calls,
	  an_exit_without_its_call_is_stray, the_search_for_the_call_of_an_exit_has_a_limit,
	  an_unwind_closes_the_calls_inside_its_frame, calls_may_outlive_an_unwind,
	  an_unknown_frame_closes_none_or_all, the_policy_handles_a_switch, calls_without_room_are_counted)
