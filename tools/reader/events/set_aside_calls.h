/* SPDX-License-Identifier: MIT */
/*
 * set_aside_calls.h - the calls that are open on stacks which others have taken the place of, each
 * found by the frame of the call that left it.
 */
#ifndef SPOOR_READER_CALL_ASIDE_H
#define SPOOR_READER_CALL_ASIDE_H

#include "reader/files/map64.h"

struct call_stack;

struct call_aside {
	struct call_stack **stacks;	/* null: goes on */
	uint32_t count, capacity;
	struct map64 at;	/* where among them is the one that was left by this frame, + 1 */
};

/* The stack that was left by this frame, which is the caller's from now on, to be freed; or null. */
struct call_stack *call_aside_take(struct call_aside *aside, uint32_t frame);

/* Where that stack is to be put. Return: null without memory. */
struct call_stack **call_aside_place(struct call_aside *aside, uint32_t frame);

/* Frees all of them. */
void call_aside_forget(struct call_aside *aside);
void call_aside_free(struct call_aside *aside);

#endif
