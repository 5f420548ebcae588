/* SPDX-License-Identifier: MIT */
/* test_open_calls_at_start.c - decides which frames of a stack are open calls, by their position among the sleds. */
#include "trace/open_calls_at_start.h"

#include <string.h>

#include "tests/unit/support/hand_module.h"
#include "patch/patch.h"
#include "patch/text_pages.h"
#include "format/sled.h"
#include "patch/sled_index.h"
#include "tests/unit/support/unit.h"

#define FUNCTIONS 200u

static struct hand_module module;
static uint64_t target[(FUNCTIONS + 1 + 63) / 64];
static uint32_t tail_at;	/* a function that ends with a tail call, after the hand-made ones */

static void begin(void)
{
	hand_module_begin(&module, HAND_PAGES);
	hand_module_functions(&module, 64, FUNCTIONS);
	tail_at = 64 + FUNCTIONS * HAND_FUNCTION_BYTES;
	hand_write_sled(module.text + tail_at, SPOOR_SLED_ENTRY);
	hand_write_sled(module.text + tail_at + HAND_TAIL, SPOOR_SLED_TAIL);
	hand_write_jump(module.text + tail_at + HAND_TAIL + SPOOR_SLED_BYTES, 0);
	hand_module_function(&module, tail_at);
	hand_module_sled(&module, SPOOR_SLED_ENTRY, tail_at, tail_at);
	hand_module_sled(&module, SPOOR_SLED_TAIL, tail_at + HAND_TAIL, tail_at);
	hand_module_finish(&module);
	ck_assert_int_eq(spoor_sled_index_build(&module.sleds), 0);
	spoor_patch_begin();
	ck_assert(spoor_patch_is_allowed());
	memset(target, 0xff, sizeof(target));
	target[0] &= ~(1ull << 7);
	target[FUNCTIONS / 64] &= (1ull << (FUNCTIONS % 64 + 1)) - 1;
	ck_assert_int_gt(spoor_patch_apply(&module.sleds, target, false), 0);
}

static void end(void)
{
	spoor_sled_index_free(&module.sleds);
	hand_module_end(&module);
}

static uint64_t text(uint32_t at)
{
	return (uint64_t)(uintptr_t)module.text + at;
}

/* Returns whether a frame at @offset bytes in the function at @function is an open call. */
static bool open_at(uint32_t function, uint32_t offset, uint32_t kind)
{
	struct spoor_stack_frame frame = { .function = text(function), .at = text(function + offset), .kind = kind };
	uint32_t local;

	ck_assert(spoor_roots_find(&module.sleds, frame.function, &local));
	return spoor_roots_is_open(&module.sleds, local, &frame);
}

START_TEST(functions_are_found_by_their_first_address_only)
{
	uint32_t local;

	begin();
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		ck_assert(spoor_roots_find(&module.sleds, text(64 + i * HAND_FUNCTION_BYTES), &local));
		ck_assert_uint_eq(local, i);
		ck_assert(!spoor_roots_find(&module.sleds, text(64 + i * HAND_FUNCTION_BYTES + 4), &local));
	}
	ck_assert(!spoor_roots_find(&module.sleds, text(0), &local));
	ck_assert(!spoor_roots_find(&module.sleds, text(HAND_PAGES * 4096), &local));
	ck_assert(!spoor_roots_find(&module.sleds, 1, &local));
	module.sleds.in_order = false;
	ck_assert(spoor_roots_find(&module.sleds, text(64 + 9 * HAND_FUNCTION_BYTES), &local));
	ck_assert_uint_eq(local, 9);
	ck_assert(!spoor_roots_find(&module.sleds, text(65), &local));
	end();
}
END_TEST

START_TEST(a_frame_before_or_in_its_entry_sled_is_no_open_call)
{
	begin();
	for (uint32_t offset = 0; offset < SPOOR_SLED_BYTES; offset++) {
		ck_assert(!open_at(64, offset, SPOOR_STACK_INTERRUPTED));
		/* The sled has called the trampoline, which is storing the entry. */
		ck_assert(!open_at(64, offset, SPOOR_STACK_CALLER));
	}
	ck_assert(open_at(64, SPOOR_SLED_BYTES, SPOOR_STACK_INTERRUPTED));
	ck_assert(open_at(64, SPOOR_SLED_BYTES, SPOOR_STACK_CALLER));
	end();
}
END_TEST

START_TEST(a_frame_at_its_exit_sled_is_open_because_the_exit_comes_later)
{
	begin();
	ck_assert(open_at(64, HAND_EXIT, SPOOR_STACK_INTERRUPTED));
	/* The frame is between the instruction that sets the code and the call that logs it. */
	ck_assert(open_at(64, HAND_EXIT + HAND_BEFORE_EVENT, SPOOR_STACK_INTERRUPTED));
	end();
}
END_TEST

START_TEST(a_frame_after_the_sled_of_a_tail_call_has_ended)
{
	begin();
	ck_assert(open_at(tail_at, HAND_TAIL, SPOOR_STACK_INTERRUPTED));
	for (uint32_t offset = HAND_TAIL_ENDED; offset <= SPOOR_SLED_BYTES; offset++)
		ck_assert(!open_at(tail_at, HAND_TAIL + offset, SPOOR_STACK_INTERRUPTED));
	ck_assert(open_at(tail_at, HAND_TAIL + SPOOR_SLED_BYTES + 1, SPOOR_STACK_INTERRUPTED));
	/* The sled has called the trampoline, which is storing the exit. */
	ck_assert(open_at(tail_at, HAND_TAIL + HAND_CALLED, SPOOR_STACK_CALLER));
	end();
}
END_TEST

START_TEST(a_dormant_function_is_no_root)
{
	begin();
	ck_assert(open_at(64 + 6 * HAND_FUNCTION_BYTES, SPOOR_SLED_BYTES, SPOOR_STACK_CALLER));
	ck_assert(!open_at(64 + 7 * HAND_FUNCTION_BYTES, SPOOR_SLED_BYTES, SPOOR_STACK_CALLER));
	end();
}
END_TEST

UNIT_MAIN("root_frames", functions_are_found_by_their_first_address_only,
	  a_frame_before_or_in_its_entry_sled_is_no_open_call,
	  a_frame_at_its_exit_sled_is_open_because_the_exit_comes_later,
	  a_frame_after_the_sled_of_a_tail_call_has_ended, a_dormant_function_is_no_root)
