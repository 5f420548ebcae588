/* SPDX-License-Identifier: MIT */
/* machine.h - what a victim of AArch64 can only say in its machine's words. */
#ifndef MACHINE_H
#define MACHINE_H

#include <signal.h>
#include <ucontext.h>

/* To this machine that is nothing to complain of. */
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

/* No program can have that of this machine. */
static inline __attribute__((no_instrument_function, always_inline)) void machine_steps(int on)
{
	(void)on;
}

static inline __attribute__((no_instrument_function)) char *machine_stack(const ucontext_t *interrupted)
{
	return (char *)interrupted->uc_mcontext.sp;
}

#endif
