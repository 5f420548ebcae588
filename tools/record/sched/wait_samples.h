/* SPDX-License-Identifier: MIT */
/*
 * wait_samples.h - finds out what threads wait for that have waited for a millisecond.
 *
 * Reads the system call of a waiting thread from /proc/PID/task/TID/syscall, and what its descriptor
 * is. A sample has the times before and after it was taken, so that a reader knows to which wait it
 * belongs, or that it belongs to none.
 *
 * A process of another user, or one that is no descendant where the system permits only those
 * (kernel.yama.ptrace_scope), cannot be sampled.
 */
#ifndef SPOOR_TOOLS_RECORD_WAIT_SAMPLES_H
#define SPOOR_TOOLS_RECORD_WAIT_SAMPLES_H

#include "reader/files/map64.h"
#include "record/sched/sched_writer.h"

#define WAIT_SAMPLES_NS 1000000	/* shorter waits are not sampled */

struct waiting_thread {
	uint32_t process_id, thread_id;
	uint64_t since_ns;		/* when it left the processor */
	bool is_waiting, is_listed;
};

struct wait_samples {
	struct map64 thread_at;		/* position + 1 in `threads`, by the kernel's ID */
	struct waiting_thread *threads;
	size_t count, room;
	uint32_t *pending;		/* positions of threads that may need a sample, in the order of time */
	size_t pending_count, pending_room;
};

/* Takes a change of a thread. Without memory, the thread is not sampled. */
void wait_samples_note(struct wait_samples *samples, const struct perf_change *change);

/*
 * wait_samples_take - samples threads that have waited long enough, and writes the samples.
 *
 * Returns whether threads are left that may need a sample soon.
 */
bool wait_samples_take(struct wait_samples *samples, struct sched_writer *writer);

void wait_samples_end(struct wait_samples *samples);

#endif
