/* SPDX-License-Identifier: MIT */
/*
 * loaded_slice.h - a slice of a traced thread that is read, unpacked and dated away from who takes its events.
 *
 * Only where it is in the events file: what is in the pool, or of version 0, is left to who takes it.
 */
#ifndef SPOOR_READER_LOADED_SLICE_H
#define SPOOR_READER_LOADED_SLICE_H

#include "reader/events/thread_events.h"

/* What `count` says of slices that are left. */
#define SLICE_LEFT INT32_MIN

/* Zeroed by the caller; it keeps its memory for the next slice. */
struct loaded_slice {
	struct thread_place place;
	struct spoor_slice_info info;
	long count;			/* words, or as thread_events_load, or SLICE_LEFT */
	uint64_t *words;
	size_t capacity;

	/* Of the first `dated_count` words, as if the thread had come to the slice's counter before. */
	uint32_t *dates;		/* since dated_ns */
	size_t dates_capacity, dated_count;
	uint64_t dated_ns;
	uint64_t last_counter;		/* of the last of them, or the slice's */
};

/* @loader: whose room for words is used, and taken; @clock: the caller's own. */
void loaded_slice_read(struct loaded_slice *slice, struct thread_events *loader, struct clock *clock,
		       const struct thread_place *place);

/* Its words are those of @events from now on, and its dates until it is read into or freed. */
void loaded_slice_give(struct loaded_slice *slice, struct thread_events *events);
void loaded_slice_free(struct loaded_slice *slice);

#endif
