/* SPDX-License-Identifier: MIT */
/* event_cost.h - what an event costs here and now. */
#ifndef SPOOR_EVENT_COST_H
#define SPOOR_EVENT_COST_H

#include <stdint.h>

/*
 * spoor_event_cost_ps - the least time that an event took, of some that are stored where
 * nobody looks: code and memory are in the nearest caches, so that an event of the program's
 * costs as much or more.
 *
 * Takes 20 us or so, and is done once; a forked child has its parent's.
 *
 * Return: picoseconds; 0 where there is no memory for it. Context: under the registry's lock,
 * once it is known what events are dated by.
 */
uint64_t spoor_event_cost_ps(void);

#endif
