/* SPDX-License-Identifier: MIT */
/* hand_code_x86_64.h - the machine code of hand_module.c on x86-64. */
#ifndef HAND_CODE_X86_64_H
#define HAND_CODE_X86_64_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "format/sled.h"

#define HAND_FUNCTION_BYTES 32u	/* distance between the begins of two functions */
#define HAND_EXIT 12u		/* offset of the exit sled in its function */
#define HAND_PAGES 8		/* enough for 1000 functions */
#define HAND_LOG_THUNK(number) (16 * ((number) + 1))
#define HAND_BREAKPOINT 0xcc

/*
 * Offsets in bytes
 *   HAND_TAIL           of the sled in a function that ends with a tail call
 *   HAND_BEFORE_EVENT   in an exit sled: between the instruction that sets the code and the call that logs it
 *   HAND_TAIL_ENDED     in the sled of a tail call: from here on the function counts as ended
 *   HAND_CALLED         in the sled of a tail call: the return address of the sled's call
 */
#define HAND_TAIL 16u
#define HAND_BEFORE_EVENT 6u
#define HAND_TAIL_ENDED 1u
#define HAND_CALLED 5u

static inline void hand_distance(uint8_t *at, const void *target)
{
	int32_t distance = (int32_t)((const uint8_t *)target - (at + 4));

	memcpy(at, &distance, 4);
}

/* Writes a thunk that adds one to @counter and returns: incq counter(%rip); ret */
static inline void hand_write_counting_thunk(uint8_t *at, uint64_t *counter)
{
	memcpy(at, "\x48\xff\x05", 3);
	hand_distance(at + 3, counter);
	at[7] = 0xc3;
}

/* jmp *slot(%rip) */
static inline void hand_write_log_thunk(uint8_t *at, void **slot)
{
	memcpy(at, "\xff\x25", 2);
	hand_distance(at + 2, slot);
}

/* Writes a dormant sled. hand_write_jump() writes the jump after a tail sled. */
static inline void hand_write_sled(uint8_t *at, uint8_t kind)
{
	static const uint8_t entry[] = { 0xeb, 9, 0x66, 0x0f, 0x1f, 0x84, 0, 0, 2, 0, 0 };

	memcpy(at, entry, sizeof(entry));
	if (kind == SPOOR_SLED_EXIT)
		memcpy(at, "\xc3\x2e", 2);
}

#define HAND_HAS_NOP_ENTRIES 1

/* Writes an entry that is in no map, as the pass writes it and GNU as assembles it. */
static inline void hand_write_nop_entry(uint8_t *at)
{
	memcpy(at, "\x66\x66\x2e\x0f\x1f\x84\0\0\0\0\0", SPOOR_SLED_BYTES);
}

static inline void hand_write_function(uint8_t *at)
{
	hand_write_sled(at, SPOOR_SLED_ENTRY);
	at[SPOOR_SLED_BYTES] = 0x90;
	hand_write_sled(at + HAND_EXIT, SPOOR_SLED_EXIT);
}

/* The jumps after tail sleds: one good jump, then those that spoor skips, with the numbers by cause. */
#define HAND_JUMPS 3
#define HAND_JUMPS_CONDITIONAL 1
#define HAND_JUMPS_STACK_OPERAND 1
static inline void hand_write_jump(uint8_t *at, int number)
{
	static const char jumps[HAND_JUMPS][6] = { "\xe9\0\0\0\0", "\x7d\x04\x90\x90\x90", "\xff\x24\x24\x90\x90" };

	memcpy(at, jumps[number], 5);
}

static inline bool hand_is_awake(const uint8_t *sled)
{
	return memcmp(sled, "\x41\xbb", 2) == 0 || memcmp(sled, "\x48\xe8", 2) == 0;
}

/* Returns whether a sled that was awake is dormant now. */
static inline bool hand_is_asleep(const uint8_t *sled)
{
	return memcmp(sled, "\xeb\x09", 2) == 0 || memcmp(sled, "\xc3\x2e", 2) == 0;
}

/* Returns the code in a patched entry or exit sled. */
static inline uint32_t hand_event_code(const uint8_t *sled)
{
	uint32_t code;

	memcpy(&code, sled + 2, 4);
	return code;
}

#endif
