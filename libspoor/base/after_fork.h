/* SPDX-License-Identifier: MIT */
/*
 * after_fork.h - tells a forked child which locks the vanished threads of its parent may still hold.
 *
 * In a child, glibc resets the locks of malloc and stdio, but not the dynamic linker's locks. If the
 * parent had threads, a child that takes a lock of the dynamic linker may wait for ever.
 */
#ifndef SPOOR_AFTER_FORK_H
#define SPOOR_AFTER_FORK_H

#include <stdbool.h>

/* Call before a fork: notes whether the process has threads. */
void spoor_after_fork_prepare(void);

/* Call in the child after a fork, and when the runtime starts. */
void spoor_after_fork_begins(void);

/* Every copy that spoor_after_fork_can makes calls @silence first, so that the copy records no events. */
void spoor_after_fork_silence_copies(void (*silence)(void));

/*
 * spoor_after_fork_by_libc - whether the runtime started in this process, or fork() made it.
 *
 * A process that clone() made may end when its only thread ends; a service thread would prevent that.
 */
bool spoor_after_fork_by_libc(void);

/*
 * spoor_after_fork_can - whether @what returns, tested in a copy of this process.
 *
 * The program gets no signal for the copy, and its wait() does not see the copy. Takes 0.1 ms, or
 * 0.4 s if @what blocks. If no copy can be made, the result is whether the locks of the dynamic linker
 * were free at the last fork.
 */
bool spoor_after_fork_can(void (*what)(void));

/*
 * spoor_after_fork_has_linker - whether the locks of the dynamic linker are free.
 *
 * Always true except in a forked child. A child tests it once.
 */
bool spoor_after_fork_has_linker(void);

#endif
