/* SPDX-License-Identifier: MIT */
/* gather_stacks.h - what all threads of a process are in, while they stand still. */
#ifndef SPOOR_TOOLS_ATTACH_GATHER_STACKS_H
#define SPOOR_TOOLS_ATTACH_GATHER_STACKS_H

#include "attach/inject_hold.h"
#include "format/stack_frame.h"

struct attach_stacks {
	struct spoor_stack_frame *frames;	/* of one thread after the other, each with its end */
	size_t count, capacity;
	size_t cut;			/* so many could not be read to their begins */
};

/*
 * attach_stacks_read - in the place of what was read before.
 * Return: 0 or a negative errno. Context: while they are held.
 */
int attach_stacks_read(struct attach_stacks *stacks, struct inject *inject, const struct target *target);
void attach_stacks_free(struct attach_stacks *stacks);

#endif
