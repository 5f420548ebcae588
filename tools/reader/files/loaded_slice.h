/* SPDX-License-Identifier: MIT */
/*
 * loaded_slice.h - reads, unpacks and dates a slice in another thread than the one that takes its
 * events.
 *
 * Only slices in the events file. The taking thread loads slices of the pool and of version 0 itself.
 */
#ifndef SPOOR_READER_LOADED_SLICE_H
#define SPOOR_READER_LOADED_SLICE_H

#include "reader/events/thread_events.h"

/* The value of `count` for a slice that the taking thread has to load itself. */
#define SLICE_LEFT INT32_MIN

/* Zeroed by the caller. Keeps its memory for the next slice. */
struct loaded_slice {
	struct thread_place place;
	struct spoor_slice_info info;
	long count;			/* words, or an error of thread_events_load, or SLICE_LEFT */
	uint64_t *words;
	size_t capacity;

	/* Of the first `dated_count` words, counted from the slice's own counter. */
	uint32_t *dates;		/* nanoseconds since dated_ns */
	size_t dates_capacity, dated_count;
	uint64_t dated_ns;
	uint64_t last_counter;		/* of the last dated word, or of the slice */
};

/* @loader: its buffer for words is used and taken. @clock: used by the calling thread only. */
void loaded_slice_read(struct loaded_slice *slice, struct thread_events *loader, struct clock *clock,
		       const struct thread_place *place);

/* Gives the words to @events. The dates stay valid until the slice is read into again or freed. */
void loaded_slice_give(struct loaded_slice *slice, struct thread_events *events);
void loaded_slice_free(struct loaded_slice *slice);

#endif
