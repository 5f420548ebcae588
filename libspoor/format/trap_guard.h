/* SPDX-License-Identifier: MIT */
/*
 * trap_guard.h - what libspoor.so asks of libspoor_trap.so, which keeps SIGTRAP deliverable; nobody
 * else's to call. Breakpoints need both in the process: preloaded, or loaded into it while it runs.
 */
#ifndef SPOOR_TRAP_GUARD_H
#define SPOOR_TRAP_GUARD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define SPOOR_TRAP_GUARD_VERSION 2
#define SPOOR_TRAP_GUARD_LIBRARY "libspoor_trap.so"

/* Return: whether the trap was one of ours. */
typedef bool spoor_trap(siginfo_t *info, void *context);

struct spoor_trap_guard {
	uint32_t version;
	/*
	 * Sends all SIGTRAP to @trap from now on; what that does not take goes on to the program, as it
	 * has chosen. Return: 0; 1 where it was not preloaded, and threads may have SIGTRAP blocked since before
	 * it came; or a negative errno, -EEXIST where another library stands before libc's functions.
	 */
	int (*take)(spoor_trap *trap);
	/*
	 * Where it was not preloaded, all is the program's again, as it has chosen. No breakpoint is in the text,
	 * and nobody who met one is on its way.
	 */
	void (*leave)(void);
	/* Both: one thread at a time; not signal-safe. */
};

extern const struct spoor_trap_guard spoor_trap_guard;

#endif
