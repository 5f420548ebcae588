/* SPDX-License-Identifier: MIT */
/* test_sled_x86_64.c - sleds in a buffer are recognised, prepared, patched and restored. */
#include "format/sled.h"

#include <string.h>

#include "format/trace_format.h"
#include "tests/unit/support/unit.h"

/* LLVM's sleds as llvm-mc assembles them, each followed by the bytes that LLVM writes after it. */
static const uint8_t entry_sled[20] = { 0xeb, 9, 0x66, 0x0f, 0x1f, 0x84, 0, 0, 2, 0, 0, 0x8d, 0x47, 1, 0xc3 };
static const uint8_t nop_sled[20] = { 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0, 0x8d, 0x47, 1, 0xc3 };
static const uint8_t exit_sled[20] = { 0xc3, 0x2e, 0x66, 0x0f, 0x1f, 0x84, 0, 0, 2, 0, 0 };

static _Alignas(16) uint8_t text[64];

static uint8_t *place(const uint8_t *sled)
{
	memset(text, 0xcc, sizeof(text));
	memcpy(text, sled, 20);
	return text;
}

/* Places a tail sled and the jump after it. */
static uint8_t *place_tail(const char *jump, size_t size)
{
	place(entry_sled);
	memset(text + SPOOR_SLED_BYTES, 0xcc, 9);
	memcpy(text + SPOOR_SLED_BYTES, jump, size);
	return text;
}

/* Returns an address far from @place, where this program has no object. */
static const uint8_t *far_from(const uint8_t *place, int64_t distance)
{
	return (const uint8_t *)((uintptr_t)place + (uintptr_t)distance);
}

START_TEST(a_sled_is_good_and_anything_else_is_not)
{
	ck_assert_int_eq(spoor_sled_check(place(entry_sled), SPOOR_SLED_ENTRY, text, 20), SPOOR_SLED_GOOD);
	ck_assert_int_eq(spoor_sled_check(place(exit_sled), SPOOR_SLED_EXIT, text, 20), SPOOR_SLED_GOOD);
	ck_assert_int_eq(spoor_sled_check(place(exit_sled), SPOOR_SLED_ENTRY, text, 20), SPOOR_SLED_UNEXPECTED);
	for (int i = 0; i < SPOOR_SLED_BYTES; i++) {
		place(entry_sled)[i] ^= 1;	/* for example a breakpoint */
		ck_assert_int_eq(spoor_sled_check(text, SPOOR_SLED_ENTRY, text, 20), SPOOR_SLED_UNEXPECTED);
	}
}
END_TEST

START_TEST(an_entry_may_be_one_nop_and_becomes_a_jump)
{
	ck_assert_int_eq(spoor_sled_check(place(nop_sled), SPOOR_SLED_ENTRY, text, 20), SPOOR_SLED_GOOD);
	ck_assert_int_eq(spoor_sled_check(text, SPOOR_SLED_EXIT, text, 20), SPOOR_SLED_UNEXPECTED);
	ck_assert_int_eq(spoor_sled_check(text, SPOOR_SLED_TAIL, text, 20), SPOOR_SLED_UNEXPECTED);
	for (int i = 0; i < SPOOR_SLED_BYTES; i++) {
		place(nop_sled)[i] ^= 1;
		ck_assert_int_eq(spoor_sled_check(text, SPOOR_SLED_ENTRY, text, 20), SPOOR_SLED_UNEXPECTED);
	}
	ck_assert(!spoor_sled_jump_over_rest(place(nop_sled), SPOOR_SLED_EXIT));
	ck_assert(spoor_sled_jump_over_rest(text, SPOOR_SLED_ENTRY));
	ck_assert_mem_eq(text, "\xeb\x09", 2);
	ck_assert_mem_eq(text + 2, nop_sled + 2, 18);
	ck_assert_int_eq(spoor_sled_check(text, SPOOR_SLED_ENTRY, text, 20), SPOOR_SLED_GOOD);
	ck_assert_int_eq(spoor_sled_check(text, SPOOR_SLED_TAIL, text, 20), SPOOR_SLED_UNEXPECTED);
	ck_assert(!spoor_sled_jump_over_rest(text, SPOOR_SLED_ENTRY));
	spoor_sled_prepare(text, SPOOR_SLED_ENTRY, text + 64, 3);
	ck_assert_mem_eq(text, "\xeb\x09", 2);
	ck_assert_mem_ne(text + 2, nop_sled + 2, SPOOR_SLED_BYTES - 2);
	ck_assert_mem_eq(text + SPOOR_SLED_BYTES, nop_sled + SPOOR_SLED_BYTES, 20 - SPOOR_SLED_BYTES);
}
END_TEST

