/* SPDX-License-Identifier: MIT */
/* sigtrap_handler.h - declarations that the files of libspoor_trap.so share. */
#ifndef SPOOR_SIGTRAP_HANDLER_H
#define SPOOR_SIGTRAP_HANDLER_H

#include <signal.h>
#include <stdbool.h>

#define EXPORT __attribute__((visibility("default")))

/* Tells if this library was loaded after libc, into a running process. */
bool guard_is_late(void);

/* Returns the next function of that name after this library, or libc's if this library is late; null if there
 * is none. Do not call it after guard_bind. */
void *guard_next(const char *name);

/*
 * guard_bind - if this library is late, makes all calls of libc's functions call this library's functions, also
 * calls in modules that are loaded later, as if it had been preloaded; or reverts that.
 *
 * Return: 0 or a negative errno; -EEXIST if another library intercepts one of the functions.
 */
int guard_bind(bool on);

/* Returns the set without SIGTRAP: @set itself, or @copy if it differs; null for null. Signal-safe. */
const sigset_t *guard_without_trap(const sigset_t *set, sigset_t *copy);

#endif
