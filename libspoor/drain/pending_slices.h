/* SPDX-License-Identifier: MIT */
/* pending_slices.h - collects the slices of a pool that must be drained, the earliest first. */
#ifndef SPOOR_PENDING_SLICES_H
#define SPOOR_PENDING_SLICES_H

#include <stdbool.h>
#include <stdint.h>

#include "format/pool_format.h"

/* Returns the words of a slice and their number, which is within the slice even if a foreign process stores a
 * wrong offset. */
static inline uint64_t *spoor_pending_slice_words(struct spoor_pool *pool, uint32_t slice, uint32_t *most)
{
	uint32_t offset = __atomic_load_n(&spoor_pool_info(pool, slice)->offset, __ATOMIC_RELAXED) % SPOOR_SLICE_BYTES / 8;

	*most = SPOOR_SLICE_WORDS - offset;
	return (uint64_t *)((char *)pool + spoor_pool_slice_offset(slice)) + offset;
}

/* Returns a bit for each slice that exists in word @i of a bitmap. */
static inline uint64_t spoor_pending_slices_mask(uint32_t slice_count, uint32_t i)
{
	return slice_count - i * 64 < 64 ? (1ull << (slice_count - i * 64)) - 1 : UINT64_MAX;
}

/* Tells if a slice still has the use that began at @counter: then all words that were read since belong to that
 * use. Pairs with the fence of ring.c. */
static inline bool spoor_slice_is_unchanged(struct spoor_pool *pool, uint32_t slice, uint64_t counter)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&spoor_pool_info(pool, slice)->counter, __ATOMIC_RELAXED) == counter;
}

/*
 * spoor_pending_slices_take - takes all full slices.
 * @final:  no thread logs again: also take slices in use that have words
 * @slices: out: the slices, sorted by their begin, so that each thread's are in order; room for all of them
 *
 * Return: the number of slices.
 */
uint32_t spoor_pending_slices_take(struct spoor_pool *pool, uint32_t slice_count, bool final, uint32_t *slices);

/*
 * spoor_pending_slices_take_since - takes the full slices that have events of @counter or later, in the
 * same order. The other slices stay in the pool. Returns the number of slices.
 */
uint32_t spoor_pending_slices_take_since(struct spoor_pool *pool, uint32_t slice_count, uint64_t counter, uint32_t *slices);

/* Sorts slices by their begin. */
void spoor_pending_slices_sort(struct spoor_pool *pool, uint32_t *slices, uint32_t count);

#endif
