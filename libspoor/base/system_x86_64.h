/* SPDX-License-Identifier: MIT */
/*
 * system_x86_64.h - the machine instructions that C cannot express. Each architecture has such a
 * file; system.h includes the right one.
 */
#ifndef SPOOR_SYSTEM_X86_64_H
#define SPOOR_SYSTEM_X86_64_H

#include <cpuid.h>
#include <stdint.h>

/* Tells if the time stamp counter has a constant rate, at every speed of the processor and while it sleeps. */
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

/* Adds to *@cursor in one instruction and returns the old value. Atomic for signal handlers of this thread, but
 * not for other threads. */
static inline uint64_t spoor_cursor_add(uint64_t *cursor, uint64_t bytes)
{
	__asm__ volatile("xaddq %0, %1" : "+r"(bytes), "+m"(*cursor) : : "memory", "cc");
	return bytes;
}

/* Replaces *@cursor if it is @expected. Atomic for signal handlers of this thread, but not for other threads. */
static inline int spoor_cursor_replace(uint64_t *cursor, uint64_t expected, uint64_t value)
{
	uint8_t done;

	__asm__ volatile("cmpxchgq %3, %1"
			 : "=@ccz"(done), "+m"(*cursor), "+a"(expected)
			 : "r"(value)
			 : "memory");
	return done;
}

/* Sets the modes of floating point that C expects. The program's may be others. */
static inline void spoor_floats_begin(void)
{
	const uint32_t usual = 0x1f80;

	__asm__ volatile("fninit; ldmxcsr %0" : : "m"(usual));
}

/* Clears the flags for alignment checks and for the direction of string instructions in a signal handler, whose end
 * restores them. */
static inline void spoor_flags_begin(void)
{
	__builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~0x40400ull);
}

/* A system call that changes neither errno nor other state of libc. */
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

/* Sends a request to valgrind (valgrind.h, "amd64-linux"). Returns 0 if valgrind does not run the process. */
static inline uint64_t spoor_valgrind(volatile uint64_t words[6])
{
	uint64_t result = 0;

	__asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx" : "+d"(result) : "a"(words) : "cc", "memory");
	return result;
}

#endif
