/* SPDX-License-Identifier: MIT */
/*
 * drain.h - a drainer writes the full slices of a pool to an events file, as blocks.
 *
 * The service thread of a traced process has one, or the recorder has one for each
 * process. A pool has one drainer at a time.
 *
 * The drainer writes a slice before it frees it, so a drainer that is killed loses
 * nothing. It postpones a slice with an empty slot: a thread that was interrupted
 * between reserving the slot and storing into it may still come back. If the slot stays
 * empty, the drainer writes the slice without it and never frees the slice.
 *
 * Slices in use belong to their threads: the drainer copies the words before the first
 * empty slot, which no thread changes again, or replaces them by no-ops.
 *
 * Invariants
 *   I1  pool->wake is the one word by which a drainer is called, and its only futex. The
 *       drainer stores 1 before it looks for work, then does the work, and sleeps while
 *       the word is still 1. A caller publishes its request first, then calls
 *       (format/drainer_call.h). So a call is never lost between a look and a sleep.
 *   I2  A foreign process may write to its pool at any time, and so may undo a call.
 *       Code that must be heard calls until the drainer's thread has acted.
 *
 * Who may run at the same time on one drainer ("-" yes, "X" no)
 *                     [1] [2] [3]
 *   [1] run, note, ... X   -   -
 *   [2] wait           -   X   -
 *   [3] wake           -   -   -
 */
#ifndef SPOOR_DRAIN_H
#define SPOOR_DRAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "format/function_set.h"
#include "format/pool_format.h"

struct spoor_drain;

/* How many bytes several drainers may write together. The first block of a file, the counts of losses, counts too, but
 * a drainer writes it in any case, because a reader must know how many events are missing. So a drainer that begins at
 * the limit exceeds it by this block. */
struct spoor_drain_limit {
	uint64_t bytes;			/* 0: no limit */
	uint64_t used;
	bool reached;			/* a batch was not written because of the limit */
};

struct spoor_drain_options {
	struct spoor_pool *pool;
	int fd;				/* the events file, empty; stays the caller's */
	struct spoor_drain_limit *limit;	/* null: no limit; outlives the drainer */
	int64_t steady_ahead_ns;	/* the process's CLOCK_MONOTONIC minus the drainer's (time_namespaces(7)) */
	/* Null, or the main thread's word that the kernel clears when that thread ends, and the
	 * ID in the word until then: its end also ends a wait. */
	const uint32_t *leader;
	uint32_t leader_id;
	/* Null, or returns the file's descriptor, or a negative errno, before each write: the
	 * traced program may have closed the last one. */
	int (*file)(void *context);
	/* Null, or called with each slice before it is written. */
	void (*draining)(void *context, uint32_t slice);
	void *context;
	struct spoor_function_set *seen;	/* null, or receives the functions of all events */
};

/*
 * spoor_drain_begin - prepares to drain a pool.
 *
 * Return: 0, -ENOMEM, or the negative errno of the first write.
 */
int spoor_drain_begin(struct spoor_drain **drain, const struct spoor_drain_options *options);

/* Frees the drainer (null is allowed), but neither the pool nor the descriptor. */
void spoor_drain_end(struct spoor_drain *drain);

/* What a run does besides writing the slices that are full. Flags. */
enum spoor_drain_extent {
	SPOOR_DRAIN_FLUSH = SPOOR_WISH_FLUSH,	/* writes the slices in use as far as they are filled */
	SPOOR_DRAIN_CLEAR = SPOOR_WISH_CLEAR,	/* drops all events that are not in the file */
	SPOOR_DRAIN_RING = 4,		/* writes the full slices that a ring keeps */
	SPOOR_DRAIN_FINAL = 8,		/* no thread logs: writes the slices in use and those with empty slots */
	SPOOR_DRAIN_PRESENT = 16,	/* with FINAL: the threads are still in the calls that are open */
};

/*
 * spoor_drain_run - writes all slices that are full now, and grants the requests in the
 * pool (pool->wanted, pool->posted).
 * @extent: enum spoor_drain_extent
 *
 * Slices that a full disk rejects stay in the pool, where threads go on while it has
 * room; a final run counts them in pool->lost.
 *
 * Return: the number of slices written.
 */
uint32_t spoor_drain_run(struct spoor_drain *drain, uint32_t extent);

/* Returns 0, or the negative errno that kept the last run from writing all it should. */
int spoor_drain_result(const struct spoor_drain *drain);

/*
 * spoor_drain_wait - sleeps until a thread calls the drainer, or has called since the last
 * wait returned, or until postponed or watched slices are due.
 * @restless: sleeps for a short while at most
 *
 * Return: true: the caller does a run, then looks for its own work; false: the caller
 * only has to look at the clocks.
 */
bool spoor_drain_wait(struct spoor_drain *drain, bool restless);

/* Tells if free slices have memory that a later run may give back. */
bool spoor_drain_has_spare(const struct spoor_drain *drain);

/* Calls the drainer: its wait returns true. Any thread. */
void spoor_drain_wake(struct spoor_drain *drain);

/* Reads the clocks as the traced process would. */
void spoor_drain_read_clocks(const struct spoor_drain *drain, struct spoor_clocks *clocks);

/* The same, and stores them in the pool for readers of a killed process's pool. */
void spoor_drain_look_at_clocks(struct spoor_drain *drain, struct spoor_clocks *clocks);

/* Adds a record of the drainer's own to the file; the next run, or spoor_drain_write_notes, writes it. */
void spoor_drain_note(struct spoor_drain *drain, enum spoor_block_kind kind, uint32_t thread_id, const void *record,
		      size_t bytes);
void spoor_drain_write_notes(struct spoor_drain *drain);

/* Writes the losses so far into the file's first block. */
void spoor_drain_losses(struct spoor_drain *drain);

/* The pool, and its number of slices as it was when it was checked: a foreign process may change its own. */
struct spoor_pool *spoor_drain_pool(const struct spoor_drain *drain);
uint32_t spoor_drain_slice_count(const struct spoor_drain *drain);

/* What a drainer has done so far. */
struct spoor_drain_totals {
	uint64_t events, file_bytes;	/* in the file; bytes of whole blocks */
	uint32_t postponed;		/* slices with an empty slot, in the last run */
	int error;			/* errno of the first write that failed; 0: none has */
};

struct spoor_drain_totals spoor_drain_totals(const struct spoor_drain *drain);

#endif
