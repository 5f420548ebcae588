/* SPDX-License-Identifier: MIT */
/* gather_stacks.c - reads the stacks of the held threads. */
#include "attach/gather_stacks.h"

#include <errno.h>
#include <stdlib.h>

#include "attach/inject/inject_stack.h"

struct reading {
	struct attach_stacks *into;
	struct inject_stacks *by;
};

static int add_frame(void *context, const struct spoor_stack_frame *frame)
{
	struct attach_stacks *stacks = ((struct reading *)context)->into;

	if (stacks->count == stacks->capacity) {
		size_t capacity = stacks->capacity ? 2 * stacks->capacity : 1024;
		struct spoor_stack_frame *frames = reallocarray(stacks->frames, capacity, sizeof(*frames));

		if (!frames)
			return -ENOMEM;
		stacks->frames = frames;
		stacks->capacity = capacity;
	}
	stacks->frames[stacks->count++] = *frame;
	return 0;
}

static int add_stack(void *context, pid_t thread)
{
	struct reading *reading = context;
	int whole = inject_stack_walk(reading->by, thread, add_frame, reading);
	const struct spoor_stack_frame end = { .kind = whole ? SPOOR_STACK_END : SPOOR_STACK_CUT, .thread = (uint32_t)thread };

	reading->into->cut += whole == 0;
	return whole < 0 ? whole : add_frame(reading, &end);
}

int attach_stacks_read(struct attach_stacks *stacks, struct inject *inject, const struct target *target)
{
	struct reading reading = { .into = stacks };
	int error = inject_stacks_begin(&reading.by, target);

	stacks->count = stacks->cut = 0;
	if (error == 0)
		error = inject_hold_for_each(inject, add_stack, &reading);
	inject_stacks_end(reading.by);
	return error;
}

void attach_stacks_free(struct attach_stacks *stacks)
{
	free(stacks->frames);
	*stacks = (struct attach_stacks){ 0 };
}
