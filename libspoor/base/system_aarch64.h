/* SPDX-License-Identifier: MIT */
/*
 * system_aarch64.h - the machine instructions that C cannot express. Each architecture has such a
 * file; system.h includes the right one.
 */
#ifndef SPOOR_SYSTEM_AARCH64_H
#define SPOOR_SYSTEM_AARCH64_H

#include <stdint.h>

/* Tells if the counter has a constant rate. The architecture guarantees it (DDI 0487, "The Generic Timer"). */
static inline int spoor_cycles_are_invariant(void)
{
	return 1;
}

static inline uint64_t spoor_cycles(void)
{
	uint64_t count;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(count) : : "memory");
	return count;
}

/* Adds to *@cursor and returns the old value. Atomic for signal handlers of this thread. */
static inline uint64_t spoor_cursor_add(uint64_t *cursor, uint64_t bytes)
{
	return __atomic_fetch_add(cursor, bytes, __ATOMIC_RELAXED);
}

/* Replaces *@cursor if it is @expected. Atomic for signal handlers of this thread. */
static inline int spoor_cursor_replace(uint64_t *cursor, uint64_t expected, uint64_t value)
{
	return __atomic_compare_exchange_n(cursor, &expected, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Sets the modes of floating point that C expects. The program's may be others. */
static inline void spoor_floats_begin(void)
{
	__asm__ volatile("msr fpcr, %0" : : "r"(0ul));
}

/* No flag of this machine disturbs C code. */
static inline void spoor_flags_begin(void)
{
}

/* A system call that changes neither errno nor other state of libc. A function, because it saves the scalable
 * vector registers (trampolines/libc_stack_aarch64.S). */
__attribute__((visibility("hidden"))) long spoor_system(long number, long a, long b, long c, long d, long e, long f);

/* Sends a request to valgrind (valgrind.h, "arm64-linux"). Returns 0 if valgrind does not run the process. */
static inline uint64_t spoor_valgrind(volatile uint64_t words[6])
{
	register uint64_t result __asm__("x3") = 0;
	register volatile uint64_t *request __asm__("x4") = words;

	__asm__ volatile("ror x12, x12, #3\n\tror x12, x12, #13\n\tror x12, x12, #51\n\tror x12, x12, #61\n\t"
			 "orr x10, x10, x10" : "+r"(result) : "r"(request) : "memory");
	return result;
}

#endif
