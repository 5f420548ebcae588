/* SPDX-License-Identifier: MIT */
/*
 * thread_sched.h - tells how much of a time a thread ran, waited, or was preempted, and how many page
 * faults it took.
 *
 * A thread waits from the moment when it leaves the processor by itself, to sleep or for a lock, until
 * it has a processor again: the time in which it could run and no processor was free is included. It is preempted if
 * it left the processor while it could have run on.
 *
 * Invariants
 *   I1  Gaps do not overlap, and are sorted by time. A gap without an end reaches to UINT64_MAX.
 */
#ifndef SPOOR_READER_THREAD_SCHED_H
#define SPOOR_READER_THREAD_SCHED_H

#include "reader/sched/sched_file.h"

struct process;

/* What a thread did in some time. */
struct sched_spent {
	uint64_t wall_ns;
	uint64_t wait_ns, preempted_ns;
	uint64_t faults;
};

static inline uint64_t sched_cpu_ns(const struct sched_spent *spent)
{
	uint64_t off_ns = spent->wait_ns + spent->preempted_ns;

	return spent->wall_ns > off_ns ? spent->wall_ns - off_ns : 0;
}

/* A time in which the thread had no processor. */
struct sched_gap {
	uint64_t begin_ns, end_ns;
	uint64_t wait_ns, preempted_ns;	/* the sums of all gaps before this one */
	bool is_preempted;
	char state;			/* in which the thread waits, as in ps(1); 0: unknown */
	uint32_t waker;			/* the thread that ended it, as the reader numbers threads; 0: unknown */
	uint64_t waking_ns;		/* when this thread woke it */
	uint32_t wait;			/* position + 1 in `waits`; 0: it is not known what the thread waited for */
};

struct thread_sched {
	bool is_known;			/* the file has changes of the thread */
	bool has_faults;		/* page faults were recorded */
	struct sched_gap *gaps;
	size_t gap_count;
	struct sched_wait *waits;
	size_t wait_count;
	uint64_t *faults;		/* when they happened, sorted */
	size_t fault_count;
	/* For sched_spend. */
	size_t gap_at, fault_at;	/* gaps and faults that began up to mark_ns */
	uint64_t mark_ns;
	uint64_t next_ns;		/* nothing but running from mark_ns up to this time */
	struct sched_spent sums;	/* up to mark_ns; its wall_ns is unused */
};

/*
 * thread_sched_load - reads the changes of a thread.
 * @sched:     freed before; zeroed by the caller the first time
 * @process:   gives the file and the offsets of times and IDs
 * @thread_id: as the reader numbers threads (thread_slices)
 *
 * Returns 0, also for an unknown thread; or a negative errno.
 */
int thread_sched_load(struct thread_sched *sched, const struct process *process, uint32_t thread_id);
void thread_sched_free(struct thread_sched *sched);

#define SCHED_WAIT_TEXT_MAX 512u

/*
 * thread_sched_wait_text - says what the thread waited for in a gap, and in which state, as far as this is
 * known: "read 3 pipe:[711] (S)", "read 3 pipe:[711]" or "state S".
 * @with_numbers: also the descriptor or the futex, which differ from run to run
 *
 * Returns false if both are unknown.
 */
bool thread_sched_wait_text(const struct thread_sched *sched, const struct sched_gap *gap, bool with_numbers,
			    char text[SCHED_WAIT_TEXT_MAX]);

/* Computes the sums from the beginning of the recording up to @time_ns; wall_ns is not set. */
void thread_sched_until(const struct thread_sched *sched, uint64_t time_ns, struct sched_spent *sums);

/* Computes what the thread did between two times. */
void thread_sched_between(const struct thread_sched *sched, uint64_t begin_ns, uint64_t end_ns, struct sched_spent *spent);

/* In thread_sched_spend: moves the mark over gaps or faults. */
void thread_sched_advance(struct thread_sched *sched, uint64_t time_ns, struct sched_spent *spent);

/*
 * thread_sched_spend - computes what the thread did since the time of the previous call, for callers that
 * go through a thread's events by time. About 5 instructions if the thread ran.
 */
static inline void thread_sched_spend(struct thread_sched *sched, uint64_t time_ns, struct sched_spent *spent)
{
	if (__builtin_expect(time_ns < sched->next_ns, 1)) {
		*spent = (struct sched_spent){ .wall_ns = time_ns > sched->mark_ns ? time_ns - sched->mark_ns : 0 };
		if (time_ns > sched->mark_ns)
			sched->mark_ns = time_ns;
		return;
	}
	thread_sched_advance(sched, time_ns, spent);
}

/*
 * thread_sched_since - the same as thread_sched_between, after thread_sched_spend(@end_ns). Most calls are
 * too short to contain a gap or a fault, and need no search.
 */
static inline void thread_sched_since(const struct thread_sched *sched, uint64_t begin_ns, uint64_t end_ns,
				      struct sched_spent *spent)
{
	if (sched->mark_ns == end_ns && (!sched->gap_at || sched->gaps[sched->gap_at - 1].end_ns <= begin_ns) &&
	    (!sched->fault_at || sched->faults[sched->fault_at - 1] <= begin_ns)) {
		*spent = (struct sched_spent){ .wall_ns = end_ns > begin_ns ? end_ns - begin_ns : 0 };
		return;
	}
	thread_sched_between(sched, begin_ns, end_ns, spent);
}

#endif
