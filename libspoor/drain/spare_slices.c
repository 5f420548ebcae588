/* SPDX-License-Identifier: MIT */
/* spare_slices.c - counts free slices with memory, and gives their memory back. */
#include "drain/spare_slices.h"

#include "drain/pending_slices.h"
#include "format/pool_memory.h"

/* Number of free slices that keep their memory. As many full slices may wait before threads wake the drainer. */
#define KEPT 16u

/* Returns the free slices of word @i that have memory and are not reserved. */
static uint64_t spare_of(const struct spoor_drain *drain, uint32_t i)
{
	struct spoor_pool *pool = drain->pool;
	uint32_t reserved = spoor_pool_memory(pool)->reserved;
	uint64_t spare = __atomic_load_n(&pool->free[i], __ATOMIC_RELAXED) & spoor_pool_with_memory(pool, i) &
			 spoor_pending_slices_mask(drain->slice_count, i);

	if (reserved >= (i + 1) * 64)
		return 0;
	return reserved > i * 64 ? spare & -(1ull << (reserved - i * 64)) : spare;
}

static uint32_t count_spare(const struct spoor_drain *drain)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < (drain->slice_count + 63) / 64; i++)
		count += (uint32_t)__builtin_popcountll(spare_of(drain, i));
	/* Memory is exhausted: the kernel might refuse it later. */
	if (__atomic_load_n(&spoor_pool_memory(drain->pool)->cannot_grow, __ATOMIC_RELAXED))
		return 0;
	return count > KEPT ? count - KEPT : 0;
}

void spoor_spare_slices_note(struct spoor_drain *drain)
{
	uint32_t spare = drain->spare_least ? count_spare(drain) : 0;

	if (spare < drain->spare_least)
		drain->spare_least = spare;
}

/* Gives back the memory of @count slices, the highest first. */
static void give_back(struct spoor_drain *drain, uint32_t count)
{
	for (uint32_t i = (drain->slice_count + 63) / 64; i-- > 0 && count;) {
		uint64_t spare = spare_of(drain, i);

		while (spare && count) {
			uint32_t bit = 63 - (uint32_t)__builtin_clzll(spare);

			count -= spoor_pool_give_back(drain->pool, i * 64 + bit);
			spare &= ~(1ull << bit);
		}
	}
}

void spoor_spare_slices_give_back(struct spoor_drain *drain, int64_t now_ns)
{
	uint32_t spare = count_spare(drain);

	/* There were moments without spare slices, so a new second begins. */
	if (!drain->spare_least)
		drain->spare_since_ns = now_ns;
	if (now_ns - drain->spare_since_ns >= SPOOR_SPARE_NS) {
		give_back(drain, drain->spare_least);
		drain->spare_since_ns = now_ns;
		spare = count_spare(drain);
		drain->spare_least = spare;
	} else if (!drain->spare_least) {
		drain->spare_least = spare;
	}
	__atomic_store_n(&drain->spare, spare, __ATOMIC_RELAXED);
}

bool spoor_drain_has_spare(const struct spoor_drain *drain)
{
	return __atomic_load_n(&drain->spare, __ATOMIC_RELAXED) != 0;
}
