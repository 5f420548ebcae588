/* SPDX-License-Identifier: MIT */
/*
 * spare_slices.h - gives the memory of free slices back when it was not needed for a second.
 *
 * After a burst of events most of the pool is free, and keeps its memory. The drainer notes the least number of free
 * slices with memory in each second, and gives back the memory of as many, except of a few. Threads borrow the lowest
 * slices, so the drainer begins with the highest ones. An event costs nothing for this.
 */
#ifndef SPOOR_SPARE_SLICES_H
#define SPOOR_SPARE_SLICES_H

#include "drain/drain_state.h"

/* How long slices must be spare. */
#define SPOOR_SPARE_NS 1000000000

/* Call at the begin and at the end of each run. @now_ns: of the run */
void spoor_spare_slices_note(struct spoor_drain *drain);
void spoor_spare_slices_give_back(struct spoor_drain *drain, int64_t now_ns);

#endif
