/* SPDX-License-Identifier: MIT */
/* aside.h - a stack of our own for calls into libc. Included by assembly too. */
#ifndef SPOOR_ASIDE_H
#define SPOOR_ASIDE_H

#define SPOOR_ASIDE_ATTACH_BYTES (128 << 10)
#define SPOOR_ASIDE_CALL_BYTES (1 << 20)	/* the demangler's is deep */

#ifndef __ASSEMBLER__

#include <stdint.h>

/* The end of a fresh, zeroed stack, aligned to 64 bytes; null where there is none. */
void *spoor_aside_map(long bytes);
void spoor_aside_unmap(void *end, long bytes);

/* Blocks all signals that can wait. Return: the thread's mask, for the other. */
uint64_t spoor_signals_block(void);
void spoor_signals_restore(uint64_t mask);

/*
 * spoor_aside_call - calls @function(@argument) on such a stack, with such signals
 * blocked: who loads a library may have a few kilobytes left.
 */
void spoor_aside_call(void (*function)(void *argument), void *argument);

#endif
#endif
