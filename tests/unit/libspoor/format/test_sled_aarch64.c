/* SPDX-License-Identifier: MIT */
/* test_sled_aarch64.c - sleds in a buffer are recognised, prepared, patched and restored. */
#include "format/sled.h"

#include <string.h>

#include "format/trace_format.h"
#include "tests/unit/support/unit.h"

/* The encodings of llvm-mc. */
#define RET 0xd65f03c0
#define RETAA 0xd65f0bff
#define RETAB 0xd65f0fff
#define B_FORWARD 0x14000400
#define BR_X16 0xd61f0200
#define BRAA_X16 0xd71f0a1f
#define BRAAZ_X16 0xd61f0a1f
#define B_GE 0x5400004a
#define CBZ_X3 0xb4000043
#define TBNZ_W3 0x37080043
#define BL 0x94000400
#define BLR_X16 0xd63f0200
#define ADD 0x11000400

static uint32_t text[16];

static uint8_t *place(uint32_t next)
{
	memset(text, 0xcc, sizeof(text));
	text[0] = 0x14000008;
	for (int i = 1; i < 8; i++)
		text[i] = 0xd503201f;
	text[8] = next;
	return (uint8_t *)text;
}

static enum spoor_sled_verdict check(uint8_t kind, uint32_t next)
{
	return spoor_sled_check(place(next), kind, text, 36);
}

START_TEST(a_sled_is_good_and_anything_else_is_not)
{
	uint8_t *sled = place(ADD);

	ck_assert_int_eq(spoor_sled_check(sled, SPOOR_SLED_ENTRY, text, 36), SPOOR_SLED_GOOD);
	for (int i = 0; i < SPOOR_SLED_BYTES; i++) {
		place(ADD)[i] ^= 1;	/* for example a breakpoint */
		ck_assert_int_eq(spoor_sled_check(sled, SPOOR_SLED_ENTRY, text, 36), SPOOR_SLED_UNEXPECTED);
	}
	ck_assert_int_eq(spoor_sled_check(place(RET), SPOOR_SLED_EXIT, text, 32), SPOOR_SLED_UNEXPECTED);
}
END_TEST

START_TEST(the_instruction_after_a_tail_sled_decides)
{
	static const uint32_t returns[] = { RET, RETAA, RETAB }, jumps[] = { B_FORWARD, BR_X16, BRAA_X16, BRAAZ_X16 },
			      perhaps[] = { B_GE, CBZ_X3, TBNZ_W3 }, others[] = { BL, BLR_X16, ADD };

	for (uint8_t kind = SPOOR_SLED_EXIT; kind <= SPOOR_SLED_TAIL; kind++) {
		for (size_t i = 0; i < sizeof(returns) / 4; i++) {
			ck_assert_int_eq(check(kind, returns[i]), SPOOR_SLED_GOOD);
			ck_assert_int_eq(spoor_sled_kind(place(returns[i]), kind), SPOOR_SLED_EXIT);
		}
		for (size_t i = 0; i < sizeof(jumps) / 4; i++) {
			ck_assert_int_eq(check(kind, jumps[i]), SPOOR_SLED_GOOD);
			ck_assert_int_eq(spoor_sled_kind(place(jumps[i]), kind), SPOOR_SLED_TAIL);
		}
		for (size_t i = 0; i < sizeof(perhaps) / 4; i++)
			ck_assert_int_eq(check(kind, perhaps[i]), SPOOR_SLED_CONDITIONAL);
		for (size_t i = 0; i < sizeof(others) / 4; i++)
			ck_assert_int_eq(check(kind, others[i]), SPOOR_SLED_UNEXPECTED);
	}
	ck_assert_int_eq(spoor_sled_kind(place(B_FORWARD), SPOOR_SLED_ENTRY), SPOOR_SLED_ENTRY);
}
END_TEST

START_TEST(a_thunk_farther_than_a_call_reaches_is_out_of_reach)
{
	const int64_t reach = 128 << 20;
	const uint8_t *sled = place(RET);

	for (int i = 0; i < 4; i++) {
		uint8_t kind = i < 2 ? SPOOR_SLED_EXIT : SPOOR_SLED_TAIL;
		int64_t call = i < 2 ? 24 : 8, sign = i % 2 ? 1 : -1;
		const uint8_t *far = (const uint8_t *)((uintptr_t)sled + (uintptr_t)(call + sign * (reach + 4)));
		const uint8_t *near = (const uint8_t *)((uintptr_t)sled + (uintptr_t)(call + sign * (reach - 4)));

		ck_assert_int_eq(spoor_sled_check(sled, kind, far, 36), SPOOR_SLED_OUT_OF_REACH);
		ck_assert_int_eq(spoor_sled_check(sled, kind, near, 36), SPOOR_SLED_GOOD);
	}
}
END_TEST

/* Returns the target of the bl at @at (DDI 0487, "BL"): its offset is signed, 26 bits, in words. */
static const uint8_t *target(const uint32_t *at)
{
	ck_assert_uint_eq(*at >> 26, 0x25);
	return (const uint8_t *)at + (int32_t)(*at << 6) / 64 * 4;
}

/* Returns the value that two moves load into w16. */
static uint32_t number(const uint32_t *at, uint32_t low, uint32_t high)
{
	ck_assert_uint_eq(at[0] & 0xffe0001f, low);
	ck_assert_uint_eq(at[1] & 0xffe0001f, high);
	return (at[0] >> 5 & 0xffff) | (at[1] >> 5 & 0xffff) << 16;
}

