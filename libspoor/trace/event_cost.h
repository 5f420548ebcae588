/* SPDX-License-Identifier: MIT */
/* event_cost.h - measures the time of an event on this machine. */
#ifndef SPOOR_EVENT_COST_H
#define SPOOR_EVENT_COST_H

#include <stdint.h>

/*
 * spoor_event_cost_ps - the shortest time that an event took in a measurement.
 *
 * Code and memory are in the nearest caches, so an event of the program takes as much time or more. The
 * measurement takes about 20 us and is done once; a forked child uses its parent's result.
 *
 * Return: picoseconds; 0 without memory. Context: under the registry's lock, after spoor_counter_begin.
 */
uint64_t spoor_event_cost_ps(void);

#endif
