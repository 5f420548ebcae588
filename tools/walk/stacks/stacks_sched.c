/* SPDX-License-Identifier: MIT */
/* stacks_sched.c - adds to call paths how long threads ran and waited in them. */
#include "walk/stacks/stacks_sched.h"

#include <string.h>

/* Gives the waits since the last event, up to gap @end, to nodes below @node that say what they wait for. Returns the
 * rest of @wait_ns. */
static uint64_t spend_known_waits(struct stacks *stacks, uint32_t node, size_t begin, size_t end, uint64_t wait_ns)
{
	for (size_t i = begin; i < end; i++) {
		const struct sched_gap *gap = &stacks->sched.gaps[i];
		uint64_t length_ns = gap->end_ns - gap->begin_ns;
		uint32_t child;
		char text[SCHED_WAIT_TEXT_MAX + 2] = "[";

		/* A wait that an event cuts belongs to the call alone. */
		if (gap->end_ns > stacks->sched.mark_ns || length_ns > wait_ns ||
		    !thread_sched_wait_text(&stacks->sched, gap, false, text + 1))
			continue;
		strcat(text, "]");
		child = stacks_child(stacks, node, text, "");
		stacks->nodes[child].self_ns += length_ns;
		wait_ns -= length_ns;
	}
	return wait_ns;
}

void stacks_sched_spend(struct stacks *stacks, uint64_t time_ns, size_t depth)
{
	size_t begin = stacks->sched.gap_at;
	struct sched_spent spent;

	thread_sched_spend(&stacks->sched, time_ns, &spent);
	if (!depth || !stacks->sched.is_known)
		return;
	if (stacks->wants_spent) {
		stacks->spent[stacks->path[depth]].cpu_ns += sched_cpu_ns(&spent);
		stacks->spent[stacks->path[depth]].wait_ns += spent.wait_ns;
	}
	if (!stacks->time)
		return;
	if (spent.wait_ns && stacks->time == STACKS_WAIT)
		spent.wait_ns = spend_known_waits(stacks, stacks->path[depth], begin, stacks->sched.gap_at, spent.wait_ns);
	stacks->nodes[stacks->path[depth]].self_ns += stacks->time == STACKS_CPU ? sched_cpu_ns(&spent) :
						      stacks->time == STACKS_WAIT ? spent.wait_ns : spent.preempted_ns;
}
