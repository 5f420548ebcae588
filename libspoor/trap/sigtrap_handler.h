/* SPDX-License-Identifier: MIT */
/* sigtrap_handler.h - what the two files of libspoor_trap.so share. */
#ifndef SPOOR_TRAP_GUARD_PARTS_H
#define SPOOR_TRAP_GUARD_PARTS_H

#include <signal.h>
#include <stdbool.h>

#define EXPORT __attribute__((visibility("default")))

/* Whether this came after libc: a process that runs was given it. */
bool guard_is_late(void);

/* A function of that name in the libraries behind this one, or libc's where this is late; null where there is
 * none. Not after guard_bind. */
void *guard_next(const char *name);

/*
 * guard_bind - where this is late, what calls libc's functions calls those here from now on, and what is loaded
 * later does: as if it had been preloaded. Or all of that is taken back.
 *
 * Return: 0 or a negative errno; -EEXIST where another library stands before libc's.
 */
int guard_bind(bool on);

/* The set without SIGTRAP, in @copy where it is another one; null for null. Signal-safe. */
const sigset_t *guard_without_trap(const sigset_t *set, sigset_t *copy);

#endif
