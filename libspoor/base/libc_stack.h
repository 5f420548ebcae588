/* SPDX-License-Identifier: MIT */
/* libc_stack.h - a separate stack for calls from an event into libc. */
#ifndef SPOOR_LIBC_STACK_H
#define SPOOR_LIBC_STACK_H

#include <stdint.h>

/* Returns the end of a stack, aligned to 64 bytes, which the caller must give back, or null if there is no
 * memory. The contents are undefined. Any context. */
void *spoor_libc_stack_take(void);
void spoor_libc_stack_give(void *end);

/* Blocks all signals except faults and signal 33. Returns the thread's old mask, for spoor_signals_restore. */
uint64_t spoor_signals_block(void);
void spoor_signals_restore(uint64_t mask);

/*
 * spoor_libc_stack_call - calls @function(@argument) on a separate stack with signals blocked.
 *
 * A thread that loads a library may have only a few kilobytes of its stack left.
 */
void spoor_libc_stack_call(void (*function)(void *argument), void *argument);

#endif
