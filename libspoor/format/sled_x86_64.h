/* SPDX-License-Identifier: MIT */
/*
 * sled_x86_64.h - LLVM's sleds on x86-64 and their patched forms.
 *
 *            dormant                     patched
 *   entry    11-byte nop, or as a tail   mov $code, %r11d; call thunk
 *   exit     ret; 10-byte nop            mov $code, %r11d; jmp thunk
 *   tail     jmp +9; 9-byte nop          rex.W call thunk; test $code, %eax
 *
 * At entry and exit r11 is the only free register whose instruction has the right length (r10 is the
 * static chain). At a tail call no register is free, and a push would make the function's unwind table
 * wrong while it lasts. So the code is an operand of an instruction after the call, from which the
 * trampoline reads it. That instruction only sets flags, which are free there. The head is the first
 * two bytes; sleds are aligned to two bytes.
 *
 * An entry that is one nop costs almost nothing until it is patched for the first time. Then the nop
 * becomes a jump over the sled before the other bytes are written. From then on the jump is the dormant
 * form.
 */
#ifndef SPOOR_SLED_X86_64_H
#define SPOOR_SLED_X86_64_H

#include <string.h>

#include "format/trace_format.h"

#define SPOOR_ELF_MACHINE 62	/* EM_X86_64 */
#define SPOOR_ARCH_NAME "x86-64"
#define SPOOR_SLED_BYTES 11
#define SPOOR_SLED_HEAD_BYTES 2

/* Checks the @size bytes after a tail sled: whether the sled may be patched. */
enum spoor_sled_verdict spoor_sled_check_jump(const uint8_t *at, uint64_t size);

/* The thread sanitizer does not know text that can be written to. */
#define SPOOR_WRITES_TEXT static inline __attribute__((no_sanitize("thread")))

#define SPOOR_SLED_EXIT_HEAD 0x2ec3

/* The head of each kind in the order of memory: dormant, patched. */
static const uint16_t spoor_sled_heads[][2] = {
	[SPOOR_SLED_ENTRY] = { 0x09eb, 0xbb41 },
	[SPOOR_SLED_EXIT] = { SPOOR_SLED_EXIT_HEAD, 0xbb41 },
	[SPOOR_SLED_TAIL] = { 0x09eb, 0xe848 },
};
#define SPOOR_SLED_NOP_BEGIN 0x00020000841f0f66ull	/* nopw 512(%rax, %rax) */
#define SPOOR_SLED_NOP_END 0x00

/* The first two bytes, then the next eight, of data16 cs nopw 0(%rax, %rax), which the pass emits
 * (pass/sleds/nop_entry.c). */
#define SPOOR_SLED_ENTRY_NOP_HEAD 0x6666
#define SPOOR_SLED_ENTRY_NOP_BEGIN 0x00000000841f0f2eull

static inline uint8_t spoor_sled_kind(const uint8_t *sled, uint8_t kind)
{
	(void)sled;
	return kind;
}

/* Tells if the bytes at @at are a jump to @target. */
static inline bool spoor_sled_jumps(const uint8_t *at, const void *target)
{
	int32_t distance;

	memcpy(&distance, at + 1, 4);
	return *at == 0xe9 && (uintptr_t)at + 5 + (uintptr_t)(intptr_t)distance == (uintptr_t)target;
}

/* The first and the last eight bytes of each kind. Kinds that need the full check have values that cannot
 * match. */
static const uint64_t spoor_sled_fresh[4][2] = {
	[SPOOR_SLED_ENTRY] = { SPOOR_SLED_ENTRY_NOP_BEGIN << 16 | SPOOR_SLED_ENTRY_NOP_HEAD,
			       SPOOR_SLED_ENTRY_NOP_BEGIN >> 8 },
	[SPOOR_SLED_EXIT] = { SPOOR_SLED_NOP_BEGIN << 16 | SPOOR_SLED_EXIT_HEAD, SPOOR_SLED_NOP_BEGIN >> 8 },
	[SPOOR_SLED_TAIL] = { 0, UINT64_MAX },
	[3] = { 0, UINT64_MAX },
};

static inline bool spoor_sled_is_fresh(const uint8_t *sled, uint8_t kind)
{
	uint64_t begin, end;

	memcpy(&begin, sled, 8);
	memcpy(&end, sled + SPOOR_SLED_BYTES - 8, 8);
	return begin == spoor_sled_fresh[kind][0] && end == spoor_sled_fresh[kind][1];
}

static inline bool spoor_sled_reaches(const uint8_t *sled, const void *thunk)
{
	int64_t distance = (const uint8_t *)thunk - sled;

	return distance <= INT32_MAX - 64 && distance >= INT32_MIN + 64;
}

