/* SPDX-License-Identifier: MIT */
/*
 * sled_aarch64.h - LLVM's sleds on AArch64 and their patched forms.
 *
 *   dormant   patched: entry                 exit                   exit by retaa      tail
 *   b #32     nop                            nop                    nop                nop
 *   nop       mov x17, x30                   mov x17, x30           mov x17, x30       fmov d31, x30
 *   nop       movz w16, #code                nop                    mov x16, sp        bl thunk
 *   nop       movk w16, #code >> 16, lsl #16 nop                    autia1716          fmov x16, d31
 *   nop       bl thunk                       movz w16, #code        as an exit         movz xzr, #code
 *   nop       nop                            movk w16, #code >> 16  as an exit         movz xzr, #code >> 16
 *   nop       nop                            bl thunk               bl thunk           nop
 *   nop       nop                            nop                    paciasp            nop
 *
 * Between two functions x16 and x17 are free. At a tail call they may hold the target, and any other
 * general register may hold an argument, but no calling convention uses v31. The sled does not move
 * the stack pointer. It keeps x30 except inside the thunk and in the trampoline, whose unwind tables
 * describe the change; so the function's own unwind table stays valid. Before retaa and retab, x30 is
 * signed: the sled passes the authenticated address to the thunk, and signs it again afterwards, so
 * that the instruction finds the address as the unwind table describes it.
 *
 * The head is the first word. It may change between a branch and a nop while other threads execute it
 * (DDI 0487, "Concurrent modification and execution of instructions"). No other instruction of the sled
 * changes.
 *
 * The sled maps of LLVM 14 and 19 list tail calls as exits; the instruction after the sled decides.
 */
#ifndef SPOOR_SLED_AARCH64_H
#define SPOOR_SLED_AARCH64_H

#include "format/trace_format.h"

#define SPOOR_ELF_MACHINE 183	/* EM_AARCH64 */
#define SPOOR_ARCH_NAME "AArch64"
#define SPOOR_SLED_WORDS 8
#define SPOOR_SLED_BYTES 32
#define SPOOR_SLED_HEAD_BYTES 4

#define SPOOR_A64_NOP 0xd503201fu
#define SPOOR_A64_BRANCH 0x14000008u	/* jumps over the sled */

#define SPOOR_SLED_REACH (128 << 20)	/* the reach of a call in bytes, in both directions */

/* Index of the word with the call. */
static inline int spoor_sled_call(uint8_t kind)
{
	return kind == SPOOR_SLED_TAIL ? 2 : kind == SPOOR_SLED_EXIT ? 6 : 4;
}

/* The thread sanitizer does not know text that can be written to. */
#define SPOOR_WRITES_TEXT static inline __attribute__((no_sanitize("thread")))

/* What the instruction after the sled of an exit or a tail call does. */
enum spoor_sled_leaves { SPOOR_LEAVES_BY_RETURN, SPOOR_LEAVES_BY_JUMP, SPOOR_LEAVES_PERHAPS, SPOOR_LEAVES_NOT };
enum spoor_sled_leaves spoor_sled_how_it_leaves(const uint32_t *at);

static inline uint8_t spoor_sled_kind(const uint8_t *sled, uint8_t kind)
{
	if (kind == SPOOR_SLED_ENTRY)
		return kind;
	switch (spoor_sled_how_it_leaves((const uint32_t *)(const void *)(sled + SPOOR_SLED_BYTES))) {
	case SPOOR_LEAVES_BY_RETURN:
		return SPOOR_SLED_EXIT;
	case SPOOR_LEAVES_BY_JUMP:
		return SPOOR_SLED_TAIL;
	default:
		return kind;
	}
}

/* Always false: the instruction after a sled must be checked too. */
static inline bool spoor_sled_is_fresh(const uint8_t *sled, uint8_t kind)
{
	(void)sled;
	(void)kind;
	return false;
}

static inline bool spoor_sled_reaches(const uint8_t *sled, const void *thunk)
{
	int64_t distance = (const uint8_t *)thunk - sled;

	return distance < SPOOR_SLED_REACH && distance >= -SPOOR_SLED_REACH;
}

