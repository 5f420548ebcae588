/* SPDX-License-Identifier: MIT */
/*
 * aside_x86_64.c - a stack of our own for the rare call into libc from an event,
 * and room on it for the vector state.
 *
 * Compiled for general registers only: that state is not saved yet.
 */
#include <cpuid.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "aside.h"
#include "system.h"

#define BIT(signal) (1ull << ((signal) - 1))

uint32_t spoor_xsave_bytes;

void spoor_aside_begin(void)
{
	unsigned int a, b, c, d;

	/* CPUID.1:ECX.OSXSAVE, then leaf 0xd: what the enabled states need. */
	if (__get_cpuid(1, &a, &b, &c, &d) && (c & (1u << 27)) && __get_cpuid_count(0xd, 0, &a, &b, &c, &d))
		spoor_xsave_bytes = (b + 63) & ~63u;
}

void *spoor_aside_map(long bytes)
{
	long memory = spoor_system(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory < 0 && memory > -4096 ? NULL : (char *)memory + bytes;
}

void spoor_aside_unmap(void *end, long bytes)
{
	spoor_system(SYS_munmap, (long)((char *)end - bytes), bytes, 0, 0, 0, 0);
}

uint64_t spoor_signals_block(void)
{
	/* All but faults: they stay deliverable, for blocked they would kill. And but the
	 * second of libc's own, for which setuid waits; the first cancels threads. Past
	 * libc: thread sanitizers look at its arguments, and know nothing of stacks
	 * of ours. */
	const uint64_t all = ~(BIT(SIGTRAP) | BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGILL) | BIT(SIGFPE) | BIT(SIGSYS) |
			       BIT(33));
	uint64_t mask = 0;

	spoor_system(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&mask, sizeof(mask), 0, 0);
	return mask;
}

void spoor_signals_restore(uint64_t mask)
{
	spoor_system(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, sizeof(mask), 0, 0);
}
