/* SPDX-License-Identifier: MIT */
/*
 * drain.h - full slices of a pool become blocks of events.spoor.
 *
 * Used by the service thread inside the process, and by a recorder outside.
 * One drainer a pool.
 *
 * A slice is written before it is freed, so a drainer that is killed loses
 * nothing. One with an empty slot is left for a while: somebody interrupted
 * between reserving it and storing may still come back. If nobody does, the
 * slice is written without it and never used again.
 *
 * Slices in use are their threads': the drainer copies what stands in front of the
 * first empty slot, which nobody touches any more, or puts no-ops in its place.
 */
#ifndef SPOOR_DRAIN_H
#define SPOOR_DRAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "format/packing.h"
#include "format/pool_format.h"
#include "drain/trigger_watch.h"

/* How much may be written, by several drainers together. */
struct spoor_drain_limit {
	uint64_t bytes;			/* 0: as much as there is room for */
	uint64_t used;
	bool reached;			/* something was not written */
};

struct spoor_drain {
	struct spoor_pool *pool;
	struct spoor_drain_limit *limit;	/* to be set; null: there is none */
	int fd;
	/* To be set, or null: sees to it that `fd` is the file's, when something is about to be written. */
	void (*before_write)(struct spoor_drain *drain);
	uint32_t slice_count;		/* checked once: the pool may be a stranger's */
	uint64_t file_bytes;		/* whole blocks so far */
	uint64_t events;		/* written so far */
	bool unpacked;
	bool counter_is_clock;
	int64_t steady_ahead_ns;	/* to be set: the process's CLOCK_MONOTONIC before the drainer's (time_namespaces(7)) */
	uint32_t flush_attempts, failures;	/* as allowed; of the batch at hand, in a row */
	int error;			/* the first one of writing; 0: none */
	uint32_t postponed;		/* slices with an empty slot */
	bool stuck;			/* the last write failed; what it had is full again */
	bool final;
	bool present;			/* to be set: threads are, at the final run, where they were last seen */
	bool all;			/* to be set: what a ring keeps as well */
	uint8_t *buffer;
	uint64_t *words;
	uint32_t *slices;		/* taken, the earliest first */
	uint32_t *batch;		/* slices in the buffer */
	uint32_t batch_count;
	uint64_t batch_events;
	size_t buffer_used;
	struct spoor_packing *packing;	/* room: threads that end a process may have little */
	bool woken;			/* by spoor_drain_wake, since the last wait */
	bool restless;			/* to be set: waits for a while at most */
	/* To be set, or null: of a thread, the word that the kernel clears when it ends and its
	 * ID in there until then; that ends a wait, too. */
	const uint32_t *leader;
	uint32_t leader_id;
	uint8_t *ages;			/* by slice: how often it was postponed */
	uint16_t *written;		/* by slice: words in the file while it was still in use */
	uint32_t *written_since;	/* the info's counter then */
	uint32_t answered;		/* as pool->asked was */
	uint32_t posted;		/* as pool->posted was */
	uint32_t mail;			/* as the mailbox's `asked` was; for whoever serves it */
	struct spoor_watch *watch;	/* null: nothing is watched */
	uint64_t keep_from;		/* counter: from then on a ring's slices are to be written, */
	int64_t keep_until_ns;		/* and until then; 0: no call has been too long of late */
	/* To be set, or null: told of each slice that is about to be drained. */
	void (*draining)(void *context, uint32_t slice);
	void *draining_context;
	uint32_t wish;			/* to be set: enum spoor_pool_wish, for the next run */
};

/*
 * spoor_drain_begin - prepares to drain @pool into the empty file @fd.
 *
 * Return: 0, -ENOMEM, or the negative errno of the first write.
 */
int spoor_drain_begin(struct spoor_drain *drain, struct spoor_pool *pool, int fd);

/*
 * spoor_drain_run - writes all slices that are full now, and grants what is asked
 * for (pool->wanted, pool->posted, drain->wish).
 * @final: nobody logs any more: also those in use, and those with empty slots
 *
 * Return: the number of slices written. What a full disk keeps from being
 * written stays in the pool, where threads go on as long as it has room; at the
 * end it is counted in pool->lost. drain->error says why.
 */
uint32_t spoor_drain_run(struct spoor_drain *drain, bool final);

/* 0, or the negative errno for which what was wanted is not all in the file. */
int spoor_drain_result(const struct spoor_drain *drain);

/* Puts what the clocks say now into the pool, for who reads that of a process that was killed. */
void spoor_drain_look_at_clocks(struct spoor_drain *drain, struct spoor_clocks *clocks);

/*
 * spoor_drain_wait - sleeps until there are enough full slices, something is asked for, or somebody
 * calls spoor_drain_wake: from now on, or since the last wait.
 *
 * Return: true; false where nothing is to be done but to look at the clocks.
 */
bool spoor_drain_wait(struct spoor_drain *drain);
void spoor_drain_wake(struct spoor_drain *drain);

/* Puts a record of the drainer's own into the file, with the next run. Between runs, in their thread. */
void spoor_drain_note(struct spoor_drain *drain, enum spoor_block_kind kind, uint32_t thread_id, const void *record,
		      size_t bytes);

/* Writes the losses so far into the file's first block. */
void spoor_drain_losses(struct spoor_drain *drain);

/* Frees what begin allocated; neither the pool nor the descriptor. */
void spoor_drain_end(struct spoor_drain *drain);

#endif
