/* SPDX-License-Identifier: MIT */
/*
 * slices_ahead.h - a thread that reads, unpacks and dates a traced thread's slices ahead of who takes its events.
 *
 * Meanwhile the events file is nobody else's. So many slices are ahead at most, whatever the trace.
 */
#ifndef SPOOR_READER_SLICES_AHEAD_H
#define SPOOR_READER_SLICES_AHEAD_H

#include "reader/files/loaded_slice.h"

/* Return: null where there is no thread or memory for it; then nothing is read ahead. */
struct slices_ahead *slices_ahead_begin(const struct thread_events *events);

/*
 * slices_ahead_take - the next slice; its words are @events->words, and @events->dated_count of them
 * have dates, until it is asked for the one after that.
 * @count: as a loaded_slice's
 *
 * Return: whether there is one more.
 */
bool slices_ahead_take(struct slices_ahead *ahead, struct thread_events *events, struct thread_place *place,
		       struct spoor_slice_info *info, long *count);

/* Null is none. */
void slices_ahead_end(struct slices_ahead *ahead);

#endif
