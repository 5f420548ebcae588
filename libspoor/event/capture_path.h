/* SPDX-License-Identifier: MIT */
/*
 * capture_path.h - declarations that the `mixed` trampolines and C share: which functions' arguments and results
 * are stored, and how. Assembly includes it too.
 *
 * The slots of a module with such a function lead to the mixed trampolines. They look up one action for each dense
 * index; an action of 0 means that the event is only logged. No sled changes for that, so modules of any age can be
 * captured, and a choice can change while threads run.
 *
 * Invariants
 *   I1  A capture does not change after an action has its number.
 *   I2  The chunk of actions of a module's indexes exists before a slot leads to a mixed trampoline, and is never
 *       freed: a thread may still be inside.
 */
#ifndef SPOOR_CAPTURE_PATH_H
#define SPOOR_CAPTURE_PATH_H

#include "event/event_path.h"

/* Bits of an action; the others are the number of a capture. */
#define SPOOR_ACTION_ARGUMENTS 0x4000
#define SPOOR_ACTION_RESULT 0x8000

/* Actions are in chunks of 2^SPOOR_ACTION_CHUNK_SHIFT dense indexes. The table of chunks takes 64 KiB, because programs
 * that lock their memory keep all of it. A chunk takes memory only for the pages that are used. */
#define SPOOR_ACTION_CHUNK_SHIFT 16

/* Flags of a capture. */
#define SPOOR_CAPTURE_READS_VECTORS 1	/* of its arguments or result, one is in a vector register */
#define SPOOR_CAPTURE_READS_X87 2	/* its result is on the stack of the x87 registers */
#define SPOOR_CAPTURE_NUMBERS_ARGUMENTS 4	/* all have at most 64 bits, and none is text */
#define SPOOR_CAPTURE_NUMBERS_RESULT 8
/* The arguments, or the result, are one value of SPOOR_VALUE_BITS with 32 bits (_INT), or of SPOOR_VALUE_INTEGER
 * (_LONG), in a general register: the first one if it is a result. */
#define SPOOR_CAPTURE_ARGUMENT_INT 16
#define SPOOR_CAPTURE_ARGUMENT_LONG 32
#define SPOOR_CAPTURE_RESULT_INT 64
#define SPOOR_CAPTURE_RESULT_LONG 128

/* sizeof(struct spoor_capture), as a shift, and offsets into it */
#define SPOOR_CAPTURE_SHIFT 7
#define SPOOR_CAPTURE_FLAGS 2
#define SPOOR_CAPTURE_PLACE 3

/* The first word of a record with one word of values; a no-op; and the bit of a result in the words of values */
#define SPOOR_ONE_VALUE_WORD 0xe000000100000009
#define SPOOR_NO_WORD 0xe000000000000001
#define SPOOR_RESULT_BIT 0x4000

/* sizeof(struct spoor_saved_registers), and offsets into it */
#define SPOOR_SAVED_BYTES 208
#define SPOOR_SAVED_VECTORS 64
#define SPOOR_SAVED_X87 192

#ifndef __ASSEMBLER__

#include "format/values_format.h"

/* Reads the thread's processor time, and stores 64 bits. */
#define SPOOR_STEP_CPU_TIME 255

struct spoor_capture_step {
	uint16_t place;
	uint8_t storage;		/* enum spoor_value_storage, or SPOOR_STEP_CPU_TIME */
	uint8_t size;			/* as in struct spoor_capture_value */
};

struct spoor_capture {
	uint8_t arguments, results;	/* number of steps; the steps of arguments come first */
	uint8_t flags;
	uint8_t place;			/* of the only argument, if it is _INT or _LONG */
	struct spoor_capture_step steps[SPOOR_CAPTURE_VALUES_MAX];
};

/* The registers of a function at its entry or exit. On x86-64, general are the registers of arguments in their
 * order, or rax, rdx, rcx at an exit. The trampolines fill vectors and x87 only if the flags say so. */
struct spoor_saved_registers {
	uint64_t general[8];
	uint64_t vectors[8][2];
	uint64_t x87[2];
};

_Static_assert(sizeof(struct spoor_capture) == 1 << SPOOR_CAPTURE_SHIFT, "capture_path.h");
_Static_assert(offsetof(struct spoor_capture, flags) == SPOOR_CAPTURE_FLAGS &&
	       offsetof(struct spoor_capture, place) == SPOOR_CAPTURE_PLACE, "capture_path.h");
_Static_assert(sizeof(struct spoor_saved_registers) == SPOOR_SAVED_BYTES, "capture_path.h");
_Static_assert(offsetof(struct spoor_saved_registers, vectors) == SPOOR_SAVED_VECTORS &&
	       SPOOR_SAVED_VECTORS == 8 * SPOOR_PLACE_VECTORS, "capture_path.h");
_Static_assert(offsetof(struct spoor_saved_registers, x87) == SPOOR_SAVED_X87 &&
	       SPOOR_SAVED_X87 == 8 * SPOOR_PLACE_X87, "capture_path.h");
_Static_assert(SPOOR_ONE_VALUE_WORD == SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, 1, SPOOR_EXTENDED_VALUES) &&
	       SPOOR_NO_WORD == SPOOR_NOP_WORD && SPOOR_RESULT_BIT == 1 << SPOOR_CAPTURE_NUMBER_BITS &&
	       SPOOR_USER_MARK == 1ull << 60, "capture_path.h");
_Static_assert(SPOOR_ACTION_ARGUMENTS == 1 << SPOOR_CAPTURE_NUMBER_BITS, "capture_path.h");

extern struct spoor_capture spoor_captures[SPOOR_CAPTURES_MAX];

/* The actions of each chunk of dense indexes; null if no function of the chunk's modules is captured. */
extern uint16_t *spoor_actions[(SPOOR_INDEX_MAX >> SPOOR_ACTION_CHUNK_SHIFT) + 1];

/* Returns the action of the function with this dense index. */
static inline uint32_t spoor_action_of(uint32_t index)
{
	const uint16_t *chunk = spoor_actions[index >> SPOOR_ACTION_CHUNK_SHIFT];

	return chunk ? chunk[index & ((1u << SPOOR_ACTION_CHUNK_SHIFT) - 1)] : 0;
}

/*
 * spoor_capture_store - stores an entry with its arguments, or an exit with its result.
 * @code:   the upper half of the event's word
 * @stack:  the first word that may be an argument; null at an exit
 * @action: of the function
 *
 * Context: as spoor_event_slow.
 */
void spoor_capture_store(uint32_t code, const struct spoor_saved_registers *registers, const uint64_t *stack,
			 uint32_t action);

/*
 * spoor_values_store_slow - stores the event with @words before it, with a full time stamp. Part of slow_path.c.
 *
 * Context: as spoor_event_slow.
 */
void spoor_values_store_slow(uint32_t code, const uint64_t *words, uint32_t count);

/* Trampolines. A tail call has no result of its own, so it is logged. The stubs of library calls have their own entry. */
extern const char spoor_mixed_entry[], spoor_mixed_exit[], spoor_mixed_framed[], spoor_mixed_library_entry[];

#endif
#endif
