/* SPDX-License-Identifier: MIT */
/* hand_code_aarch64.h - the machine code of a module made by hand. */
#ifndef HAND_CODE_AARCH64_H
#define HAND_CODE_AARCH64_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sled.h"

#define HAND_FUNCTION_BYTES 80u	/* the distance of one function from the next */
#define HAND_EXIT 36u		/* of a function's exit sled from its begin */
#define HAND_PAGES 20		/* have room for 1000 functions */
#define HAND_LOG_THUNK(number) (32 + 8 * (number))
#define HAND_BREAKPOINT 0

/* Of a function that ends by a tail call, its sled. Where a sled's event has not been logged
 * yet, where that of a tail call has, and what its call returns to. */
#define HAND_TAIL 36u
#define HAND_BEFORE_EVENT 16u
#define HAND_BEHIND_EVENT 20u
#define HAND_CALLED 20u

static inline void hand_words(uint8_t *at, const uint32_t *words, int count)
{
	memcpy(at, words, 4 * (size_t)count);
}

/* How far @target is from @at, in words, 19 bits of it where instructions have them. */
static inline uint32_t hand_distance(const uint8_t *at, const void *target)
{
	return ((uint32_t)(((const uint8_t *)target - at) >> 2) & 0x7ffff) << 5;
}

/* Adds one to @counter and leads straight back: adr x16, counter; ldr x17, [x16];
 * add x17, x17, #1; str x17, [x16]; ret */
static inline void hand_write_counting_thunk(uint8_t *at, uint64_t *counter)
{
	const uint32_t words[] = { 0x10000010 | hand_distance(at, counter), 0xf9400211, 0x91000631, 0xf9000211, 0xd65f03c0 };

	hand_words(at, words, 5);
}

/* ldr x16, slot; br x16 */
static inline void hand_write_log_thunk(uint8_t *at, void **slot)
{
	const uint32_t words[] = { 0x58000010 | hand_distance(at, slot), 0xd61f0200 };

	hand_words(at, words, 2);
}

static inline void hand_write_sled(uint8_t *at, uint8_t kind)
{
	static const uint32_t words[] = { 0x14000008, 0xd503201f, 0xd503201f, 0xd503201f, 0xd503201f, 0xd503201f,
					  0xd503201f, 0xd503201f, 0xd65f03c0 };

	hand_words(at, words, kind == SPOOR_SLED_EXIT ? 9 : 8);
}

static inline void hand_write_function(uint8_t *at)
{
	hand_write_sled(at, SPOOR_SLED_ENTRY);
	hand_words(at + SPOOR_SLED_BYTES, &(uint32_t){ 0xd503201f }, 1);
	hand_write_sled(at + HAND_EXIT, SPOOR_SLED_EXIT);
}

/* Jumps behind tail sleds: one that is good, and how many of the others are left alone and why. */
#define HAND_JUMPS 3
#define HAND_JUMPS_CONDITIONAL 2
#define HAND_JUMPS_STACK_OPERAND 0
static inline void hand_write_jump(uint8_t *at, int number)
{
	static const uint32_t jumps[HAND_JUMPS] = { 0xd61f0200 /* br x16 */, 0x5400004a /* b.ge */, 0xb4000043 /* cbz x3 */ };

	hand_words(at, &jumps[number], 1);
}

static inline bool hand_is_awake(const uint8_t *sled)
{
	return memcmp(sled, "\x1f\x20\x03\xd5\xe0\x7b\xbf\xa9", 8) == 0;	/* nop; stp x0, x30, [sp, #-16]! */
}

/* The code that a patched sled carries. */
static inline uint32_t hand_event_code(const uint8_t *sled)
{
	uint32_t moves[2];

	memcpy(moves, sled + 8, 8);
	return (moves[0] >> 5 & 0xffff) | (moves[1] >> 5 & 0xffff) << 16;
}

#endif
