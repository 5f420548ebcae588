/* SPDX-License-Identifier: MIT */
/*
 * follow.h - reads the events of one process while it is being recorded.
 *
 * Reads the process's files as they grow, and reads the rest from its pool. The process and its
 * recorder do not notice: the follower sends no requests and causes no flush.
 *
 * A look takes all events that were written before the look began. Up to that time the events of all threads
 * can be reported in order of time. Threads, and slices that are not reported yet, need memory.
 *
 * Invariants
 *   I1  Each event is reported once, and the events of a thread in order, even if the follower sees
 *       its slice several times in the pool and in the file.
 *   I2  The follower waits for a missing slice as long as the slice may be on its way to the file.
 */
#ifndef SPOOR_TOOLS_FOLLOW_H
#define SPOOR_TOOLS_FOLLOW_H

#include "walk/call_filter.h"
#include "attach/find_pool.h"
#include "reader/symbols/functions.h"
#include "reader/symbols/symbol_cache.h"
#include "reader/events/thread_events.h"

/* Longer than a drainer waits for a slice with an unwritten slot. */
#define FOLLOW_PATIENCE_NS 2000000000u

/* A slice that is to be reported. */
struct follow_place {
	uint64_t sequence;
	uint64_t place;		/* in the events file, or THREAD_PLACE_POOL and its number */
};

struct follow_places {
	struct follow_place *list;	/* sorted by sequence */
	size_t first, count, capacity;
};

struct follow_thread {
	struct follow *follow;
	struct thread_slices *slices;	/* owned by the process; contains its names */
	struct slice_feed feed;
	struct thread_events events;
	struct follow_places file, pool;
	bool begun;
	uint64_t sequence;		/* of the current slice */
	uint32_t told;			/* ... the number of its words that were reported */
	uint64_t last_word;		/* ... the last one of them */
	int64_t missing_since_ns;	/* 0: the follower is not waiting for a slice */
	struct thread_roots *last_roots;
	struct event next;		/* read, but not reported yet */
	bool has_next;
	struct call_tree tree;		/* set up by the user of the follower */
	struct call_filter filter;	/* ... like the filter for its calls */
	const struct call_sink *entrance;
	void *own;			/* owned by the user of the follower */
};

struct follow {
	struct process process;		/* as far as its records were read */
	struct functions functions;
	struct call_choice libraries;
	struct block_file records;	/* of the process file */
	bool has_events;		/* process.events is open */
	int folder;
	struct live_pool pool;		/* its pool is null if all remaining data is in the file */
	struct symbol_cache *symbols;
	struct follow_thread **threads;
	size_t thread_count, thread_capacity;
	struct map64 thread_at;		/* position + 1, by serial */
	size_t roots_given;
	size_t modules_met, names_met, threads_met;
	uint64_t until_ns;		/* later events wait for the next look */
	uint64_t complete_ns;		/* no event before this time will come */
	int64_t look_ns;		/* CLOCK_MONOTONIC of the last look */
	bool last;			/* no more data will come, so the follower waits for no slice */
	bool in_order;
};

/*
 * follow_begin - follows a process whose folder is @name in @directory.
 * @path:       of that folder, for messages
 * @pool:       its pool, which the follower owns if 0 is returned; or null
 * @most_bytes: if the events file is larger, follows only new events
 *
 * Returns 0, or a negative errno.
 */
int follow_begin(struct follow *follow, int directory, const char *name, const char *path,
		 const struct live_pool *pool, uint64_t most_bytes, struct symbol_cache *symbols);
void follow_end(struct follow *follow);

/* Passes the process's pool, which the follower then owns. */
void follow_take_pool(struct follow *follow, const struct live_pool *pool);

/* Called when the pool was drained and is gone: all remaining data is in the file. */
void follow_leave_pool(struct follow *follow);

/*
 * follow_look - takes new data. @last: no more will come.
 *
 * Returns 0 or a negative errno.
 */
int follow_look(struct follow *follow, bool last);

/*
 * follow_peek - gives the next event of a thread before follow->until_ns, which stays the next one
 * until follow_take.
 *
 * Returns 1, 0 if there is none for now, or a negative errno.
 */
int follow_peek(struct follow_thread *thread, const struct event **event);

static inline void follow_take(struct follow_thread *thread)
{
	thread->has_next = false;
}

/* Takes the new records only. Returns 0 or a negative errno. */
int follow_records(struct follow *follow);

/* Functions that follow.c and follow_thread.c share. */

/* Finds or adds the thread with this serial. Returns 0 or -ENOMEM. */
int follow_thread(struct follow *follow, const struct spoor_slice_info *info, struct follow_thread **thread);
int follow_places_add(struct follow_places *places, uint64_t sequence, uint64_t place);
void follow_thread_free(struct follow_thread *thread);

#endif
