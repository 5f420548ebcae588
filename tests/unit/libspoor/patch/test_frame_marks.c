/* SPDX-License-Identifier: MIT */
/* test_frame_marks.c - functions with the flag, and functions that contain a mark, log their frames. */
#include "patch/frame_marks.h"

#include "tests/unit/support/hand_module.h"
#include "patch/sled_index.h"
#include "tests/unit/support/unit.h"

#define FUNCTIONS 100u

static struct hand_module module;

/* The marks are in the second page of the text, within reach of it as in a real module. */
static int32_t *marks;
static uint32_t mark_count;

static void mark(uint32_t local, uint32_t offset)
{
	int32_t *at = &marks[mark_count++];

	*at = (int32_t)((intptr_t)hand_module_at(&module, local) + offset - (intptr_t)at);
}

static void begin(void)
{
	hand_module_begin(&module, 2);
	hand_module_functions(&module, 64, FUNCTIONS);
	marks = (int32_t *)(void *)(module.text + 4096);
	mark_count = 0;
}

static void flag(uint32_t local)
{
	struct spoor_function *functions = (struct spoor_function *)(uintptr_t)module.dso->functions_begin;

	functions[local].position |= SPOOR_FUNCTION_LANDING_PADS;
}

/* Checks that the functions in @framed, and no others, log their frames. */
static void expect(const uint32_t *framed, size_t count)
{
	module.dso->marks_begin = marks;
	module.dso->marks_end = marks + mark_count;
	ck_assert_int_eq(spoor_sled_index_build(&module.sleds), 0);
	for (uint32_t local = 0; local < FUNCTIONS; local++) {
		bool wanted = false, found = module.sleds.framed[local / 64] >> (local % 64) & 1;

		for (size_t i = 0; i < count; i++)
			wanted |= framed[i] == local;
		ck_assert_msg(found == wanted, "function %u is framed: %d", local, found);
	}
	spoor_sled_index_free(&module.sleds);
	hand_module_end(&module);
}

START_TEST(the_function_around_a_mark_is_framed)
{
	begin();
	mark(0, 3);
	mark(0, 20);
	mark(7, 0);
	mark(63, HAND_FUNCTION_BYTES - 1);
	mark(FUNCTIONS - 1, 5);
	hand_module_finish(&module);
	expect((const uint32_t[]){ 0, 7, 63, FUNCTIONS - 1 }, 4);
}
END_TEST

START_TEST(a_flagged_function_is_framed_wherever_its_marks_are)
{
	begin();
	mark(50, 1);
	hand_module_finish(&module);
	flag(0);
	flag(64);
	expect((const uint32_t[]){ 0, 50, 64 }, 3);
}
END_TEST

START_TEST(a_mark_outside_of_all_functions_frames_none)
{
	begin();
	mark(0, (uint32_t)-8);
	hand_module_finish(&module);
	((struct spoor_function *)(uintptr_t)module.dso->functions_begin)[FUNCTIONS - 1].size = HAND_FUNCTION_BYTES;
	expect(NULL, 0);
}
END_TEST

START_TEST(a_module_with_a_stub_that_lacks_frames_has_no_marks)
{
	begin();
	mark(7, 0);
	hand_module_finish(&module);
	flag(3);
	module.dso->size = SPOOR_DSO_SIZE_MIN;
	expect(NULL, 0);
}
END_TEST

UNIT_MAIN("framed", the_function_around_a_mark_is_framed,
	  a_flagged_function_is_framed_wherever_its_marks_are, a_mark_outside_of_all_functions_frames_none,
	  a_module_with_a_stub_that_lacks_frames_has_no_marks)
