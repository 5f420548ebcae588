/* SPDX-License-Identifier: MIT */
/*
 * libc_stack.c - provides a separate stack for the rare calls from an event into libc.
 *
 * Compiled for general registers only, because the vector registers are not saved yet.
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

/* Two requests to valgrind, which do nothing without valgrind. Without them valgrind takes a jump to another
 * stack for a very large frame. */
enum { STACK_REGISTER = 0x1501, STACK_DEREGISTER = 0x1502 };

static uint64_t request_valgrind(uint64_t request, uint64_t first, uint64_t second)
{
	volatile uint64_t words[6] = { request, first, second };

	return spoor_valgrind(words);
}

/* Bytes above a stack, which hold valgrind's ID of the stack. */
#define STACK_ID_BYTES 64

/* The demangler needs a deep stack. */
#define STACK_BYTES (1l << 20)

/* The end of one unused stack, for the next caller. Mapping, touching and unmapping a stack is most of the cost
 * of registering a library. */
static char *unused_stack;

void *spoor_libc_stack_take(void)
{
	char *end = __atomic_exchange_n(&unused_stack, NULL, __ATOMIC_ACQUIRE);
	long memory;

	if (end)
		return end;
	memory = spoor_system(SYS_mmap, 0, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory < 0 && memory > -4096)
		return NULL;
	end = (char *)memory + STACK_BYTES - STACK_ID_BYTES;
	*(uint64_t *)end = request_valgrind(STACK_REGISTER, (uint64_t)memory, (uint64_t)end);
	return end;
}

void spoor_libc_stack_give(void *end)
{
	char *none = NULL;

	if (__atomic_compare_exchange_n(&unused_stack, &none, end, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		return;
	request_valgrind(STACK_DEREGISTER, *(uint64_t *)end, 0);
	spoor_system(SYS_munmap, (long)((char *)end + STACK_ID_BYTES - STACK_BYTES), STACK_BYTES, 0, 0, 0, 0);
}

uint64_t spoor_signals_block(void)
{
	/* Faults stay unblocked, because a blocked fault kills the process. Signal 33 stays unblocked too:
	 * setuid() in libc waits for it. Signal 32, which cancels threads, is blocked. The system call bypasses
	 * libc: thread sanitizers check its arguments, and do not know this stack. */
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
