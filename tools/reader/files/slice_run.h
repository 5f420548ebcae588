/* SPDX-License-Identifier: MIT */
/*
 * slice_run.h - loads a few successive slices of a thread, and computes their effect on the calls that
 * are open before them.
 */
#ifndef SPOOR_READER_SLICE_RUN_H
#define SPOOR_READER_SLICE_RUN_H

#include "reader/files/run_effect.h"
#include "reader/files/loaded_slice.h"

#define SLICE_RUN_MAX 16u	/* about 60,000 events */

/* Zeroed by the caller. Keeps its memory for the next run. */
struct slice_run {
	struct loaded_slice slices[SLICE_RUN_MAX];
	size_t count, taken;
	struct run_effect effect;
};

/* Takes the places of up to @most slices. Returns whether there are any. */
bool slice_run_claim(struct slice_run *run, struct thread_walk *places, size_t most);

/* Loads the claimed slices. @loader, @clock: as for loaded_slice_read. Returns 0 or -ENOMEM. */
int slice_run_load(struct slice_run *run, struct thread_events *loader, struct clock *clock);

/* Returns whether @events are exactly before the run, and have nothing to report of it but its words. */
bool slice_run_goes_on(const struct slice_run *run, const struct thread_events *events);

/* Moves @events to the end of such a run. */
void slice_run_pass(const struct slice_run *run, struct thread_events *events);

/* Returns a feed that gives the slices of the run to a reader of events, once. */
struct slice_feed slice_run_feed(struct slice_run *run);
void slice_run_free(struct slice_run *run);

#endif
