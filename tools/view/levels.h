/* SPDX-License-Identifier: MIT */
/*
 * levels.h - merges items of a timeline that are shorter than a resolution into runs.
 *
 * Successive items of a lane become one run while the run is shorter than the resolution. Longer
 * items, and short items without a short neighbour, stay unchanged. Runs can be merged again
 * at a coarser resolution; calls and times then add up.
 *
 * Invariants
 *   I1  The items of a lane are emitted in the order in which they were added.
 *   I2  A run is shorter than the resolution. Resolution 0 makes no runs.
 *   I3  Memory is one open run for each lane, and a number for each path.
 */
#ifndef SPOOR_TOOLS_VIEW_LEVELS_H
#define SPOOR_TOOLS_VIEW_LEVELS_H

#include "view/items.h"

struct view_lane {
	struct view_item open;		/* the open run; entry_count 0: none */
	uint32_t capacity;
};

struct view_merger {
	/* Set by the caller: */
	uint64_t resolution_ns;
	void (*emit)(void *context, struct view_item *item);
	void *context;

	struct view_lane *lanes;
	uint32_t lane_count;
	uint32_t *slots;		/* by node: its possible position in the entries of the open run */
	uint32_t slot_count;
};

/* Adds an item with its lane, and may change it. Emits the items that are complete. */
void view_merger_add(struct view_merger *merger, struct view_item *item);

/* Emits the open runs, as at the end of a thread. */
void view_merger_flush(struct view_merger *merger);
void view_merger_free(struct view_merger *merger);

#endif
