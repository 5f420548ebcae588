/* SPDX-License-Identifier: MIT */
/* pending_slices.h - which slices of a pool there are to drain, the earliest first. */
#ifndef SPOOR_DRAINABLE_H
#define SPOOR_DRAINABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/pool_format.h"

/* The words of a slice and how many it has room for: within it, whatever a stranger's
 * pool says. */
static inline uint64_t *spoor_pending_slice_words(struct spoor_pool *pool, uint32_t slice, uint32_t *most)
{
	uint32_t offset = __atomic_load_n(&spoor_pool_info(pool, slice)->offset, __ATOMIC_RELAXED) % SPOOR_SLICE_BYTES / 8;

	*most = SPOOR_SLICE_WORDS - offset;
	return (uint64_t *)((char *)pool + spoor_pool_slice_offset(slice)) + offset;
}

/* The slices that there are of a map's word @i, a bit each. */
static inline uint64_t spoor_pending_slices_mask(uint32_t slice_count, uint32_t i)
{
	return slice_count - i * 64 < 64 ? (1ull << (slice_count - i * 64)) - 1 : UINT64_MAX;
}

/* Whether a slice is in the use that began at @counter: what was read of it until here, since it
 * was seen to be, is of that use alone. Pairs with the fence of ring.c. */
static inline bool spoor_slice_is_unchanged(struct spoor_pool *pool, uint32_t slice, uint64_t counter)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&spoor_pool_info(pool, slice)->counter, __ATOMIC_RELAXED) == counter;
}

/*
 * spoor_pending_slices_take - takes all slices that are full.
 * @final:  nobody logs any more: also those in use that hold something
 * @slices: room for all of them; in the order of their beginnings on return, so that a
 *          thread's come in their order, and a reader has little to put right
 *
 * Return: how many.
 */
uint32_t spoor_pending_slices_take(struct spoor_pool *pool, uint32_t slice_count, bool final, uint32_t *slices);

/*
 * spoor_pending_slices_take_since - takes those slices that are full and hold something of
 * @counter or later, in the same order. The others stay where their threads find them.
 */
uint32_t spoor_pending_slices_take_since(struct spoor_pool *pool, uint32_t slice_count, uint64_t counter, uint32_t *slices);

/* Puts slices in the order of their beginnings. */
void spoor_pending_slices_sort(struct spoor_pool *pool, uint32_t *slices, uint32_t count);

#endif
