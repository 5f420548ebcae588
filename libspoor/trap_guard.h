/* SPDX-License-Identifier: MIT */
/*
 * trap_guard.h - what libspoor.so asks of libspoor_trap.so, which keeps SIGTRAP deliverable; nobody
 * else's to call. Breakpoints need both in the process, from its start.
 */
#ifndef SPOOR_TRAP_GUARD_H
#define SPOOR_TRAP_GUARD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define SPOOR_TRAP_GUARD_VERSION 1

/* Return: whether the trap was one of ours. */
typedef bool spoor_trap(siginfo_t *info, void *context);

struct spoor_trap_guard {
	uint32_t version;
	/*
	 * Sends all SIGTRAP to @trap from now on; what that does not take goes on to the program, as it
	 * has chosen. Return: 0 or a negative errno. Context: one thread at a time; not signal-safe.
	 */
	int (*take)(spoor_trap *trap);
};

extern const struct spoor_trap_guard spoor_trap_guard;

#endif
