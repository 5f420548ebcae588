/* SPDX-License-Identifier: MIT */
/*
 * set_aside_calls.h - keeps the open calls of stacks that their thread has left. A stack is found by
 * the frame of the call that left it.
 */
#ifndef SPOOR_READER_SET_ASIDE_CALLS_H
#define SPOOR_READER_SET_ASIDE_CALLS_H

#include "reader/files/map64.h"

struct call_stack;

struct set_aside_calls {
	struct call_stack **stacks;	/* null: the stack was resumed */
	uint32_t count, capacity;
	struct map64 at;	/* position + 1 in `stacks`, by the frame that left the stack */
};

/* Frees a stack with its calls; null is allowed. */
void set_aside_calls_free(struct call_stack *stack);

/* Removes and returns the stack that this frame left, which the caller must free; or null. */
struct call_stack *set_aside_calls_take(struct set_aside_calls *aside, uint32_t frame);

/* Returns the place to put that stack. Null if memory runs out. */
struct call_stack **set_aside_calls_place(struct set_aside_calls *aside, uint32_t frame);

/* Frees all stacks. */
void set_aside_calls_forget(struct set_aside_calls *aside);
void call_aside_free(struct set_aside_calls *aside);

#endif