START_TEST(a_patched_sled_carries_its_code_to_its_thunk)
{
	static const struct {
		uint8_t kind;
		enum spoor_event_kind event;
		uint32_t index;
		int64_t distance;
	} cases[] = {
		{ SPOOR_SLED_ENTRY, SPOOR_EVENT_ENTRY, 0x12345, 1000 },
		{ SPOOR_SLED_EXIT, SPOOR_EVENT_EXIT, 7, -1000 },
		{ SPOOR_SLED_TAIL, SPOOR_EVENT_TAIL_EXIT, SPOOR_INDEX_MAX, 100 << 20 },
		{ SPOOR_SLED_TAIL, SPOOR_EVENT_TAIL_EXIT, 0xffff0000 & SPOOR_INDEX_MAX, -(100 << 20) },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const uint8_t *thunk = (const uint8_t *)((uintptr_t)text + (uintptr_t)cases[i].distance);
		uint8_t *sled = place(RET);

		spoor_sled_prepare(sled, cases[i].kind, thunk, cases[i].index);
		spoor_sled_switch(sled, cases[i].kind, true);
		ck_assert_uint_eq(text[0], 0xd503201f);			/* nop */
		if (cases[i].kind == SPOOR_SLED_TAIL) {
			ck_assert_uint_eq(text[1], 0x9e6703df);		/* fmov d31, x30 */
			ck_assert_ptr_eq(target(text + 2), thunk);
			ck_assert_uint_eq(text[3], 0x9e6603f0);		/* fmov x16, d31 */
			ck_assert_uint_eq(number(text + 4, 0xd280001f, 0xd280001f),
					  SPOOR_EVENT_CODE(cases[i].event, cases[i].index));
		} else {
			int call = cases[i].kind == SPOOR_SLED_EXIT ? 6 : 4;

			ck_assert_uint_eq(text[1], 0xaa1e03f1);		/* mov x17, x30 */
			ck_assert_uint_eq(number(text + call - 2, 0x52800010, 0x72a00010),
					  SPOOR_EVENT_CODE(cases[i].event, cases[i].index));
			ck_assert_ptr_eq(target(text + call), thunk);
			ck_assert_uint_eq(text[call == 6 ? 2 : 5], 0xd503201f);
			ck_assert_uint_eq(text[call == 6 ? 3 : 6], 0xd503201f);
		}
		ck_assert_uint_eq(text[7], 0xd503201f);
		ck_assert_uint_eq(text[8], RET);
	}
}
END_TEST

/* The expected words are the encodings of llvm-mc: mov x16, sp; autia1716; paciasp, and the same with key B. */
START_TEST(a_signed_return_address_is_checked_and_signed_again)
{
	static const uint32_t returns[][3] = { { RETAA, 0xd503219f, 0xd503233f }, { RETAB, 0xd50321df, 0xd503237f } };

	for (size_t i = 0; i < 2; i++) {
		spoor_sled_prepare(place(returns[i][0]), SPOOR_SLED_EXIT, (const uint8_t *)text + 400, 7);
		ck_assert_uint_eq(text[1], 0xaa1e03f1);			/* mov x17, x30 */
		ck_assert_uint_eq(text[2], 0x910003f0);
		ck_assert_uint_eq(text[3], returns[i][1]);
		ck_assert_uint_eq(number(text + 4, 0x52800010, 0x72a00010), SPOOR_EVENT_CODE(SPOOR_EVENT_EXIT, 7));
		ck_assert_ptr_eq(target(text + 6), (const uint8_t *)text + 400);
		ck_assert_uint_eq(text[7], returns[i][2]);
	}
}
END_TEST

START_TEST(a_breakpoint_on_a_sled_is_no_patched_sled)
{
	uint8_t *sled = place(RET);

	ck_assert(spoor_sled_is_ours(sled, SPOOR_SLED_EXIT));
	spoor_sled_switch(sled, SPOOR_SLED_EXIT, true);
	ck_assert(spoor_sled_is_ours(sled, SPOOR_SLED_EXIT));
	text[0] = 0xd4200000;	/* brk #0 */
	ck_assert(!spoor_sled_is_ours(sled, SPOOR_SLED_EXIT));
}
END_TEST

/* Only two instructions may change while other threads run the code: a branch and a nop. */
START_TEST(only_the_head_of_a_prepared_sled_ever_changes)
{
	for (uint8_t kind = SPOOR_SLED_ENTRY; kind <= SPOOR_SLED_TAIL; kind++) {
		uint8_t *sled = place(RET);
		uint32_t prepared[16];

		spoor_sled_prepare(sled, kind, sled + 64, 3);
		ck_assert_uint_eq(text[0], 0x14000008);
		memcpy(prepared, text, sizeof(prepared));
		spoor_sled_switch(sled, kind, true);
		ck_assert_uint_eq(text[0], 0xd503201f);
		ck_assert_mem_eq(text + 1, prepared + 1, sizeof(text) - 4);
		spoor_sled_switch(sled, kind, false);
		ck_assert_mem_eq(text, prepared, sizeof(text));
	}
}
END_TEST

UNIT_MAIN("sled", a_sled_is_good_and_anything_else_is_not, the_instruction_after_a_tail_sled_decides,
	  a_thunk_farther_than_a_call_reaches_is_out_of_reach, a_patched_sled_carries_its_code_to_its_thunk,
	  a_signed_return_address_is_checked_and_signed_again, a_breakpoint_on_a_sled_is_no_patched_sled,
	  only_the_head_of_a_prepared_sled_ever_changes)
