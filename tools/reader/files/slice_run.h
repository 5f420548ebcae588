/* SPDX-License-Identifier: MIT */
/*
 * slice_run.h - some slices of a traced thread that follow each other: loaded, and what they do to the calls
 * that are open before them.
 */
#ifndef SPOOR_READER_SLICE_RUN_H
#define SPOOR_READER_SLICE_RUN_H

#include "reader/files/run_effect.h"
#include "reader/files/loaded_slice.h"

#define SLICE_RUN_MAX 16u	/* some 60,000 events */

/* Zeroed by the caller; it keeps its memory for the next ones. */
struct slice_run {
	struct loaded_slice slices[SLICE_RUN_MAX];
	size_t count, taken;
	struct run_effect effect;
};

/* Takes the places of up to @most slices. Return: whether there are any. */
bool slice_run_claim(struct slice_run *run, struct thread_walk *places, size_t most);

/* Loads what was claimed. @loader, @clock: as for loaded_slice_read. Return: 0 or -ENOMEM. */
int slice_run_load(struct slice_run *run, struct thread_events *loader, struct clock *clock);

/* Whether @events, which have come to where the run begins, have nothing to tell of it but its words. */
bool slice_run_goes_on(const struct slice_run *run, const struct thread_events *events);

/* Has @events be where a run ends that goes on so. */
void slice_run_pass(const struct slice_run *run, struct thread_events *events);

/* What gives the slices to who takes their events, once. */
struct slice_feed slice_run_feed(struct slice_run *run);
void slice_run_free(struct slice_run *run);

#endif
