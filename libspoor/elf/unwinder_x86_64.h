/* SPDX-License-Identifier: MIT */
/* unwinder_x86_64.h - reads the registers with which a walk begins: those that calls preserve. */
#ifndef SPOOR_UNWINDER_X86_64_H
#define SPOOR_UNWINDER_X86_64_H

#include <libunwind-x86_64.h>
#include <stdint.h>

#define SPOOR_UNWINDER_LIBRARY "libunwind-x86_64.so.8"

struct spoor_registers {
	uint64_t general[UNW_X86_64_RIP + 1];	/* indexed by libunwind's numbers */
};

/* Reads the registers at this place in the caller. */
static inline __attribute__((always_inline)) void spoor_registers_get(struct spoor_registers *registers)
{
	__asm__ volatile("movq %%rbx, %c1(%0)\n\tmovq %%rbp, %c2(%0)\n\tmovq %%r12, %c3(%0)\n\tmovq %%r13, %c4(%0)\n\t"
			 "movq %%r14, %c5(%0)\n\tmovq %%r15, %c6(%0)\n\tmovq %%rsp, %c7(%0)\n\t"
			 "leaq 0f(%%rip), %%rax\n0:\tmovq %%rax, %c8(%0)"
			 : : "r"(registers->general), "i"(8 * UNW_X86_64_RBX), "i"(8 * UNW_X86_64_RBP),
			   "i"(8 * UNW_X86_64_R12), "i"(8 * UNW_X86_64_R13), "i"(8 * UNW_X86_64_R14),
			   "i"(8 * UNW_X86_64_R15), "i"(8 * UNW_X86_64_RSP), "i"(8 * UNW_X86_64_RIP)
			 : "rax", "memory");
}

#endif
