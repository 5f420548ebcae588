/* SPDX-License-Identifier: MIT */
/*
 * after_fork.h - what a forked child can do where threads of its parent's, which are not there, had locks.
 *
 * glibc makes those of malloc and stdio anew in a child, and not the dynamic linker's: whoever
 * asks for one of them in the child of a parent with threads may wait for ever.
 */
#ifndef SPOOR_FORKED_H
#define SPOOR_FORKED_H

#include <stdbool.h>

/* Before a fork: whether the process has threads by now. */
void spoor_after_fork_prepare(void);

/* In the child, and where the runtime begins. */
void spoor_after_fork_begins(void);

/* Calls @hush first in every copy that spoor_after_fork_can makes: nothing is traced there. */
void spoor_after_fork_hush_copies(void (*hush)(void));

/*
 * spoor_after_fork_by_libc - whether this process is the one where the runtime began, or came out of fork()
 * since. One that clone() made may end by its only thread's end, which a second thread would keep off.
 */
bool spoor_after_fork_by_libc(void);

/*
 * spoor_after_fork_can - whether @what comes to a good end, in a copy of this process of which no signal
 * and no wait of the program's tells. A tenth of a millisecond, or half a second where it does not.
 * Where there are no copies, whether the dynamic linker's locks were free at the last fork.
 */
bool spoor_after_fork_can(void (*what)(void));

/*
 * spoor_after_fork_has_linker - whether the dynamic linker's locks can be had: always but in a forked child,
 * where it is tried, once.
 */
bool spoor_after_fork_has_linker(void);

#endif
