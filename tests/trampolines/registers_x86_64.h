/* SPDX-License-Identifier: MIT */
/* registers_x86_64.h - the state of an x86-64 processor as a program sees it. Assembly includes this file, too. */
#ifndef REGISTERS_X86_64_H
#define REGISTERS_X86_64_H

/* Offsets into struct registers. */
#define REGISTERS_GENERAL 0	/* rax rbx rcx rdx rsi rdi rbp r8-r15 */
#define REGISTERS_FLAGS 120
#define REGISTERS_STACK 128	/* eight words above the return address */
#define REGISTERS_LEGACY 192	/* fxsave64: x87, MXCSR, xmm0-15 */
#define REGISTERS_MASKS 704	/* k0-k7 */
#define REGISTERS_VECTORS 768	/* zmm0-31 */
#define REGISTERS_BYTES 2816

#define REGISTERS_SSE 0
#define REGISTERS_AVX 1
#define REGISTERS_AVX512 2

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

enum general { RAX, RBX, RCX, RDX, RSI, RDI, RBP, R8, R9, R10, R11, R12, R13, R14, R15, GENERAL_COUNT };

/* The parts of the fxsave64 image that the test uses. */
struct legacy {
	uint16_t control, status;
	uint8_t tags, reserved_1;
	uint16_t opcode;
	uint64_t instruction, data;
	uint32_t mxcsr, mxcsr_mask;
	uint8_t stack[8][16];
	uint8_t xmm[16][16];
	uint8_t reserved_2[96];
};

struct registers {
	uint64_t general[GENERAL_COUNT];
	uint64_t flags;
	uint64_t stack[8];
	struct legacy legacy __attribute__((aligned(64)));
	uint64_t masks[8];
	uint8_t vectors[32][64];
};

_Static_assert(offsetof(struct registers, flags) == REGISTERS_FLAGS, "registers.h");
_Static_assert(offsetof(struct registers, stack) == REGISTERS_STACK, "registers.h");
_Static_assert(offsetof(struct registers, legacy) == REGISTERS_LEGACY, "registers.h");
_Static_assert(offsetof(struct registers, masks) == REGISTERS_MASKS, "registers.h");
_Static_assert(offsetof(struct registers, vectors) == REGISTERS_VECTORS, "registers.h");
_Static_assert(sizeof(struct registers) == REGISTERS_BYTES, "registers.h");

/* Functions with sleds that only this architecture has. Both jump to registers_return. */
void registers_tail_r11(void);	/* through r11 */
void registers_tail_rax(void);	/* through rax */

#endif
#endif
