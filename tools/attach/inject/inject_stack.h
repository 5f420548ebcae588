/* SPDX-License-Identifier: MIT */
/*
 * inject_stack.h - reads the stacks of stopped threads from outside.
 *
 * Threads of one process stop at few different places, so results are cached for the next thread.
 */
#ifndef SPOOR_TOOLS_INJECT_STACK_H
#define SPOOR_TOOLS_INJECT_STACK_H

#include "format/stack_frame.h"
#include "attach/target.h"

struct inject_stacks;

/* @target: must outlive @stacks, without changes of its mappings. Returns 0 or -ENOMEM. */
int inject_stacks_begin(struct inject_stacks **stacks, const struct target *target);
void inject_stacks_end(struct inject_stacks *stacks);

/*
 * inject_stack_walk - passes the frames of a thread that have a function to @tell, the innermost first.
 *
 * Returns 1, 0 if the stack could not be read completely, or a negative result of @tell. Context: the tracer of
 * @thread, which is stopped.
 */
int inject_stack_walk(struct inject_stacks *stacks, pid_t thread,
		      int (*tell)(void *context, const struct spoor_stack_frame *frame), void *context);

#endif
