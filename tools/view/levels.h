/* SPDX-License-Identifier: MIT */
/*
 * levels.h - makes runs of what is too short for a resolution.
 *
 * Items of a lane that follow each other become one run as long as it is shorter than
 * the resolution; what is longer by itself stays as it is, and so does what stands alone.
 * Runs may be merged again, at a coarser resolution, into runs of as many calls and as much time.
 *
 * Invariants
 *   I1  the items of a lane come out in the order in which they went in.
 *   I2  a run is shorter than the resolution; 0 makes none.
 *   I3  memory is one open run for each lane, and a number for each path.
 */
#ifndef SPOOR_TOOLS_VIEW_LEVELS_H
#define SPOOR_TOOLS_VIEW_LEVELS_H

#include "view/items.h"

struct view_lane {
	struct view_item open;		/* entry_count 0: none */
	uint32_t capacity;
};

struct view_merger {
	/* To be set. */
	uint64_t resolution_ns;
	void (*emit)(void *context, struct view_item *item);
	void *context;

	struct view_lane *lanes;
	uint32_t lane_count;
	uint32_t *slots;		/* by node: where it may be in its lane's open run */
	uint32_t slot_count;
};

/* Takes an item, whose lane is set and which may be changed; what is done with is emitted. */
void view_merger_add(struct view_merger *merger, struct view_item *item);

/* Emits what is open, as at the end of a thread. */
void view_merger_flush(struct view_merger *merger);
void view_merger_free(struct view_merger *merger);

#endif
