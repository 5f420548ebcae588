/* SPDX-License-Identifier: MIT */
/* stacks_cpu_time.c - adds to call paths the processor times that are stored with calls. */
#include "walk/stacks/stacks_cpu_time.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/events/call_values.h"

/* Returns the place of a node, or null if memory runs out. */
static struct stack_stored *place_of(struct stacks *stacks, uint32_t node)
{
	if (node >= stacks->stored_capacity) {
		uint32_t capacity = stacks->capacity;
		struct stack_stored *stored = reallocarray(stacks->stored, capacity, sizeof(*stored));

		if (!stored)
			return NULL;
		memset(stored + stacks->stored_capacity, 0, (capacity - stacks->stored_capacity) * sizeof(*stored));
		stacks->stored = stored;
		stacks->stored_capacity = capacity;
	}
	return &stacks->stored[node];
}

int stacks_cpu_time_leave(struct stacks *stacks, const struct call *call, size_t depth, uint64_t duration_ns)
{
	uint32_t node = stacks->path[depth + 1];
	struct stack_stored *stored;
	uint64_t begin_ns, end_ns;

	if (!call_values_cpu_time(call->arguments, &begin_ns))
		return 0;
	if (!call_values_cpu_time(call->result, &end_ns) || end_ns < begin_ns) {
		stacks->cpu_times_missing++;
		return 0;
	}
	stored = place_of(stacks, node);
	if (!stored)
		return -ENOMEM;
	/* The clock is read just outside the call. */
	stored->cpu_ns += end_ns - begin_ns < duration_ns ? end_ns - begin_ns : duration_ns;
	stored->of_ns += duration_ns;
	stored->any = true;
	stacks->threads_unknown -= stacks->thread_is_unknown;
	stacks->thread_is_unknown = false;
	return 0;
}

int stacks_cpu_time_merge(struct stacks *stacks, const struct stacks *from, const uint32_t *to_node)
{
	for (uint32_t i = 1; i < from->count && i < from->stored_capacity; i++) {
		struct stack_stored *stored = from->stored[i].any ? place_of(stacks, to_node[i]) : NULL;

		if (stored)
			stack_stored_add(stored, &from->stored[i]);
		else if (from->stored[i].any)
			return -ENOMEM;
	}
	return 0;
}

int stacks_cpu_time_divide(struct stacks *stacks)
{
	uint64_t *inner_ns;

	if (!stacks->stored)
		return 0;
	inner_ns = calloc(stacks->count, sizeof(*inner_ns));
	if (!inner_ns)
		return -ENOMEM;
	/* A node comes after its parent, so a node's callees are known. */
	for (uint32_t i = stacks->count; i-- > 1;) {
		struct stack_stored stored = stacks_stored(stacks, i);

		if (stored.cpu_ns > inner_ns[i]) {
			stacks->nodes[i].self_ns += stored.cpu_ns - inner_ns[i];
			inner_ns[i] = stored.cpu_ns;
		}
		inner_ns[stacks->nodes[i].parent] += inner_ns[i];
	}
	free(inner_ns);
	free(stacks->stored);
	stacks->stored = NULL;
	stacks->stored_capacity = 0;
	return 0;
}
