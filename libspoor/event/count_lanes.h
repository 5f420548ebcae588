/* SPDX-License-Identifier: MIT */
/* count_lanes.h - assigns lanes of counters to threads. Lane 0 is shared and never assigned. */
#ifndef SPOOR_COUNT_LANES_H
#define SPOOR_COUNT_LANES_H

#include "event/event_path.h"

/* Makes all lanes free except lane 0. Under the registry's lock. */
void spoor_count_lanes_begin(void);

/* Returns the lowest free lane; SPOOR_COUNT_LANES_MAX if there is none. Under the registry's lock. */
uint32_t spoor_count_lane_free(void);

/* Assigns a free lane to @thread. @counters: address of the lane as trampolines use it. Under the registry's
 * lock. */
void spoor_count_lane_take(struct spoor_thread *thread, uint32_t lane, uint64_t counters);

/* Frees the lane of @thread; lock-free. Context: the thread itself, or a sweep. */
void spoor_count_lane_leave(struct spoor_thread *thread);

#endif
