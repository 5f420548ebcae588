/* SPDX-License-Identifier: MIT */
/*
 * slices_in_use.h - flushes or clears slices that their threads are still using.
 *
 * Neither function touches a word that a thread may still store: both end before the first empty slot.
 */
#ifndef SPOOR_SLICES_IN_USE_H
#define SPOOR_SLICES_IN_USE_H

#include "drain/drain_state.h"

/* Writes the words that are not in the file yet. The slices keep them, and their infos say how many
 * are written. */
void spoor_slices_in_use_flush(struct spoor_drain *drain, const struct spoor_clocks *clocks);

/* Replaces the words that are not in the file by no-ops and their last time; counts the events as cleared. */
void spoor_slices_in_use_clear(struct spoor_drain *drain);

#endif