START_TEST(a_sled_with_a_changed_byte_is_not_fresh)
{
	ck_assert(spoor_sled_is_fresh(place(nop_sled), SPOOR_SLED_ENTRY));
	ck_assert(spoor_sled_is_fresh(place(exit_sled), SPOOR_SLED_EXIT));
	ck_assert(!spoor_sled_is_fresh(place(exit_sled), SPOOR_SLED_ENTRY));
	ck_assert(!spoor_sled_is_fresh(place(nop_sled), SPOOR_SLED_EXIT));
	for (int kind = SPOOR_SLED_ENTRY; kind <= SPOOR_SLED_EXIT; kind++) {
		for (int i = 0; i < SPOOR_SLED_BYTES; i++) {
			place(kind == SPOOR_SLED_ENTRY ? nop_sled : exit_sled)[i] ^= 1;
			ck_assert(!spoor_sled_is_fresh(text, (uint8_t)kind));
		}
	}
	for (int byte = 0; byte < 256; byte++) {
		memset(text, byte, sizeof(text));
		ck_assert(!spoor_sled_is_fresh(text, SPOOR_SLED_TAIL));
		ck_assert(!spoor_sled_is_fresh(text, 3));
	}
}
END_TEST

START_TEST(the_jump_after_a_tail_sled_decides)
{
	static const struct {
		const char *jump;
		size_t size;
		enum spoor_sled_verdict verdict;
	} cases[] = {
		{ "\xe9\1\2\3\4", 5, SPOOR_SLED_GOOD },			/* jmp rel32 */
		{ "\xeb\4", 2, SPOOR_SLED_GOOD },			/* jmp rel8 */
		{ "\xff\xe0", 2, SPOOR_SLED_GOOD },			/* jmp *%rax */
		{ "\x41\xff\xe3", 3, SPOOR_SLED_GOOD },			/* jmp *%r11 */
		{ "\x3e\xff\xe0", 3, SPOOR_SLED_GOOD },			/* notrack jmp *%rax */
		{ "\xff\x25\1\2\3\4", 6, SPOOR_SLED_GOOD },		/* jmp *x(%rip) */
		{ "\xff\x60\x10", 3, SPOOR_SLED_GOOD },			/* jmp *16(%rax) */
		{ "\xff\x24\xc7", 3, SPOOR_SLED_GOOD },			/* jmp *(%rdi,%rax,8) */
		{ "\xff\x64\xf4\xd8", 4, SPOOR_SLED_STACK_OPERAND },	/* jmp *-40(%rsp,%rsi,8) */
		{ "\xff\x24\x24", 3, SPOOR_SLED_STACK_OPERAND },	/* jmp *(%rsp) */
		{ "\x0f\x8d\1\2\3\4", 6, SPOOR_SLED_CONDITIONAL },	/* jge rel32 */
		{ "\x7d\4", 2, SPOOR_SLED_CONDITIONAL },		/* jge rel8 */
		{ "\xff\xd0", 2, SPOOR_SLED_UNEXPECTED },		/* call *%rax */
		{ "\x90\x90\x90", 3, SPOOR_SLED_UNEXPECTED },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ck_assert_msg(spoor_sled_check(place_tail(cases[i].jump, cases[i].size), SPOOR_SLED_TAIL, text, 20) ==
			      cases[i].verdict, "case %zu", i);
}
END_TEST

START_TEST(a_thunk_farther_than_a_call_reaches_is_out_of_reach)
{
	place(entry_sled);
	ck_assert_int_eq(spoor_sled_check(text, SPOOR_SLED_ENTRY, far_from(text, 1ll << 32), 20), SPOOR_SLED_OUT_OF_REACH);
	ck_assert_int_eq(spoor_sled_check(text, SPOOR_SLED_ENTRY, far_from(text, -(1ll << 32)), 20), SPOOR_SLED_OUT_OF_REACH);
}
END_TEST

/* Returns the target of the call or jump at @at. */
static const uint8_t *target(const uint8_t *at)
{
	int32_t distance;

	memcpy(&distance, at + 1, 4);
	return at + 5 + distance;
}

static uint32_t number(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, 4);
	return value;
}