static inline enum spoor_sled_verdict spoor_sled_check(const uint8_t *sled, uint8_t kind, const void *thunk,
						       uint64_t size)
{
	const uint32_t *words = (const uint32_t *)(const void *)sled;

	if ((uintptr_t)sled % SPOOR_SLED_HEAD_BYTES || words[0] != SPOOR_A64_BRANCH)
		return SPOOR_SLED_UNEXPECTED;
	for (int i = 1; i < SPOOR_SLED_WORDS; i++)
		if (words[i] != SPOOR_A64_NOP)
			return SPOOR_SLED_UNEXPECTED;
	if (kind != SPOOR_SLED_ENTRY) {
		enum spoor_sled_leaves how = size < SPOOR_SLED_BYTES + 4 ? SPOOR_LEAVES_NOT :
					     spoor_sled_how_it_leaves(words + SPOOR_SLED_WORDS);

		if (how == SPOOR_LEAVES_PERHAPS)
			return SPOOR_SLED_CONDITIONAL;
		if (how == SPOOR_LEAVES_NOT)
			return SPOOR_SLED_UNEXPECTED;
	}
	return spoor_sled_reaches(sled + 4 * spoor_sled_call(kind), thunk) ? SPOOR_SLED_GOOD : SPOOR_SLED_OUT_OF_REACH;
}

static inline bool spoor_sled_jump_over_rest(uint8_t *sled, uint8_t kind)
{
	(void)sled;
	(void)kind;
	return false;
}

SPOOR_WRITES_TEXT void spoor_sled_prepare(uint8_t *sled, uint8_t kind, const void *thunk, uint32_t index)
{
	uint32_t *words = (uint32_t *)(void *)sled;
	uint32_t code = SPOOR_EVENT_CODE(kind == SPOOR_SLED_TAIL ? SPOOR_EVENT_TAIL_EXIT :
					 kind == SPOOR_SLED_EXIT ? SPOOR_EVENT_EXIT : SPOOR_EVENT_ENTRY, index);
	int call = spoor_sled_call(kind);
	uint32_t distance = (uint32_t)(((const uint8_t *)thunk - (sled + 4 * call)) >> 2);

	if (kind == SPOOR_SLED_TAIL) {
		words[1] = 0x9e6703df;				/* fmov d31, x30 */
		words[3] = 0x9e6603f0;				/* fmov x16, d31 */
		words[4] = 0xd280001f | (code & 0xffff) << 5;	/* movz xzr, #code */
		words[5] = 0xd280001f | (code >> 16) << 5;	/* movz xzr, #code >> 16 */
	} else {
		words[1] = 0xaa1e03f1;					/* mov x17, x30 */
		words[call - 2] = 0x52800010 | (code & 0xffff) << 5;	/* movz w16, #code */
		words[call - 1] = 0x72a00010 | (code >> 16) << 5;	/* movk w16, #code >> 16, lsl #16 */
	}
	if (kind == SPOOR_SLED_EXIT && (words[SPOOR_SLED_WORDS] & ~0x400u) == 0xd65f0bff) {
		uint32_t key_b = words[SPOOR_SLED_WORDS] >> 4 & 0x40;	/* retaa, retab */

		words[2] = 0x910003f0;				/* mov x16, sp */
		words[3] = 0xd503219f | key_b;			/* autia1716, autib1716 */
		words[7] = 0xd503233f | key_b;			/* paciasp, pacibsp */
	}
	words[call] = 0x94000000 | (distance & 0x03ffffff);	/* bl thunk */
}

SPOOR_WRITES_TEXT bool spoor_sled_is_ours(const uint8_t *sled, uint8_t kind)
{
	uint32_t head = __atomic_load_n((const uint32_t *)(const void *)sled, __ATOMIC_RELAXED);

	(void)kind;
	return head == SPOOR_A64_BRANCH || head == SPOOR_A64_NOP;
}

SPOOR_WRITES_TEXT void spoor_sled_switch(uint8_t *sled, uint8_t kind, bool on)
{
	(void)kind;
	__atomic_store_n((uint32_t *)(void *)sled, on ? SPOOR_A64_NOP : SPOOR_A64_BRANCH, __ATOMIC_RELEASE);
}

static inline bool spoor_sled_has_logged(uint8_t kind, uint64_t offset)
{
	return kind != SPOOR_SLED_ENTRY && offset > 4u * (unsigned int)spoor_sled_call(kind) && offset <= SPOOR_SLED_BYTES;
}

static inline void spoor_text_changed(uintptr_t low, uintptr_t high)
{
	if (low < high)
		__builtin___clear_cache((char *)low, (char *)high);
}

#endif
