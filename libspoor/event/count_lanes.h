/* SPDX-License-Identifier: MIT */
/* count_lanes.h - which thread has which lane of counters; lane 0 is shared and never given out. */
#ifndef SPOOR_COUNT_LANES_H
#define SPOOR_COUNT_LANES_H

#include "event/event_path.h"

/* All lanes are free but lane 0. Under the registry's lock. */
void spoor_count_lanes_begin(void);

/* The lowest free lane; SPOOR_COUNT_LANES_MAX for none. Under the registry's lock. */
uint32_t spoor_count_lane_free(void);

/* Gives @thread a free lane. @counters: of the lane, as trampolines take them. Under the registry's lock. */
void spoor_count_lane_take(struct spoor_thread *thread, uint32_t lane, uint64_t counters);

/* Takes the lane back; lock-free. Context: the thread itself, or a sweep. */
void spoor_count_lane_leave(struct spoor_thread *thread);

#endif
