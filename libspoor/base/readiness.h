/* SPDX-License-Identifier: MIT */
/*
 * readiness.h - tells whether this library and libc can be used yet.
 *
 * Resolvers of indirect functions run while the dynamic loader, or a static program's start code,
 * relocates the process. At that time this library may have no relocations, libc no environment, and the
 * thread no thread-local storage. So a function that such code may call asks first, and otherwise uses
 * nothing but its arguments. A compiler option such as -fstack-protector may add a use of thread-local
 * storage to a function with local arrays: such a function must not be inlined into the one that asks.
 */
#ifndef SPOOR_READINESS_H
#define SPOOR_READINESS_H

#include <stdbool.h>

/* Set once; never reset. Hidden, so that no code looks up the address in a table that has no relocations yet. */
extern __attribute__((visibility("hidden"))) bool spoor_readiness;

/* Tells if the loader has finished the start of the process, before this library's constructor has run. */
bool spoor_readiness_find(void);

/* For a caller that knows that constructors run. Returns whether libc's constructor has run, too. */
bool spoor_readiness_find_in_constructor(void);

/* Any context. About 2 instructions from the first true answer on. */
static inline bool spoor_is_ready(void)
{
	return __builtin_expect(__atomic_load_n(&spoor_readiness, __ATOMIC_RELAXED), true) || spoor_readiness_find();
}

#endif
