/* SPDX-License-Identifier: MIT */
/*
 * values_format.h - how a trace stores arguments and results of calls.
 *
 * A capture says which values of a function are stored, and how. A process numbers its captures from 1. Functions
 * with the same signature and the same choice share a capture. A block SPOOR_BLOCK_CAPTURE describes a capture for
 * functions of one module:
 *   struct spoor_capture_record
 *   value_count times struct spoor_capture_value
 *   run_count times struct spoor_index_run: the dense indexes of the functions
 *   a string with NUL for each value: the name that the user gave the argument, or ""
 * A later block replaces an earlier one for the same functions. A capture's values never change.
 *
 * A record SPOOR_EXTENDED_VALUES precedes the word of an entry or exit (or before its
 * SPOOR_EXTENDED_TIMED_EVENT), and belongs to it. Both are reserved in one step, so no event of a signal handler
 * comes between them. The payload is a stream of bits, 60 in each word below SPOOR_USER_MARK, the lowest bits
 * first:
 *   14 bits  number of the capture
 *    1 bit   1: the result of the function, before its exit; 0: its arguments, before its entry
 *    1 bit   0
 *   the values, in the order of the block, of the arguments or of the result
 * An enum spoor_value_storage says how many bits a value takes. Bits after the last value are 0.
 */
#ifndef SPOOR_VALUES_FORMAT_H
#define SPOOR_VALUES_FORMAT_H

#include <stdint.h>

#include "format/signature_format.h"

#define SPOOR_CAPTURE_NUMBER_BITS 14
#define SPOOR_CAPTURES_MAX 4096u	/* of a process; numbers are below this */
#define SPOOR_CAPTURE_VALUES_MAX 31u	/* of a capture */

/* The largest payload. A slice of the least size has room for it and an event. */
#define SPOOR_VALUES_WORDS_MAX 48u
#define SPOOR_VALUES_HEAD_BITS 16u
#define SPOOR_VALUES_WORD_BITS 60u

enum spoor_value_storage {
	SPOOR_VALUE_BITS = 1,		/* `size` bits, 1 to 64 */
	/* 64 bits: 1 bit; then 0: 32 bits, whose sign is extended; 1: 64 bits. */
	SPOOR_VALUE_INTEGER = 2,
	/* 64 bits: 1 bit; then 0: 48 bits, extended with zeros; 1: 64 bits. */
	SPOOR_VALUE_ADDRESS = 3,
	SPOOR_VALUE_BYTES = 4,		/* `size` bytes */
	/*
	 * Text: 2 bits of enum spoor_text_state, then
	 *   whole, cut: 10 bits of length, and the bytes
	 *   unreadable: 64 bits, its address
	 * `size` is the most bytes.
	 */
	SPOOR_VALUE_TEXT = 5,
	SPOOR_VALUE_NOTHING = 6,	/* no bits: the length of the text before, whose place another value needs */
	SPOOR_VALUE_OBJECT = 7,		/* like SPOOR_VALUE_ADDRESS; and the first bytes there, like SPOOR_VALUE_TEXT */
	/* Plus an enum spoor_text_layout: text like SPOOR_VALUE_TEXT. */
	SPOOR_VALUE_TEXT_LAYOUT = 16,
};

enum spoor_text_state {
	SPOOR_TEXT_WHOLE = 0,
	SPOOR_TEXT_CUT = 1,		/* the text is longer */
	SPOOR_TEXT_UNREADABLE = 2,	/* its memory could not be read */
	SPOOR_TEXT_NULL = 3,		/* a null pointer */
};

/* What a value is, as far as the process knows. A reader with debug information may know more. */
enum spoor_value_type {
	SPOOR_TYPE_INTEGER = 1,		/* of unknown sign */
	SPOOR_TYPE_SIGNED = 2,
	SPOOR_TYPE_UNSIGNED = 3,
	SPOOR_TYPE_POINTER = 4,
	SPOOR_TYPE_REAL = 5,		/* of 16, 32, 64 bits, or of 10 (x87) or 16 bytes */
	SPOOR_TYPE_BFLOAT = 6,
	SPOOR_TYPE_VECTOR = 7,
	SPOOR_TYPE_BYTES = 8,		/* the begin of a structure: as many bytes as are stored */
	SPOOR_TYPE_TEXT = 9,
	SPOOR_TYPE_RESULT_ADDRESS = 10,	/* the address of the memory that has the result */
};

struct spoor_capture_value {
	uint16_t place;		/* as in struct spoor_capture_step (capture_path.h), or SPOOR_PLACE_NONE */
	uint8_t storage;	/* enum spoor_value_storage */
	uint8_t size;		/* enum spoor_value_storage says of what */
	uint8_t type;		/* enum spoor_value_type */
	uint8_t format;		/* how the user wants it shown: one of "bcdpsux"; 0: by its type */
	uint8_t argument;	/* 1 for the first argument; 0: the result */
	/* Part of an argument that has several, from 1; 0: the whole argument. Of SPOOR_TYPE_BYTES 1: the structure
	 * is larger than the stored part. */
	uint8_t part;
};

/* The place of a value: the number of a 64-bit word in struct spoor_saved_registers; or on the stack, as a number of
 * words after the return address (x86-64), or after the stack pointer (AArch64). */
#define SPOOR_PLACE_VECTORS 8u
#define SPOOR_PLACE_X87 24u
#define SPOOR_PLACE_X8 24u	/* AArch64: x8 at the entry, also for a result */
#define SPOOR_PLACE_STACK 0x8000u

/*
 * The processor time that the thread has used (CLOCK_THREAD_CPUTIME_ID), in 64 bits, in ns. It is no value of the
 * function: at the entry its argument is SPOOR_ARGUMENT_CPU_TIME, at the exit 0.
 */
#define SPOOR_CPU_TIME_NAME "cpu_ns"
#define SPOOR_PLACE_CPU_TIME 0x4000u
#define SPOOR_ARGUMENT_CPU_TIME 255u

enum spoor_capture_flags {
	SPOOR_CAPTURE_ARGUMENTS = 1 << 0,	/* the values of the arguments are stored */
	SPOOR_CAPTURE_RESULT = 1 << 1,
	SPOOR_CAPTURE_VARIADIC = 1 << 2,	/* the function takes further arguments */
	SPOOR_CAPTURE_CPU_TIME = 1 << 3,	/* the processor time at entry and exit is stored */
};

struct spoor_capture_record {
	uint64_t counter;	/* when it began */
	uint32_t run_count;
	uint16_t number;
	uint8_t value_count;
	uint8_t flags;		/* enum spoor_capture_flags */
};

_Static_assert(sizeof(struct spoor_capture_value) == 8, "values_format.h");
_Static_assert(sizeof(struct spoor_capture_record) == 16, "values_format.h");

#endif
