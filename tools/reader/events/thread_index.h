/* SPDX-License-Identifier: MIT */
/*
 * thread_index.h - where the slices of each thread of one process lie.
 *
 * A place is an offset in the events file, or a slice of the pool
 * (THREAD_PLACE_POOL set). Places are kept as differences, about three bytes
 * each: a trace of 100 million calls has fifty thousand.
 *
 * Invariants
 *   I1  after thread_index_finish a thread's places are in the order of their
 *       sequence numbers, each number once (the first one added).
 */
#ifndef SPOOR_READER_THREAD_INDEX_H
#define SPOOR_READER_THREAD_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/trace_format.h"

#define THREAD_PLACE_POOL (1ull << 60)	/* above any offset */
#define THREAD_WINDOW 32u	/* so many slices may be out of order for free */

struct thread_roots;

struct thread_place {
	uint64_t sequence;
	uint64_t place;
};

/* Encoded places; chunks do not move, so nothing is copied as a trace goes on. */
struct place_chunk {
	struct place_chunk *next;
	uint32_t used;
	uint8_t bytes[1012];
};

struct thread_slices {
	uint32_t serial;
	uint32_t thread_id;		/* the kernel's */
	const char *name;		/* the process's, that it had last; null: not known */
	const struct thread_roots *roots;	/* the process's, in the order of time */
	uint64_t first_counter;		/* of its first slice in the trace, or its roots */
	uint64_t last_counter;		/* of its last slice */
	uint64_t words, slices, holes;
	uint64_t file_words;		/* of words, those in the events file */
	uint64_t lost;			/* as its last slice says, or its end */
	uint64_t gaps;			/* slices that are missing in between */

	/* The last beginning of a slice that was in use; nothing where all of it came. */
	bool has_partial;
	struct thread_place partial;
	uint64_t partial_words;

	/* Places that are not encoded yet, the earliest first. */
	struct thread_place window[THREAD_WINDOW];
	uint32_t window_count;
	bool unordered;
	uint64_t next_sequence;

	struct place_chunk *first_chunk, *last_chunk;
	struct thread_place last;

	/* When the thread was still there, and the slice that it was in then; 0: not known. */
	uint64_t seen_counter, seen_sequence;
};

struct thread_index {
	struct thread_slices **threads;	/* in the order of their serials when finished */
	size_t count, capacity;
	uint32_t *buckets;		/* serial to position + 1 */
	size_t bucket_count;
	struct thread_slices *latest;
};

/*
 * thread_index_add - notes one slice.
 * @words: how many event words it holds; counted for the events file only, for
 *         a slice of the pool may turn out to have been drained before
 *
 * Return: 0 or -ENOMEM.
 */
int thread_index_add(struct thread_index *index, const struct spoor_slice_info *info, uint64_t words,
		     uint64_t place);

/* thread_index_add_partial - notes the beginning of a slice, for as long as nothing
 * else of it comes. Return: 0 or -ENOMEM. */
int thread_index_add_partial(struct thread_index *index, const struct spoor_slice_info *info, uint64_t words,
			     uint64_t place);

/* thread_index_add_lost - what a thread lost in all, which may have no slice; @counter: when
 * that was noted. Return: 0 or -ENOMEM. */
int thread_index_add_lost(struct thread_index *index, uint32_t serial, uint32_t thread_id, uint64_t counter,
			  uint64_t events);

/* thread_index_seen - the thread was still in this slice, which has been noted, at @counter. */
void thread_index_seen(struct thread_index *index, const struct spoor_slice_info *info, uint64_t counter);

/* thread_index_thread - the thread with this serial, which need not have any slice.
 * Return: 0 or -ENOMEM. */
int thread_index_thread(struct thread_index *index, uint32_t serial, uint32_t thread_id, uint64_t counter,
			struct thread_slices **thread);

/* thread_index_finish - after the last slice. Return: 0 or -ENOMEM. */
int thread_index_finish(struct thread_index *index);
void thread_index_free(struct thread_index *index);

/* Walks one thread's places. */
struct thread_walk {
	const struct place_chunk *chunk;
	uint32_t position;
	bool begun;
	struct thread_place last;
};

static inline void thread_walk_begin(struct thread_walk *walk, const struct thread_slices *thread)
{
	*walk = (struct thread_walk){ .chunk = thread->first_chunk };
}

/* Return: whether there is one more. */
bool thread_walk_next(struct thread_walk *walk, struct thread_place *place);

#endif
