/* SPDX-License-Identifier: MIT */
/* stacks_cpu_time.c - adds to call paths the processor times that are stored with calls. */
#include "walk/stacks_cpu_time.h"

#include <errno.h>
#include <stdlib.h>

#include "reader/events/call_values.h"

int stacks_cpu_time_enter(struct stacks *stacks, size_t depth)
{
	if (depth + 2 > stacks->inner_cpu_capacity) {
		size_t capacity = 2 * (depth + 2);
		uint64_t *inner = reallocarray(stacks->inner_cpu_ns, capacity, sizeof(*inner));

		if (!inner)
			return -ENOMEM;
		stacks->inner_cpu_ns = inner;
		stacks->inner_cpu_capacity = capacity;
	}
	if (!depth)
		stacks->inner_cpu_ns[0] = 0;
	stacks->inner_cpu_ns[depth + 1] = 0;
	return 0;
}

static bool time_of(struct stacks *stacks, const struct call *call, uint64_t duration_ns, uint64_t *cpu_ns)
{
	uint64_t begin_ns, end_ns;

	if (!call_values_cpu_time(call->arguments, &begin_ns))
		return false;
	if (!call_values_cpu_time(call->result, &end_ns) || end_ns < begin_ns) {
		stacks->cpu_times_missing++;
		return false;
	}
	/* The clock is read just outside the call. */
	*cpu_ns = end_ns - begin_ns < duration_ns ? end_ns - begin_ns : duration_ns;
	return true;
}

void stacks_cpu_time_leave(struct stacks *stacks, const struct call *call, size_t depth, uint64_t duration_ns)
{
	uint64_t inner_ns = stacks->inner_cpu_ns[depth + 1], cpu_ns;

	if (time_of(stacks, call, duration_ns, &cpu_ns)) {
		stacks->threads_unknown -= stacks->thread_is_unknown;
		stacks->thread_is_unknown = false;
		if (cpu_ns > inner_ns) {
			stacks->nodes[stacks->path[depth + 1]].self_ns += cpu_ns - inner_ns;
			inner_ns = cpu_ns;
		}
	}
	stacks->inner_cpu_ns[depth] += inner_ns;
}
