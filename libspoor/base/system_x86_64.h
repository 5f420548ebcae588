/* SPDX-License-Identifier: MIT */
/*
 * system_x86_64.h - the few machine instructions that C has no word for.
 * One such file per architecture; system.h picks it.
 */
#ifndef SPOOR_SYSTEM_X86_64_H
#define SPOOR_SYSTEM_X86_64_H

#include <cpuid.h>
#include <stdint.h>

/* Whether the time stamp counter goes on at one rate, whatever the processor's and in its sleep. */
static inline int spoor_cycles_are_invariant(void)
{
	unsigned int a, b, c, d = 0;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && d >> 8 & 1;
}

static inline uint64_t spoor_cycles(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

/* Adds to *@cursor in one instruction: whole to a signal handler of this thread,
 * not to other threads. */
static inline uint64_t spoor_cursor_add(uint64_t *cursor, uint64_t bytes)
{
	__asm__ volatile("xaddq %0, %1" : "+r"(bytes), "+m"(*cursor) : : "memory", "cc");
	return bytes;
}

/* The same, for a swap where *@cursor is still @expected. */
static inline int spoor_cursor_replace(uint64_t *cursor, uint64_t expected, uint64_t value)
{
	uint8_t done;

	__asm__ volatile("cmpxchgq %3, %1"
			 : "=@ccz"(done), "+m"(*cursor), "+a"(expected)
			 : "r"(value)
			 : "memory");
	return done;
}

/* A system call that leaves errno, and everything of libc's, alone. */
static inline long spoor_system(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

/* Asks valgrind, if it runs us; nothing happens otherwise (valgrind.h, "amd64-linux"). */
static inline uint64_t spoor_valgrind(volatile uint64_t words[6])
{
	uint64_t result = 0;

	__asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx" : "+d"(result) : "a"(words) : "cc", "memory");
	return result;
}

#endif
