/* SPDX-License-Identifier: MIT */
/* guard.h - what the two files of libspoor_trap.so share. */
#ifndef SPOOR_TRAP_GUARD_PARTS_H
#define SPOOR_TRAP_GUARD_PARTS_H

#include <signal.h>

#define EXPORT __attribute__((visibility("default")))

/* A function of that name in the libraries behind this one; null where there is none. */
void *guard_next(const char *name);

/* The set without SIGTRAP, in @copy where it is another one; null for null. Signal-safe. */
const sigset_t *guard_without_trap(const sigset_t *set, sigset_t *copy);

#endif
