/* SPDX-License-Identifier: MIT */
/* set_aside_calls.c - keeps the open calls of stacks that their thread has left. */
#include "reader/events/set_aside_calls.h"

#include <stdlib.h>

#include "reader/events/call_tree.h"

struct call_stack *set_aside_calls_take(struct set_aside_calls *aside, uint32_t frame)
{
	uint32_t at = map64_find(&aside->at, frame);
	struct call_stack *stack;

	if (!at)
		return NULL;
	stack = aside->stacks[at - 1];
	aside->stacks[at - 1] = NULL;
	return stack;
}

struct call_stack **set_aside_calls_place(struct set_aside_calls *aside, uint32_t frame)
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

void set_aside_calls_free(struct call_stack *stack)
{
	for (size_t i = 0; stack && i < stack->depth; i++)
		call_values_drop(stack->calls[i].arguments);
	free(stack);
}

void set_aside_calls_forget(struct set_aside_calls *aside)
{
	while (aside->count)
		set_aside_calls_free(aside->stacks[--aside->count]);
	map64_free(&aside->at);
}

void call_aside_free(struct set_aside_calls *aside)
{
	set_aside_calls_forget(aside);
	free(aside->stacks);
	*aside = (struct set_aside_calls){ 0 };
}
