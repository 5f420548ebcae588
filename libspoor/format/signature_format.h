/* SPDX-License-Identifier: MIT */
/*
 * signature_format.h - describes how a function gets its arguments and returns its result, in the section
 * .spoor_signatures of an object file.
 *
 * The pass writes the section from the final form of each function, after optimisation. The section is not loaded
 * with the program. The linker joins the sections of all units. A record begins at any address:
 *
 *   4 bytes  content hash of the translation unit    } struct spoor_function has the same two numbers
 *   4 bytes  position of the function in the unit    }
 *   1 byte   number of bytes after this one
 *   1 byte   enum spoor_signature_flags
 *   items of the result, SPOOR_SIGNATURE_END, items of the arguments in order
 *
 * All numbers are little-endian. An item is one byte of enum spoor_signature_item, and its operands. Of two records
 * for one function, the one without SPOOR_SIGNATURE_MAY_CHANGE is valid.
 */
#ifndef SPOOR_SIGNATURE_FORMAT_H
#define SPOOR_SIGNATURE_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define SPOOR_SIGNATURES_SECTION ".spoor_signatures"
#define SPOOR_SIGNATURE_HEAD 9u		/* bytes before the flags */
#define SPOOR_SIGNATURE_MAX 255u	/* bytes from the flags on */

enum spoor_signature_flags {
	SPOOR_SIGNATURE_VARIADIC = 1 << 0,	/* the described arguments are the fixed ones */
	/* The function's calling convention puts its arguments elsewhere. */
	SPOOR_SIGNATURE_CONVENTION = 1 << 1,
	/* The unit was compiled for link-time optimisation, which may change the arguments of functions that no
	 * other module can call. */
	SPOOR_SIGNATURE_MAY_CHANGE = 1 << 2,
	/* The function has more arguments than fit: the last ones are missing. */
	SPOOR_SIGNATURE_CUT = 1 << 3,
};

enum spoor_signature_item {
	SPOOR_SIGNATURE_END = 0,
	SPOOR_SIGNATURE_INTEGER = 1,	/* width in bits, 1 to 128; the sign is unknown */
	SPOOR_SIGNATURE_SIGNED = 2,	/* width: the caller extends the sign */
	SPOOR_SIGNATURE_UNSIGNED = 3,	/* width: the caller extends with zeros */
	SPOOR_SIGNATURE_POINTER = 4,
	SPOOR_SIGNATURE_REAL = 5,	/* width: 16, 32, 64, 80 or 128 */
	SPOOR_SIGNATURE_BFLOAT = 6,	/* 16 bits of a brain floating-point number */
	SPOOR_SIGNATURE_VECTOR = 7,	/* size in bytes, 8 or 16 */
	SPOOR_SIGNATURE_BYVAL = 8,	/* size in bytes (LEB128), logarithm of its alignment: a copy on the stack */
	SPOOR_SIGNATURE_SRET = 9,	/* size in bytes (LEB128): the address of memory for the result */
	SPOOR_SIGNATURE_NEST = 10,	/* a static chain, which has its own register */
	/* The argument and all arguments after it are in unknown places. */
	SPOOR_SIGNATURE_OTHER = 11,
	/* Number of items that follow: the parts of one argument, or of the result. The parts of an array are in
	 * successive registers, or all in memory. */
	SPOOR_SIGNATURE_STRUCT = 12,
	SPOOR_SIGNATURE_ARRAY = 13,
	/* enum spoor_text_layout: the next argument, or the result, leads to text or to an object. */
	SPOOR_SIGNATURE_TEXT = 14,
};

/* Bytes of an object in memory, or of a structure on the stack, that are captured. */
#define SPOOR_OBJECT_MOST 64u

/* How a value leads to text. A layout in memory begins at the address that the value is. */
enum spoor_text_layout {
	SPOOR_LAYOUT_C = 1,		/* the address of bytes that end with NUL */
	SPOOR_LAYOUT_POINTER_LENGTH = 2,	/* in memory: the address of the bytes, and their number */
	SPOOR_LAYOUT_LENGTH_POINTER = 3,
	SPOOR_LAYOUT_POINTER_CAPACITY_LENGTH = 4,
	SPOOR_LAYOUT_CAPACITY_POINTER_LENGTH = 5,
	SPOOR_LAYOUT_LIBCXX = 6,	/* in memory: libc++'s std::string */
	SPOOR_LAYOUT_LENGTH_NEXT = 7,	/* the address of bytes; the next value is their number */
	SPOOR_LAYOUT_LENGTH_BEFORE = 8,	/* the same, but the value before is their number */
	/* Plus the number of bytes, from 1 to SPOOR_OBJECT_MOST, which also stands for more: in memory, no text but an object
	 * that the source passes by value. */
	SPOOR_LAYOUT_OBJECT = 64,
};

#endif
