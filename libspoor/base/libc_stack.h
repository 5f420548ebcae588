/* SPDX-License-Identifier: MIT */
/* libc_stack.h - a stack of our own for calls into libc. */
#ifndef SPOOR_ASIDE_H
#define SPOOR_ASIDE_H

#include <stdint.h>

/* The end of a stack, aligned to 64 bytes, to be given back; null where there is none. What
 * lies on it is anybody's. From any context. */
void *spoor_libc_stack_take(void);
void spoor_libc_stack_give(void *end);

/* Blocks all signals that can wait. Return: the thread's mask, for the other. */
uint64_t spoor_signals_block(void);
void spoor_signals_restore(uint64_t mask);

/*
 * spoor_libc_stack_call - calls @function(@argument) on such a stack, with such signals
 * blocked: who loads a library may have a few kilobytes left.
 */
void spoor_libc_stack_call(void (*function)(void *argument), void *argument);

#endif
