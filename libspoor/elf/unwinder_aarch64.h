/* SPDX-License-Identifier: MIT */
/* unwinder_aarch64.h - reads the registers with which a walk begins: those that calls preserve. */
#ifndef SPOOR_UNWINDER_AARCH64_H
#define SPOOR_UNWINDER_AARCH64_H

#include <libunwind-aarch64.h>
#include <stdint.h>

#define SPOOR_UNWINDER_LIBRARY "libunwind-aarch64.so.8"

struct spoor_registers {
	uint64_t general[UNW_AARCH64_PC + 1];	/* indexed by libunwind's numbers */
};

/* Reads the registers at this place in the caller. */
static inline __attribute__((always_inline)) void spoor_registers_get(struct spoor_registers *registers)
{
	uint64_t sp, pc;

	__asm__ volatile("stp x19, x20, [%2, #152]\n\tstp x21, x22, [%2, #168]\n\tstp x23, x24, [%2, #184]\n\t"
			 "stp x25, x26, [%2, #200]\n\tstp x27, x28, [%2, #216]\n\tstp x29, x30, [%2, #232]\n\t"
			 "mov %0, sp\n\tadr %1, ."
			 : "=&r"(sp), "=&r"(pc) : "r"(registers->general) : "memory");
	registers->general[UNW_AARCH64_SP] = sp;
	registers->general[UNW_AARCH64_PC] = pc;
}

_Static_assert(UNW_AARCH64_X19 == 19 && UNW_AARCH64_X30 == 30, "the offsets in the assembly");

#endif
