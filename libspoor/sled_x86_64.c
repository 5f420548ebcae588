/* SPDX-License-Identifier: MIT */
/*
 * sled_x86_64.c - LLVM's sleds on x86-64 and what we make of them.
 *
 *            dormant                     patched
 *   entry    jmp +9; 9-byte nop          mov $code, %r11d; call thunk
 *   exit     ret; 10-byte nop            mov $code, %r11d; jmp thunk
 *   tail     jmp +9; 9-byte nop          rex.W call thunk; test $code, %eax
 *
 * At entry and exit r11 is the one register of the right length that is free
 * (r10 is the static chain); at a tail call none is, and a push would leave the
 * function's unwind table wrong for as long as it lasts. So the code stands
 * behind the call, where the trampoline reads it and the processor compares it
 * with what nobody asks for: flags are free. The head is the first two bytes;
 * sleds are aligned to two.
 */
#include <string.h>

#include "sled.h"
#include "trace_format.h"

#define HEAD_BYTES 2

/* The thread sanitizer keeps no record of text that could be written to. */
#define WRITES_TEXT __attribute__((no_sanitize("thread")))

static const uint8_t jump_over[] = { 0xeb, 0x09, 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x02, 0x00, 0x00 };
static const uint8_t return_and_nop[] = { 0xc3, 0x2e, 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x02, 0x00, 0x00 };

static const uint8_t *dormant(uint8_t kind)
{
	return kind == SPOOR_SLED_EXIT ? return_and_nop : jump_over;
}

static enum spoor_event_kind event_kind(uint8_t kind)
{
	return kind == SPOOR_SLED_ENTRY ? SPOOR_EVENT_ENTRY
	       : kind == SPOOR_SLED_EXIT ? SPOOR_EVENT_EXIT : SPOOR_EVENT_TAIL_EXIT;
}

/* The jump that follows a tail sled: a push must not move what it goes through,
 * nor may our code change the flags that it looks at. */
static enum spoor_sled_verdict check_jump(const uint8_t *at, uint64_t size)
{
	uint8_t modrm, mod, rm;

	while (size && (*at == 0x3e || *at == 0xf2 || *at == 0x2e || (*at & 0xf0) == 0x40)) {
		at++;	/* notrack, bnd, padding, REX */
		size--;
	}
	if (size < 3)
		return SPOOR_SLED_UNEXPECTED;
	if (at[0] == 0xe9 || at[0] == 0xeb)
		return SPOOR_SLED_GOOD;
	if ((at[0] & 0xf0) == 0x70 || (at[0] == 0x0f && (at[1] & 0xf0) == 0x80))
		return SPOOR_SLED_CONDITIONAL;
	if (at[0] != 0xff)
		return SPOOR_SLED_UNEXPECTED;
	modrm = at[1];
	mod = modrm >> 6;
	rm = modrm & 7;
	if ((modrm >> 3 & 7) != 4)
		return SPOOR_SLED_UNEXPECTED;
	/* With a SIB byte, base 4 is the stack pointer (12, r12, looks the same
	 * but for REX.B, and is callee-saved: never an operand here). */
	if (mod != 3 && rm == 4 && (at[2] & 7) == 4)
		return SPOOR_SLED_STACK_OPERAND;
	return SPOOR_SLED_GOOD;
}

enum spoor_sled_verdict spoor_sled_check(const uint8_t *sled, uint8_t kind, const void *thunk, uint64_t size)
{
	int64_t distance = (const uint8_t *)thunk - sled;

	if ((uintptr_t)sled % HEAD_BYTES || memcmp(sled, dormant(kind), SPOOR_SLED_BYTES) != 0)
		return SPOOR_SLED_UNEXPECTED;
	if (distance > INT32_MAX - 64 || distance < INT32_MIN + 64)
		return SPOOR_SLED_OUT_OF_REACH;
	if (kind == SPOOR_SLED_TAIL)
		return check_jump(sled + SPOOR_SLED_BYTES, size - SPOOR_SLED_BYTES);
	return SPOOR_SLED_GOOD;
}

WRITES_TEXT void spoor_sled_prepare(uint8_t *sled, uint8_t kind, const void *thunk, uint32_t index)
{
	uint32_t code = SPOOR_EVENT_CODE(event_kind(kind), index);
	bool tail = kind == SPOOR_SLED_TAIL;
	int call = tail ? 1 : 6;
	int32_t distance = (int32_t)((const uint8_t *)thunk - (sled + call + 5));

	if (tail) {
		sled[6] = 0xa9;
		memcpy(sled + 7, &code, 4);
	} else {
		memcpy(sled + HEAD_BYTES, &code, 4);
		sled[call] = kind == SPOOR_SLED_EXIT ? 0xe9 : 0xe8;
	}
	memcpy(sled + call + 1, &distance, 4);
}

static uint16_t head_of(uint8_t kind, bool on)
{
	uint16_t head;

	if (on)
		return kind == SPOOR_SLED_TAIL ? 0xe848 : 0xbb41;
	memcpy(&head, dormant(kind), HEAD_BYTES);
	return head;
}

WRITES_TEXT bool spoor_sled_is_ours(const uint8_t *sled, uint8_t kind)
{
	uint16_t head = __atomic_load_n((const uint16_t *)(const void *)sled, __ATOMIC_RELAXED);

	return head == head_of(kind, false) || head == head_of(kind, true);
}

WRITES_TEXT void spoor_sled_switch(uint8_t *sled, uint8_t kind, bool on)
{
	__atomic_store_n((uint16_t *)(void *)sled, head_of(kind, on), __ATOMIC_RELEASE);
}
