/* SPDX-License-Identifier: MIT */
/*
 * slices_ahead.h - a thread that reads, unpacks and dates a traced thread's slices before their events
 * are read.
 *
 * Meanwhile no other thread may read the events file. The number of slices ahead is limited.
 */
#ifndef SPOOR_READER_SLICES_AHEAD_H
#define SPOOR_READER_SLICES_AHEAD_H

#include "reader/files/loaded_slice.h"

/* Returns null if no thread or memory is available; then the slices are loaded when they are needed. */
struct slices_ahead *slices_ahead_begin(const struct thread_events *events);

/*
 * slices_ahead_take - gives the next slice. Its words are @events->words; the first
 * @events->dated_count of them have dates, until the next call.
 * @count: the same as in a loaded_slice
 *
 * Returns whether there is one more slice.
 */
bool slices_ahead_take(struct slices_ahead *ahead, struct thread_events *events, struct thread_place *place,
		       struct spoor_slice_info *info, long *count);

/* Accepts null. */
void slices_ahead_end(struct slices_ahead *ahead);

#endif
