/* SPDX-License-Identifier: MIT */
/* gather_stacks.h - reads the stacks of all threads of a process while the threads are held. */
#ifndef SPOOR_TOOLS_ATTACH_GATHER_STACKS_H
#define SPOOR_TOOLS_ATTACH_GATHER_STACKS_H

#include "attach/inject/inject_hold.h"
#include "format/stack_frame.h"

struct attach_stacks {
	struct spoor_stack_frame *frames;	/* thread after thread, each followed by an end mark */
	size_t count, capacity;
	size_t cut;			/* number of stacks that could not be read completely */
};

/*
 * attach_stacks_read - reads the stacks of all held threads, and replaces earlier contents of @stacks.
 *
 * Returns 0 or a negative errno. Context: while the threads are held.
 */
int attach_stacks_read(struct attach_stacks *stacks, struct inject *inject, const struct target *target);
void attach_stacks_free(struct attach_stacks *stacks);

#endif
