/* SPDX-License-Identifier: MIT */
/*
 * follow.h - the events of one process while they are being recorded.
 *
 * What its files have is read as it comes, and what they have not yet is read in its pool, where
 * nobody notices: nothing is asked of the process or its recorder, and nothing is flushed.
 *
 * A look takes in what has come until the moment at which it began, and up to there the events of
 * all threads can be told by time. Memory is for threads, and for slices that wait to be told.
 *
 * Invariants
 *   I1  each event is told once, those of a thread in their order, however often its slice is
 *       seen in the pool and the file.
 *   I2  a slice that is missing is waited for as long as it may be on its way to the file.
 */
#ifndef SPOOR_TOOLS_FOLLOW_H
#define SPOOR_TOOLS_FOLLOW_H

#include "walk/call_filter.h"
#include "attach/find_pool.h"
#include "reader/symbols/functions.h"
#include "reader/symbols/symbol_cache.h"
#include "reader/events/thread_events.h"

/* As long as a drainer leaves a slice with an empty slot, and some more. */
#define FOLLOW_PATIENCE_NS 2000000000u

/* A slice that is to be told. */
struct follow_place {
	uint64_t sequence;
	uint64_t place;		/* in the events file, or THREAD_PLACE_POOL and its number */
};

struct follow_places {
	struct follow_place *list;	/* in the order of their sequence */
	size_t first, count, capacity;
};

struct follow_thread {
	struct follow *follow;
	struct thread_slices *slices;	/* the process's, with its names */
	struct slice_feed feed;
	struct thread_events events;
	struct follow_places file, pool;
	bool begun;
	uint64_t sequence;		/* of the slice at hand, */
	uint32_t told;			/* ... of whose words so many were told, */
	uint64_t last_word;		/* ... this one last */
	int64_t missing_since_ns;	/* 0: it is not waited for */
	struct thread_roots *last_roots;
	struct event next;		/* taken, and to be told */
	bool has_next;
	struct call_tree tree;		/* whoever follows makes it, */
	struct call_filter filter;	/* ... and of it what it tells */
	const struct call_sink *entrance;
	void *own;			/* and whatever it keeps with it */
};

struct follow {
	struct process process;		/* as far as its records have come */
	struct functions functions;
	struct library_choice libraries;
	struct block_file records;	/* the process's file */
	bool has_events;		/* process.events is open */
	int folder;
	struct live_pool pool;		/* its pool is null where what there is, is in the file */
	struct symbol_cache *symbols;
	struct follow_thread **threads;
	size_t thread_count, thread_capacity;
	struct map64 thread_at;		/* by serial, + 1 */
	size_t roots_given;
	size_t modules_met, names_met, threads_met;
	uint64_t until_ns;		/* what comes later is for the next look */
	uint64_t complete_ns;		/* of before this nothing comes any more */
	int64_t look_ns;		/* CLOCK_MONOTONIC of the last one */
	bool last;			/* nothing comes any more: nothing is waited for */
	bool in_order;
};

/*
 * follow_begin - follows a process whose folder is @name in @directory.
 * @path:       of that, for messages
 * @pool:       its pool, the follower's where 0 is returned; or null
 * @most_bytes: where more were written already, it is followed from now on alone
 *
 * Return: 0, or a negative errno.
 */
int follow_begin(struct follow *follow, int directory, const char *name, const char *path,
		 const struct live_pool *pool, uint64_t most_bytes, struct symbol_cache *symbols);
void follow_end(struct follow *follow);

/* The pool has come since, and is the follower's from now on. */
void follow_take_pool(struct follow *follow, const struct live_pool *pool);

/* The pool is drained, and gone: what there is, is in the file or comes there. */
void follow_leave_pool(struct follow *follow);

/*
 * follow_look - at what has come. @last: no more will.
 *
 * Return: 0 or a negative errno.
 */
int follow_look(struct follow *follow, bool last);

/*
 * follow_peek - the next event of a thread until follow->until_ns, which stays the next one until
 * follow_take.
 *
 * Return: 1, 0 where there is none for now, or a negative errno.
 */
int follow_peek(struct follow_thread *thread, const struct event **event);

static inline void follow_take(struct follow_thread *thread)
{
	thread->has_next = false;
}

/* Takes the records that have come, and nothing else. Return: 0 or a negative errno. */
int follow_records(struct follow *follow);

/* What follow.c and follow_thread.c are to each other. */

/* The thread with this serial. Return: 0 or -ENOMEM. */
int follow_thread(struct follow *follow, const struct spoor_slice_info *info, struct follow_thread **thread);
int follow_places_add(struct follow_places *places, uint64_t sequence, uint64_t place);
void follow_thread_free(struct follow_thread *thread);

#endif
