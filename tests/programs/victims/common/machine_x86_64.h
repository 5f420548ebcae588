/* SPDX-License-Identifier: MIT */
/* machine.h - the parts of victims that need x86-64's instructions or registers. */
#ifndef MACHINE_X86_64_H
#define MACHINE_X86_64_H

#include <ucontext.h>

static inline __attribute__((no_instrument_function)) void machine_divides_by_zero(void)
{
	__asm__ volatile("xorl %%ecx, %%ecx; movl $1, %%eax; cltd; idivl %%ecx" : : : "eax", "ecx", "edx");
}

static inline __attribute__((no_instrument_function)) void machine_does_nothing_known(void)
{
	__asm__ volatile("ud2");
}

static inline __attribute__((no_instrument_function)) void machine_clobbers_vectors(void)
{
	__asm__ volatile("pxor %%xmm0, %%xmm0; pxor %%xmm1, %%xmm1; pxor %%xmm2, %%xmm2" : : : "xmm0", "xmm1", "xmm2");
}

/* machine_steps starts and stops SIGTRAP before each instruction. */
#define MACHINE_STEPS_EACH 1
#define MACHINE_STEPS_SIGNAL SIGTRAP
static inline __attribute__((no_instrument_function, always_inline)) void machine_steps(int on)
{
	if (on)
		__asm__ volatile("pushf; orl $0x100, (%%rsp); popf" : : : "memory", "cc");
	else
		__asm__ volatile("pushf; andl $~0x100, (%%rsp); popf" : : : "memory", "cc");
}

/* Flags that C code does not expect: alignment checks, and string instructions that go downwards. */
#define MACHINE_ODD_FLAGS 0x40400ul
static inline __attribute__((no_instrument_function, always_inline)) void machine_flags_set(unsigned long flags)
{
	__asm__ volatile("pushf; andq %0, (%%rsp); orq %1, (%%rsp); popf" : : "r"(~MACHINE_ODD_FLAGS), "r"(flags) : "memory", "cc");
}
static inline __attribute__((no_instrument_function, always_inline)) unsigned long machine_flags(void)
{
	unsigned long flags;

	__asm__ volatile("pushf; popq %0" : "=r"(flags) : : "memory");
	return flags & MACHINE_ODD_FLAGS;
}

static inline __attribute__((no_instrument_function)) char *machine_stack(const ucontext_t *interrupted)
{
	return (char *)interrupted->uc_mcontext.gregs[REG_RSP];
}

static inline __attribute__((no_instrument_function)) int machine_hides_return_address(unsigned long at)
{
	(void)at;
	return 0;
}

static inline __attribute__((no_instrument_function)) unsigned long machine_program_counter(const ucontext_t *interrupted)
{
	return (unsigned long)interrupted->uc_mcontext.gregs[REG_RIP];
}

#endif
