/* SPDX-License-Identifier: MIT */
/*
 * inject_stack.h - the stacks of stopped threads, read from outside.
 *
 * Threads of one process stand in few places: what is known of one is kept for the next.
 */
#ifndef SPOOR_TOOLS_INJECT_STACK_H
#define SPOOR_TOOLS_INJECT_STACK_H

#include "format/stack_frame.h"
#include "attach/target.h"

struct inject_stacks;

/* @target: outlives it, and nothing is mapped or unmapped meanwhile. Return: 0 or -ENOMEM. */
int inject_stacks_begin(struct inject_stacks **stacks, const struct target *target);
void inject_stacks_end(struct inject_stacks *stacks);

/*
 * inject_stack_walk - tells the frames of a thread, the innermost first, those that have a function.
 *
 * Return: 1, 0 where the stack could not be read to its begin, or what @tell returned that
 * was negative. Context: by the tracer of @thread, which is stopped.
 */
int inject_stack_walk(struct inject_stacks *stacks, pid_t thread,
		      int (*tell)(void *context, const struct spoor_stack_frame *frame), void *context);

#endif
