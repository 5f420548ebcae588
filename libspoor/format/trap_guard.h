/* SPDX-License-Identifier: MIT */
/*
 * trap_guard.h - the interface between libspoor.so and libspoor_trap.so, which keeps SIGTRAP
 * deliverable. For no other caller.
 *
 * Breakpoints need both libraries in the process, preloaded or loaded while it runs.
 */
#ifndef SPOOR_TRAP_GUARD_H
#define SPOOR_TRAP_GUARD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define SPOOR_TRAP_GUARD_VERSION 2
#define SPOOR_TRAP_GUARD_LIBRARY "libspoor_trap.so"

/* Returns whether the trap came from a breakpoint of spoor. */
typedef bool spoor_trap(siginfo_t *info, void *context);

struct spoor_trap_guard {
	uint32_t version;
	/*
	 * Sends every SIGTRAP to @trap from now on. A SIGTRAP that @trap does not take goes on to the program's
	 * handler.
	 *
	 * Return: 0; 1 if the library was not preloaded, so threads may have blocked SIGTRAP before it was
	 * loaded; -EEXIST if another library intercepts the same functions of libc; or another negative errno.
	 */
	int (*take)(spoor_trap *trap);
	/*
	 * If the library was not preloaded, restores the program's own handling of SIGTRAP. The caller has
	 * removed all breakpoints, and no thread is still handling one.
	 */
	void (*leave)(void);
	/* Both: from one thread at a time; not signal-safe. */
};

extern const struct spoor_trap_guard spoor_trap_guard;

#endif
