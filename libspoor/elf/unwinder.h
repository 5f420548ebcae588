/* SPDX-License-Identifier: MIT */
/*
 * unwinder.h - libunwind, loaded when it is asked for, and for nobody else: the calling
 * thread's stack.
 *
 * It is not needed: without it, or where the C library cannot say where unwind tables are
 * (_dl_find_object), there are no such stacks. It asks for no lock of the dynamic loader's,
 * reads no memory that is not there, and leaves no descriptor in the program.
 */
#ifndef SPOOR_UNWINDER_H
#define SPOOR_UNWINDER_H

#include <stdbool.h>

#include "format/stack_frame.h"

/* spoor_unwinder_load - once in a process. Loads a library: under no lock of ours. */
void spoor_unwinder_load(void);

/* Whether it is there. Any context. */
bool spoor_unwinder_is_there(void);

/*
 * spoor_unwinder_walk - tells the frames of the calling thread, the innermost first.
 *
 * Return: whether the stack could be read to its begin. Context: under the registry's lock,
 * with signals blocked and 64 KiB of stack.
 */
bool spoor_unwinder_walk(void (*tell)(const struct spoor_stack_frame *frame));

#endif
