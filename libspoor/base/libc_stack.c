/* SPDX-License-Identifier: MIT */
/*
 * libc_stack.c - a stack of our own for the rare call into libc from an event.
 *
 * Compiled for general registers only: the vector state is not saved yet.
 */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/libc_stack.h"
#include "base/system.h"

#define BIT(signal) (1ull << ((signal) - 1))

/* The two of valgrind's requests that concern stacks: nothing happens without it. With
 * it, a jump to another stack would be taken for a very large frame. */
enum { STACK_REGISTER = 0x1501, STACK_DEREGISTER = 0x1502 };

static uint64_t tell_valgrind(uint64_t request, uint64_t first, uint64_t second)
{
	volatile uint64_t words[6] = { request, first, second };

	return spoor_valgrind(words);
}

/* Above a stack: valgrind's number for it. */
#define ABOVE 64

/* The demangler is deep. */
#define STACK_BYTES (1l << 20)

/* The end of one that is free, for the next who needs one: to map a stack, to touch it
 * first and to unmap it is most of what a library's registration costs. */
static char *kept;

void *spoor_libc_stack_take(void)
{
	char *end = __atomic_exchange_n(&kept, NULL, __ATOMIC_ACQUIRE);
	long memory;

	if (end)
		return end;
	memory = spoor_system(SYS_mmap, 0, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory < 0 && memory > -4096)
		return NULL;
	end = (char *)memory + STACK_BYTES - ABOVE;
	*(uint64_t *)end = tell_valgrind(STACK_REGISTER, (uint64_t)memory, (uint64_t)end);
	return end;
}

void spoor_libc_stack_give(void *end)
{
	char *none = NULL;

	if (__atomic_compare_exchange_n(&kept, &none, end, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		return;
	tell_valgrind(STACK_DEREGISTER, *(uint64_t *)end, 0);
	spoor_system(SYS_munmap, (long)((char *)end + ABOVE - STACK_BYTES), STACK_BYTES, 0, 0, 0, 0);
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
