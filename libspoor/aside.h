/* SPDX-License-Identifier: MIT */
/* aside.h - a stack of our own for calls into libc from within an event. */
#ifndef SPOOR_ASIDE_H
#define SPOOR_ASIDE_H

#include <stdint.h>

/* What the vector state needs on it, in bytes; 0 where only fxsave is known. */
extern uint32_t spoor_xsave_bytes;

/* Once, before the first event. */
void spoor_aside_begin(void);

/* The end of a fresh, zeroed stack, aligned to a page; null where there is none. */
void *spoor_aside_map(void);
void spoor_aside_unmap(void *end);

#endif