static inline enum spoor_sled_verdict spoor_sled_check(const uint8_t *sled, uint8_t kind, const void *thunk,
						       uint64_t size)
{
	uint16_t head;
	uint64_t nop;
	bool is_nop;

	memcpy(&head, sled, 2);
	memcpy(&nop, sled + 2, 8);
	/* A clone() without libc may have copied the text in the middle of patching: an entry may be a jump
	 * already, and an exit may be complete except for its head. */
	is_nop = kind == SPOOR_SLED_ENTRY && nop == SPOOR_SLED_ENTRY_NOP_BEGIN;
	if ((uintptr_t)sled % SPOOR_SLED_HEAD_BYTES ||
	    (head != spoor_sled_heads[kind][false] && !(is_nop && head == SPOOR_SLED_ENTRY_NOP_HEAD)) ||
	    (((nop != SPOOR_SLED_NOP_BEGIN && !is_nop) || sled[10] != SPOOR_SLED_NOP_END) &&
	     !(kind == SPOOR_SLED_EXIT && spoor_sled_jumps(sled + 6, thunk))))
		return SPOOR_SLED_UNEXPECTED;
	if (!spoor_sled_reaches(sled, thunk))
		return SPOOR_SLED_OUT_OF_REACH;
	if (kind == SPOOR_SLED_TAIL)
		return spoor_sled_check_jump(sled + SPOOR_SLED_BYTES, size - SPOOR_SLED_BYTES);
	return SPOOR_SLED_GOOD;
}

SPOOR_WRITES_TEXT bool spoor_sled_jump_over_rest(uint8_t *sled, uint8_t kind)
{
	uint16_t head;

	memcpy(&head, sled, 2);
	if (kind != SPOOR_SLED_ENTRY || head != SPOOR_SLED_ENTRY_NOP_HEAD)
		return false;
	__atomic_store_n((uint16_t *)(void *)sled, spoor_sled_heads[SPOOR_SLED_ENTRY][false], __ATOMIC_RELEASE);
	return true;
}

SPOOR_WRITES_TEXT void spoor_sled_store(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, 4);
}

/* The opcode before the thunk's distance, or before the index, by kind. */
static const uint8_t spoor_sled_calls[] = { [SPOOR_SLED_ENTRY] = 0xe8, [SPOOR_SLED_EXIT] = 0xe9, [SPOOR_SLED_TAIL] = 0xa9 };

SPOOR_WRITES_TEXT void spoor_sled_prepare(uint8_t *sled, uint8_t kind, const void *thunk, uint32_t index)
{
	uint32_t distance = (uint32_t)((const uint8_t *)thunk - sled);

	if (kind == SPOOR_SLED_TAIL) {
		spoor_sled_store(sled + 2, distance - 6);
		sled[6] = spoor_sled_calls[kind];
		spoor_sled_store(sled + 7, SPOOR_EVENT_CODE(SPOOR_EVENT_TAIL_EXIT, index));
	} else {
		bool exit = kind == SPOOR_SLED_EXIT;

		spoor_sled_store(sled + 2, SPOOR_EVENT_CODE(exit ? SPOOR_EVENT_EXIT : SPOOR_EVENT_ENTRY, index));
		sled[6] = spoor_sled_calls[kind];
		spoor_sled_store(sled + 7, distance - SPOOR_SLED_BYTES);
	}
}

/* The dormant head may also come from the file, if the program made the kernel read the file's page again. */
SPOOR_WRITES_TEXT bool spoor_sled_is_ours(const uint8_t *sled, uint8_t kind)
{
	uint16_t head = __atomic_load_n((const uint16_t *)(const void *)sled, __ATOMIC_RELAXED);

	return (head == spoor_sled_heads[kind][false] || head == spoor_sled_heads[kind][true]) &&
	       sled[6] == spoor_sled_calls[kind];
}

SPOOR_WRITES_TEXT void spoor_sled_switch(uint8_t *sled, uint8_t kind, bool on)
{
	__atomic_store_n((uint16_t *)(void *)sled, spoor_sled_heads[kind][on], __ATOMIC_RELEASE);
}

/* A thread that goes through an exit's sled never returns to it. */
static inline bool spoor_sled_has_logged(uint8_t kind, uint64_t offset)
{
	return kind == SPOOR_SLED_TAIL && offset && offset <= SPOOR_SLED_BYTES;
}

/* Instruction caches follow data caches without help (SDM 3, "Self-Modifying Code"). */
static inline void spoor_text_changed(uintptr_t low, uintptr_t high)
{
	(void)low;
	(void)high;
}

#endif
