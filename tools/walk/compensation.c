/* SPDX-License-Identifier: MIT */
/* compensation.c - subtracts the cost of spoor's own events from durations. */
#include "walk/compensation.h"

#include <errno.h>
#include <stdlib.h>

uint64_t process_event_ps(const struct process *process)
{
	const char *fact = process_fact(process, "event_cost_ps");
	char *end;
	uint64_t ps;

	if (!fact || *fact < '0' || *fact > '9')
		return 0;
	ps = strtoull(fact, &end, 10);
	return *end || ps > EVENT_PS_MAX ? 0 : ps;
}

int compensation_enter(struct compensation *compensation, size_t depth)
{
	if (depth >= compensation->capacity) {
		size_t capacity = depth < 32 ? 64 : 2 * depth;
		struct compensated_call *open = reallocarray(compensation->open, capacity, sizeof(*open));

		if (!open)
			return -ENOMEM;
		compensation->open = open;
		compensation->capacity = capacity;
	}
	compensation->open[depth] = (struct compensated_call){ 0 };
	return 0;
}

void compensation_leave(struct compensation *compensation, size_t depth, uint64_t *duration_ns, uint64_t *self_ns)
{
	const struct compensated_call *call = &compensation->open[depth];
	unsigned __int128 cost_ns = (unsigned __int128)compensation->event_ps * (call->calls + 1) / 1000;

	*self_ns = *self_ns > cost_ns ? *self_ns - (uint64_t)cost_ns : 0;
	*duration_ns = *self_ns + call->inner_ns;
	if (depth) {
		compensation->open[depth - 1].inner_ns += *duration_ns;
		compensation->open[depth - 1].calls++;
	}
}

void compensation_free(struct compensation *compensation)
{
	free(compensation->open);
	*compensation = (struct compensation){ 0 };
}
