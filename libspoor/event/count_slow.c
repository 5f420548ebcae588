/* SPDX-License-Identifier: MIT */
/*
 * count_slow.c - counts the calls of threads without a lane: before their first counted call, and if
 * there are more threads than lanes. Runs under the same restrictions as slow_path.c.
 */
#include "event/event_path.h"

#include <sys/syscall.h>

#include "base/system.h"

struct spoor_count_header *spoor_counts;

static void count_shared(struct spoor_count_header *counts, uint32_t index)
{
	uint64_t *counter = (uint64_t *)((char *)counts + spoor_count_offset(0, index));

	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

void spoor_count_slow(struct spoor_thread *thread, uint32_t code)
{
	struct spoor_count_header *shared;
	uint32_t index = code & SPOOR_INDEX_MAX;

	/* trampolines/README.md, 7: the counters must be as new as the slot. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	for (int attempts = 0; attempts < 2; attempts++) {
		uint64_t lane = __atomic_load_n(&thread->counts, __ATOMIC_RELAXED);

		if (lane) {
			/* Atomic for signal handlers, like the trampoline's addition. */
			spoor_cursor_add((uint64_t *)(lane + (uint64_t)code * 8), 1);
			return;
		}
		if (thread->process_id && thread->shares_counts) {
			count_shared(spoor_counts, index);
			return;
		}
		if (spoor_attach_on_libc_stack() != 0)
			break;
		thread = spoor_thread;
	}
	/* The thread cannot attach: it may be inside a call of the runtime, or there is no memory. In a forked
	 * child the counters may still be the parent's. */
	shared = __atomic_load_n(&spoor_counts, __ATOMIC_ACQUIRE);
	if (shared && shared->process_id == (uint32_t)spoor_system(SYS_getpid, 0, 0, 0, 0, 0, 0))
		count_shared(shared, index);
	else if (shared)
		__atomic_fetch_add(&shared->lost, 1, __ATOMIC_RELAXED);
}
