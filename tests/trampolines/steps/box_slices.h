/* SPDX-License-Identifier: MIT */
/*
 * box_slices.h - what the box's trace holds: the slices that were drained into the events
 * file, and those that are in the pool.
 *
 * Ends the test where a slice contradicts another, or pool_format.h. Which events there
 * should be is box.c's business.
 */
#ifndef BOX_SLICES_H
#define BOX_SLICES_H

#include "box.h"
#include "event/pool.h"

static inline uint64_t *box_slice_words(uint32_t slice)
{
	return (uint64_t *)((char *)spoor_pool + spoor_pool_slice_offset(slice));
}

static inline bool box_slice_is_free(uint32_t slice)
{
	return spoor_pool->free[slice / 64] >> (slice % 64) & 1;
}

/*
 * box_slices_read - calls @found with each event, thread by thread, in the trace's order.
 * @time:     as the trace dates it
 * @position: how many events stand in front of it
 *
 * Return: how many words are empty.
 */
uint32_t box_slices_read(void (*found)(uint32_t code, uint64_t time, uint32_t position));

/* Ends the test where those read last are of more than one thread. */
void box_slices_check_thread(void);

#endif
