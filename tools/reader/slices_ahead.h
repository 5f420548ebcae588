/* SPDX-License-Identifier: MIT */
/*
 * slices_ahead.h - a thread that reads, unpacks and dates a traced thread's slices ahead of who takes its events.
 *
 * Only those in the events file: what is in the pool, or of version 0, is left to who takes it.
 * Meanwhile that file is nobody else's. So many slices are ahead at most, whatever the trace.
 */
#ifndef SPOOR_READER_SLICES_AHEAD_H
#define SPOOR_READER_SLICES_AHEAD_H

#include "thread_events.h"

/* What slices_ahead_take says of slices that it has left. */
#define SLICE_LEFT INT32_MIN

/* Return: null where there is no thread or memory for it; then nothing is read ahead. */
struct slices_ahead *slices_ahead_begin(const struct thread_events *events);

/*
 * slices_ahead_take - the next slice; its words are @events->words, and @events->dated_count of them
 * have dates, until it is asked for the one after that.
 * @count: how many, or as thread_events_load, or SLICE_LEFT
 *
 * Return: whether there is one more.
 */
bool slices_ahead_take(struct slices_ahead *ahead, struct thread_events *events, struct thread_place *place,
		       struct spoor_slice_info *info, long *count);

/* Null is none. */
void slices_ahead_end(struct slices_ahead *ahead);

#endif