START_TEST(a_patched_sled_carries_its_code_to_its_thunk)
{
	const uint8_t *thunk = far_from(text, 1000);

	spoor_sled_prepare(place(entry_sled), SPOOR_SLED_ENTRY, thunk, 0x12345);
	spoor_sled_switch(text, SPOOR_SLED_ENTRY, 1);
	ck_assert_mem_eq(text, "\x41\xbb", 2);	/* mov $..., %r11d */
	ck_assert_uint_eq(number(text + 2), SPOOR_EVENT_CODE(SPOOR_EVENT_ENTRY, 0x12345));
	ck_assert_uint_eq(text[6], 0xe8);
	ck_assert_ptr_eq(target(text + 6), thunk);

	spoor_sled_prepare(place(exit_sled), SPOOR_SLED_EXIT, thunk, 7);
	spoor_sled_switch(text, SPOOR_SLED_EXIT, 1);
	ck_assert_mem_eq(text, "\x41\xbb", 2);
	ck_assert_uint_eq(number(text + 2), SPOOR_EVENT_CODE(SPOOR_EVENT_EXIT, 7));
	ck_assert_uint_eq(text[6], 0xe9);
	ck_assert_ptr_eq(target(text + 6), thunk);

	spoor_sled_prepare(place(entry_sled), SPOOR_SLED_TAIL, thunk, SPOOR_INDEX_MAX);
	spoor_sled_switch(text, SPOOR_SLED_TAIL, 1);
	ck_assert_mem_eq(text, "\x48\xe8", 2);	/* rex.W call */
	ck_assert_ptr_eq(target(text + 1), thunk);
	ck_assert_uint_eq(text[6], 0xa9);	/* test $..., %eax */
	ck_assert_uint_eq(number(text + 7), SPOOR_EVENT_CODE(SPOOR_EVENT_TAIL_EXIT, SPOOR_INDEX_MAX));
}
END_TEST

START_TEST(a_breakpoint_on_a_sled_is_no_patched_sled)
{
	/* A sled that is not prepared yet, or no longer, is no patched sled either. */
	place(exit_sled);
	ck_assert(!spoor_sled_is_ours(text, SPOOR_SLED_EXIT));
	spoor_sled_prepare(text, SPOOR_SLED_EXIT, text, 7);
	ck_assert(spoor_sled_is_ours(text, SPOOR_SLED_EXIT));
	ck_assert(!spoor_sled_is_ours(text, SPOOR_SLED_ENTRY));
	spoor_sled_switch(text, SPOOR_SLED_EXIT, true);
	ck_assert(spoor_sled_is_ours(text, SPOOR_SLED_EXIT));
	text[0] = 0xcc;
	ck_assert(!spoor_sled_is_ours(text, SPOOR_SLED_EXIT));
}
END_TEST

START_TEST(only_the_head_of_a_prepared_sled_ever_changes)
{
	static const uint8_t kinds[] = { SPOOR_SLED_ENTRY, SPOOR_SLED_EXIT, SPOOR_SLED_TAIL };

	for (int i = 0; i < 3; i++) {
		const uint8_t *dormant = kinds[i] == SPOOR_SLED_EXIT ? exit_sled : entry_sled;
		uint8_t prepared[SPOOR_SLED_BYTES];

		spoor_sled_prepare(place(dormant), kinds[i], text + 64, 3);
		ck_assert_mem_eq(text, dormant, 2);
		memcpy(prepared, text, sizeof(prepared));
		spoor_sled_switch(text, kinds[i], 1);
		ck_assert_mem_ne(text, dormant, 2);
		ck_assert_mem_eq(text + 2, prepared + 2, sizeof(prepared) - 2);
		spoor_sled_switch(text, kinds[i], 0);
		ck_assert_mem_eq(text, prepared, sizeof(prepared));
		ck_assert_mem_eq(text + SPOOR_SLED_BYTES, dormant + SPOOR_SLED_BYTES, 20 - SPOOR_SLED_BYTES);
	}
}
END_TEST

UNIT_MAIN("sled", a_sled_is_good_and_anything_else_is_not, an_entry_may_be_one_nop_and_becomes_a_jump,
	  a_sled_with_a_changed_byte_is_not_fresh, the_jump_after_a_tail_sled_decides,
	  a_thunk_farther_than_a_call_reaches_is_out_of_reach, a_patched_sled_carries_its_code_to_its_thunk,
	  a_breakpoint_on_a_sled_is_no_patched_sled, only_the_head_of_a_prepared_sled_ever_changes)
