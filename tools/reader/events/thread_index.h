/* SPDX-License-Identifier: MIT */
/*
 * thread_index.h - stores the places of the slices of each thread of one process.
 *
 * A place is an offset in the events file, or the number of a slice of the pool (with
 * THREAD_PLACE_POOL set). Places are stored as differences, in about three bytes each: a trace of 100
 * million calls has fifty thousand places.
 *
 * Invariants
 *   I1  After thread_index_finish a thread's places are sorted by sequence number, and each number is
 *       there once (the first one added).
 */
#ifndef SPOOR_READER_THREAD_INDEX_H
#define SPOOR_READER_THREAD_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/trace_format.h"

#define THREAD_PLACE_POOL (1ull << 60)	/* greater than any offset */
#define THREAD_WINDOW 32u	/* this many slices may be out of order without cost */

struct thread_roots;

struct thread_place {
	uint64_t sequence;
	uint64_t place;
};

/* Encoded places. Chunks do not move, so a growing trace causes no copies. */
struct place_chunk {
	struct place_chunk *next;
	uint32_t used;
	uint8_t bytes[1012];
};

struct thread_slices {
	uint32_t serial;
	uint32_t thread_id;		/* the kernel's */
	const char *name;		/* the thread's last name, owned by the process; null: unknown */
	const struct thread_roots *roots;	/* owned by the process, by time */
	uint64_t first_counter;		/* of its first slice in the trace, or of its roots */
	uint64_t last_counter;		/* of its last slice */
	uint64_t words, slices, holes;
	uint64_t file_words;		/* all words; those in the events file */
	uint64_t events, file_events;	/* all events; those in the events file. Words, where their number is unknown */
	uint64_t lost;			/* lost events, according to its last slice or its end */
	uint64_t gaps;			/* number of missing slices between existing slices */

	/* The latest part of a slice in use; unused if the whole slice came. */
	bool has_partial;
	struct thread_place partial;
	uint64_t partial_words, partial_events;

	/* Places that are not encoded yet, earliest first. */
	struct thread_place window[THREAD_WINDOW];
	uint32_t window_count;
	bool unordered;
	uint64_t next_sequence;

	struct place_chunk *first_chunk, *last_chunk;
	struct thread_place last;

	/* When the thread was last known to be there, and its slice then; 0: unknown. */
	uint64_t seen_counter, seen_sequence;
	uint64_t taken_before;		/* its latest slice that was taken from it, + 1; 0: none */
};

struct thread_index {
	struct thread_slices **threads;	/* sorted by serial after thread_index_finish */
	size_t count, capacity;
	uint32_t *buckets;		/* position + 1, by serial */
	size_t bucket_count;
	struct thread_slices *latest;
};

/*
 * thread_index_add - notes one slice.
 * @words: number of event words in the slice. Only those in the events file are counted, because a
 *         slice of the pool may turn out to be drained already.
 *
 * Returns 0 or -ENOMEM.
 */
int thread_index_add(struct thread_index *index, const struct spoor_slice_info *info, uint64_t words,
		     uint64_t place);

/* thread_index_add_partial - notes the beginning of a slice, used if no more of the slice comes. Returns 0 or
 * -ENOMEM. */
int thread_index_add_partial(struct thread_index *index, const struct spoor_slice_info *info, uint64_t words,
			     uint64_t place);

/* thread_index_add_lost - notes all losses of a thread, which may have no slice. @counter: time of the record.
 * Returns 0 or -ENOMEM. */
int thread_index_add_lost(struct thread_index *index, uint32_t serial, uint32_t thread_id, uint64_t counter,
			  uint64_t events);

/* thread_index_seen - notes that the thread was still using this slice, which was added before, at @counter. */
void thread_index_seen(struct thread_index *index, const struct spoor_slice_info *info, uint64_t counter);

/* thread_index_thread - finds or adds the thread with this serial, which may have no slice. Returns 0 or -ENOMEM. */
int thread_index_thread(struct thread_index *index, uint32_t serial, uint32_t thread_id, uint64_t counter,
			struct thread_slices **thread);

/* Completes the index after the last slice was added. Returns 0 or -ENOMEM. */
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

/* Returns whether there is one more place. */
bool thread_walk_next(struct thread_walk *walk, struct thread_place *place);

#endif
