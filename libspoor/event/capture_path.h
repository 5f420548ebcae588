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

/* Parts of an action: the number of a capture; whether its result is one number (_INT, _LONG: as below); whether arguments,
 * or a result, are stored. */
#define SPOOR_ACTION_NUMBER 0xfff
#define SPOOR_ACTION_RESULT_INT 0x1000
#define SPOOR_ACTION_RESULT_LONG 0x2000
#define SPOOR_ACTION_ARGUMENTS 0x4000
#define SPOOR_ACTION_RESULT 0x8000

/* Actions are in chunks of 2^SPOOR_ACTION_CHUNK_SHIFT dense indexes. The table of chunks takes 64 KiB, because programs
 * that lock their memory keep all of it. A chunk takes memory only for the pages that are used. */
#define SPOOR_ACTION_CHUNK_SHIFT 16

/* Flags of a capture. */
#define SPOOR_CAPTURE_READS_VECTORS 1	/* of its arguments or result, one is in a vector register */
#define SPOOR_CAPTURE_READS_X87 2	/* x86-64: its result is on the stack of the x87 registers */
#define SPOOR_CAPTURE_NOTES_RESULT 2	/* AArch64: its result is in memory (result_addresses.h) */
#define SPOOR_CAPTURE_NUMBERS_ARGUMENTS 4	/* all have at most 64 bits, and none is text */
#define SPOOR_CAPTURE_NUMBERS_RESULT 8
/* The arguments are one value of SPOOR_VALUE_BITS with 32 bits (_INT), or of SPOOR_VALUE_INTEGER (_LONG), in a general
 * register. An action says the same about the result, which is in the first register. */
#define SPOOR_CAPTURE_ARGUMENT_INT 16
#define SPOOR_CAPTURE_ARGUMENT_LONG 32
/* Both: the arguments are halves of general registers: values of SPOOR_VALUE_BITS with 32 or 64 bits. */
#define SPOOR_CAPTURE_ARGUMENT_HALVES (SPOOR_CAPTURE_ARGUMENT_INT | SPOOR_CAPTURE_ARGUMENT_LONG)
#ifdef __x86_64__
#define SPOOR_HALVES_MAX 12
#else
#define SPOOR_HALVES_MAX 0	/* the trampolines store none */
#endif

/* sizeof(struct spoor_capture), as a shift, and offsets into it */
#define SPOOR_CAPTURE_SHIFT 7
#define SPOOR_CAPTURE_FLAGS 2
#define SPOOR_CAPTURE_PLACE 3
#define SPOOR_CAPTURE_HALF_COUNT 112
#define SPOOR_CAPTURE_RECORD_BYTES 113
#define SPOOR_CAPTURE_HALVES 114

/* The first word of a record with one word, and without words, of values; a no-op; and the bit of a result in the words of values */
#define SPOOR_ONE_VALUE_WORD 0xe000000100000009
#define SPOOR_NO_VALUES_WORD 0xe000000000000009
#define SPOOR_NO_WORD 0xe000000000000001
#define SPOOR_RESULT_BIT 0x4000

/* sizeof(struct spoor_saved_registers), and offsets into it */
#define SPOOR_SAVED_BYTES 208
#define SPOOR_SAVED_VECTORS 64
#define SPOOR_SAVED_X87 192

/* As in values_format.h */
#ifdef __ASSEMBLER__
#define SPOOR_VALUES_HEAD_BITS 16
#define SPOOR_VALUES_WORD_BITS 60
#else

#include "format/values_format.h"

/* Reads the thread's processor time, and stores 64 bits. */
#define SPOOR_STEP_CPU_TIME 255

#define SPOOR_HALVES_STEPS_MAX 27u

struct spoor_capture_step {
	uint16_t place;
	uint8_t storage;		/* enum spoor_value_storage, or SPOOR_STEP_CPU_TIME */
	uint8_t size;			/* as in struct spoor_capture_value */
};

struct spoor_capture {
	uint8_t arguments, results;	/* number of steps; the steps of arguments come first */
	uint8_t flags;
	uint8_t place;			/* of the only argument, if it is _INT or _LONG */
	union {
		struct spoor_capture_step steps[SPOOR_CAPTURE_VALUES_MAX];
		struct {
			struct spoor_capture_step first_steps[SPOOR_HALVES_STEPS_MAX];
			/* If the arguments are _HALVES: the number of halves; the bytes of the record and the event; and
			 * where each half is in struct spoor_saved_registers, in bytes */
			uint8_t half_count, record_bytes, halves[14];
		};
	};
};

/* The registers of a function at its entry or exit. On x86-64, general are the registers of arguments in their
 * order, or rax, rdx, rcx at an exit. The trampolines fill vectors and x87 only if the flags say so. On AArch64 the first
 * word of x87 is x8 at an entry. */
struct spoor_saved_registers {
	uint64_t general[8];
	uint64_t vectors[8][2];
	uint64_t x87[2];
};

_Static_assert(sizeof(struct spoor_capture) == 1 << SPOOR_CAPTURE_SHIFT, "capture_path.h");
_Static_assert(offsetof(struct spoor_capture, flags) == SPOOR_CAPTURE_FLAGS &&
	       offsetof(struct spoor_capture, place) == SPOOR_CAPTURE_PLACE &&
	       offsetof(struct spoor_capture, half_count) == SPOOR_CAPTURE_HALF_COUNT &&
	       offsetof(struct spoor_capture, record_bytes) == SPOOR_CAPTURE_RECORD_BYTES &&
	       offsetof(struct spoor_capture, halves) == SPOOR_CAPTURE_HALVES, "capture_path.h");
_Static_assert(SPOOR_VALUES_HEAD_BITS == 16 && SPOOR_VALUES_WORD_BITS == 60, "capture_path.h");
_Static_assert(sizeof(struct spoor_saved_registers) == SPOOR_SAVED_BYTES, "capture_path.h");
_Static_assert(offsetof(struct spoor_saved_registers, vectors) == SPOOR_SAVED_VECTORS &&
	       SPOOR_SAVED_VECTORS == 8 * SPOOR_PLACE_VECTORS, "capture_path.h");
_Static_assert(offsetof(struct spoor_saved_registers, x87) == SPOOR_SAVED_X87 &&
	       SPOOR_SAVED_X87 == 8 * SPOOR_PLACE_X87, "capture_path.h");
_Static_assert(SPOOR_ONE_VALUE_WORD == SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, 1, SPOOR_EXTENDED_VALUES) &&
	       SPOOR_NO_VALUES_WORD == SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, 0, SPOOR_EXTENDED_VALUES) &&
	       SPOOR_NO_WORD == SPOOR_NOP_WORD && SPOOR_RESULT_BIT == 1 << SPOOR_CAPTURE_NUMBER_BITS &&
	       SPOOR_USER_MARK == 1ull << 60, "capture_path.h");
_Static_assert(SPOOR_ACTION_NUMBER == SPOOR_CAPTURES_MAX - 1, "capture_path.h");

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
 * @stack:  the first word that may be an argument; unused at an exit
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
