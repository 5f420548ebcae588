/* SPDX-License-Identifier: MIT */
/* set_aside_calls.c - keeps the open calls of stacks that their thread has left. */
#include "reader/events/set_aside_calls.h"

#include <stdlib.h>

struct call_stack *call_aside_take(struct call_aside *aside, uint32_t frame)
{
	uint32_t at = map64_find(&aside->at, frame);
	struct call_stack *stack;

	if (!at)
		return NULL;
	stack = aside->stacks[at - 1];
	aside->stacks[at - 1] = NULL;
	return stack;
}

struct call_stack **call_aside_place(struct call_aside *aside, uint32_t frame)
{
	uint32_t *at;

	if (aside->count == aside->capacity) {
		uint32_t capacity = aside->capacity ? 2 * aside->capacity : 16;
		struct call_stack **stacks = reallocarray(aside->stacks, capacity, sizeof(struct call_stack *));

		if (!stacks)
			return NULL;
		aside->stacks = stacks;
		aside->capacity = capacity;
	}
	at = map64_at(&aside->at, frame);
	if (!at)
		return NULL;
	if (!*at)
		*at = ++aside->count;
	return &aside->stacks[*at - 1];
}

void call_aside_forget(struct call_aside *aside)
{
	while (aside->count)
		free(aside->stacks[--aside->count]);
	map64_free(&aside->at);
}

void call_aside_free(struct call_aside *aside)
{
	call_aside_forget(aside);
	free(aside->stacks);
	*aside = (struct call_aside){ 0 };
}
