/* SPDX-License-Identifier: MIT */
/*
 * box_slices.h - reads the slices of the box's trace: the drained slices in the events file,
 * and the slices in the pool.
 *
 * Ends the test if a slice contradicts another slice, or pool_format.h. box.c checks which
 * events there are.
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
 * @time:     the event's time in the trace
 * @position: number of events before it
 *
 * Returns the number of empty words.
 */
uint32_t box_slices_read(void (*found)(uint32_t code, uint64_t time, uint32_t position));

/* Ends the test if the slices of the last read are of more than one thread. */
void box_slices_check_thread(void);

#endif
