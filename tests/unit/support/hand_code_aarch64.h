/* SPDX-License-Identifier: MIT */
/* hand_code_aarch64.h - the machine code of hand_module.c on AArch64. */
#ifndef HAND_CODE_AARCH64_H
#define HAND_CODE_AARCH64_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "format/sled.h"

#define HAND_FUNCTION_BYTES 80u	/* distance between the begins of two functions */
#define HAND_EXIT 36u		/* offset of the exit sled in its function */
#define HAND_PAGES 20		/* enough for 1000 functions */
#define HAND_LOG_THUNK(number) (12 * (number))	/* replaces the counting thunk */
#define HAND_BREAKPOINT 0

/*
 * Offsets in bytes
 *   HAND_TAIL           of the sled in a function that ends with a tail call
 *   HAND_BEFORE_EVENT   in an exit sled: between the instruction that sets the code and the call that logs it
 *   HAND_TAIL_ENDED     in the sled of a tail call: from here on the function counts as ended
 *   HAND_CALLED         in the sled of a tail call: the return address of the sled's call
 */
#define HAND_TAIL 36u
#define HAND_BEFORE_EVENT 24u
#define HAND_TAIL_ENDED 12u
#define HAND_CALLED 12u

static inline void hand_words(uint8_t *at, const uint32_t *words, int count)
{
	memcpy(at, words, 4 * (size_t)count);
}

/* Returns the distance from @at to @target in words: 19 bits, at their place in an instruction. */
static inline uint32_t hand_distance(const uint8_t *at, const void *target)
{
	return ((uint32_t)(((const uint8_t *)target - at) >> 2) & 0x7ffff) << 5;
}

/*
 * Writes a thunk that adds one to @counter and returns:
 *   stp x0, x1, [sp, #-16]!; adr x0, counter; ldr x1, [x0]; add x1, x1, #1; str x1, [x0];
 *   ldp x0, x1, [sp], #16; mov x16, x30; mov x30, x17; ret x16
 */
static inline void hand_write_counting_thunk(uint8_t *at, uint64_t *counter)
{
	const uint32_t words[] = { 0xa9bf07e0, 0x10000000 | hand_distance(at + 4, counter), 0xf9400001, 0x91000421,
				   0xf9000001, 0xa8c107e0, 0xaa1e03f0, 0xaa1103fe, 0xd65f0200 };

	hand_words(at, words, 9);
}

/* stp x0, x1, [sp, #-16]!; ldr x0, slot; br x0 */
static inline void hand_write_log_thunk(uint8_t *at, void **slot)
{
	const uint32_t words[] = { 0xa9bf07e0, 0x58000000 | hand_distance(at + 4, slot), 0xd61f0000 };

	hand_words(at, words, 3);
}

static inline void hand_write_sled(uint8_t *at, uint8_t kind)
{
	static const uint32_t words[] = { 0x14000008, 0xd503201f, 0xd503201f, 0xd503201f, 0xd503201f, 0xd503201f,
					  0xd503201f, 0xd503201f, 0xd65f03c0 };

	hand_words(at, words, kind == SPOOR_SLED_EXIT ? 9 : 8);
}

#define HAND_HAS_NOP_ENTRIES 0

/* AArch64 has no such kind of entry. */
static inline void hand_write_nop_entry(uint8_t *at)
{
	hand_write_sled(at, SPOOR_SLED_ENTRY);
}

static inline void hand_write_function(uint8_t *at)
{
	hand_write_sled(at, SPOOR_SLED_ENTRY);
	hand_words(at + SPOOR_SLED_BYTES, &(uint32_t){ 0xd503201f }, 1);
	hand_write_sled(at + HAND_EXIT, SPOOR_SLED_EXIT);
}

/* The jumps after tail sleds: one good jump, then those that spoor skips, with the numbers by cause. */
#define HAND_JUMPS 3
#define HAND_JUMPS_CONDITIONAL 2
#define HAND_JUMPS_STACK_OPERAND 0
static inline void hand_write_jump(uint8_t *at, int number)
{
	static const uint32_t jumps[HAND_JUMPS] = { 0xd61f0200 /* br x16 */, 0x5400004a /* b.ge */, 0xb4000043 /* cbz x3 */ };

	hand_words(at, &jumps[number], 1);
}

/* nop; mov x17, x30, or fmov d31, x30 */
static inline bool hand_is_awake(const uint8_t *sled)
{
	return memcmp(sled, "\x1f\x20\x03\xd5\xf1\x03\x1e\xaa", 8) == 0 ||
	       memcmp(sled, "\x1f\x20\x03\xd5\xdf\x03\x67\x9e", 8) == 0;
}

/* Returns whether a sled that was awake is dormant now. */
static inline bool hand_is_asleep(const uint8_t *sled)
{
	return memcmp(sled, "\x08\0\0\x14", 4) == 0;
}

/* Returns the code in a patched entry or exit sled. */
static inline uint32_t hand_event_code(const uint8_t *sled)
{
	uint32_t moves[2];

	memcpy(moves, sled + 8, 8);
	if (moves[0] == 0xd503201f)	/* an exit has them after two nops */
		memcpy(moves, sled + 16, 8);
	return (moves[0] >> 5 & 0xffff) | (moves[1] >> 5 & 0xffff) << 16;
}

#endif
