/* SPDX-License-Identifier: MIT */
/* machine.h - the parts of victims that need AArch64's instructions or registers. */
#ifndef MACHINE_AARCH64_H
#define MACHINE_AARCH64_H

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* AArch64 does not trap a division by zero. */
static inline __attribute__((no_instrument_function)) void machine_divides_by_zero(void)
{
	raise(SIGFPE);
}

static inline __attribute__((no_instrument_function)) void machine_does_nothing_known(void)
{
	__asm__ volatile("udf #0");
}

static inline __attribute__((no_instrument_function)) void machine_clobbers_vectors(void)
{
	__asm__ volatile("movi v0.16b, #0; movi v1.16b, #0; movi v2.16b, #0" : : : "v0", "v1", "v2");
}

/* A program cannot single-step itself on AArch64. These start and stop a timer that sends SIGPROF to the
 * calling thread as often as possible. */
#define MACHINE_STEPS_EACH 0
#define MACHINE_STEPS_SIGNAL SIGPROF
static inline __attribute__((no_instrument_function)) void machine_steps(int on)
{
	static __thread timer_t timer;
	struct itimerspec often = { { 0, 1000000 }, { 0, 1000000 } };
	struct sigevent event;

	if (!on) {
		timer_delete(timer);
		return;
	}
	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = MACHINE_STEPS_SIGNAL;
	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &often, NULL);
}

/* No flag that a program can set disturbs C code. */
#define MACHINE_ODD_FLAGS 0ul
static inline __attribute__((no_instrument_function, always_inline)) void machine_flags_set(unsigned long flags)
{
	(void)flags;
}
static inline __attribute__((no_instrument_function, always_inline)) unsigned long machine_flags(void)
{
	return 0;
}

/* Returns whether a tail call's return address is only in a vector register, in the first
 * instructions of its thunk. libunwind reads general registers only. */
static inline __attribute__((no_instrument_function)) int machine_hides_return_address(unsigned long at)
{
	const unsigned int *code = (const unsigned int *)at;

	for (int i = 0; i < 3; i++)
		if (code[i] == 0x9e6603e1)	/* fmov x1, d31 */
			return 1;
	return 0;
}

static inline __attribute__((no_instrument_function)) unsigned long machine_program_counter(const ucontext_t *interrupted)
{
	return interrupted->uc_mcontext.pc;
}

static inline __attribute__((no_instrument_function)) char *machine_stack(const ucontext_t *interrupted)
{
	return (char *)interrupted->uc_mcontext.sp;
}

#endif
