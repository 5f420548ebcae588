/* SPDX-License-Identifier: MIT */
/* registers_aarch64.h - the state of an AArch64 processor as a program sees it. Assembly includes this file, too. */
#ifndef REGISTERS_AARCH64_H
#define REGISTERS_AARCH64_H

/* Offsets into struct registers. */
#define REGISTERS_GENERAL 0	/* x0-x29 */
#define REGISTERS_STACK_MOVED 240	/* change of sp */
#define REGISTERS_FLAGS 248	/* nzcv */
#define REGISTERS_STACK 256	/* eight words from sp on */
#define REGISTERS_FPCR 320
#define REGISTERS_FPSR 328
#define REGISTERS_PREDICATES 384	/* p0-p15, one after the other */
#define REGISTERS_FIRST_FAULT 896
#define REGISTERS_VECTORS 1024	/* z0-z31, or q0-q31, one after the other */
#define REGISTERS_BYTES 9216

#define REGISTERS_SIMD 0
#define REGISTERS_SVE 1

#define REGISTERS_CALLS 32	/* number of system calls in registers_calls, */
#define REGISTERS_CALL_WORDS 51	/* each of this size, after a landing pad */

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

#define GENERAL_COUNT 30

struct registers {
	uint64_t general[GENERAL_COUNT];
	uint64_t stack_moved;
	uint64_t flags;
	uint64_t stack[8];
	uint64_t fpcr, fpsr;
	uint64_t padding[6];
	uint8_t predicates[512];
	uint8_t first_fault[128];
	uint8_t vectors[8192];
};

_Static_assert(offsetof(struct registers, stack_moved) == REGISTERS_STACK_MOVED, "registers_aarch64.h");
_Static_assert(offsetof(struct registers, flags) == REGISTERS_FLAGS, "registers_aarch64.h");
_Static_assert(offsetof(struct registers, stack) == REGISTERS_STACK, "registers_aarch64.h");
_Static_assert(offsetof(struct registers, fpcr) == REGISTERS_FPCR, "registers_aarch64.h");
_Static_assert(offsetof(struct registers, fpsr) == REGISTERS_FPSR, "registers_aarch64.h");
_Static_assert(offsetof(struct registers, predicates) == REGISTERS_PREDICATES, "registers_aarch64.h");
_Static_assert(offsetof(struct registers, first_fault) == REGISTERS_FIRST_FAULT, "registers_aarch64.h");
_Static_assert(offsetof(struct registers, vectors) == REGISTERS_VECTORS, "registers_aarch64.h");
_Static_assert(sizeof(struct registers) == REGISTERS_BYTES, "registers_aarch64.h");

/* Functions with sleds that only this architecture has. All jump to registers_return. */
void registers_tail_x17(void);	/* through x17 */
void registers_tail_x9(void);	/* through x9 */
void registers_tail_old(void);	/* through x16; the map calls it an exit */

extern uint32_t registers_calls[];

#endif
#endif
