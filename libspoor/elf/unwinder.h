/* SPDX-License-Identifier: MIT */
/*
 * unwinder.h - walks the calling thread's stack with libunwind, which is loaded only if a walk is needed.
 *
 * libunwind is optional: without it, or if libc has no _dl_find_object to find unwind tables, there are
 * no walks. A walk takes no lock of the dynamic loader, reads no unmapped memory, and leaves no open
 * descriptor.
 */
#ifndef SPOOR_UNWINDER_H
#define SPOOR_UNWINDER_H

#include <stdbool.h>

#include "format/stack_frame.h"

/* spoor_unwinder_load - tries once per process to load libunwind. Call it without any lock of the runtime. */
void spoor_unwinder_load(void);

/* Tells if libunwind is loaded and works. Any context. */
bool spoor_unwinder_is_there(void);

/*
 * spoor_unwinder_walk - passes each frame of the calling thread to @visit, the innermost first.
 *
 * Return: whether the stack could be read to its begin. Context: under the registry's lock, with
 * signals blocked and 64 KiB of stack.
 */
bool spoor_unwinder_walk(void (*visit)(const struct spoor_stack_frame *frame));

#endif
