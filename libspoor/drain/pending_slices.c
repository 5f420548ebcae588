/* SPDX-License-Identifier: MIT */
/* pending_slices.c - collects the slices of a pool that must be drained, the earliest first. */
#include "drain/pending_slices.h"

#include "format/slice_words.h"

static bool holds_words(struct spoor_pool *pool, uint32_t slice)
{
	uint32_t most;
	const uint64_t *words = spoor_pending_slice_words(pool, slice, &most);

	return spoor_pool_info(pool, slice)->counter && spoor_slice_words_in_use(words, most);
}

static bool is_before(struct spoor_pool *pool, uint32_t left, uint32_t right)
{
	return __atomic_load_n(&spoor_pool_info(pool, left)->counter, __ATOMIC_RELAXED) <
	       __atomic_load_n(&spoor_pool_info(pool, right)->counter, __ATOMIC_RELAXED);
}

/* Moves @slices[at] to its place in the heap below it. The top of the heap is the latest slice. */
static void sift(struct spoor_pool *pool, uint32_t *slices, uint32_t at, uint32_t count)
{
	uint32_t slice = slices[at], child;

	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count && is_before(pool, slices[child], slices[child + 1]))
			child++;
		if (!is_before(pool, slice, slices[child]))
			break;
		slices[at] = slices[child];
		at = child;
	}
	slices[at] = slice;
}

/* Heapsort, because qsort may call the program's malloc. Stays within @slices even if a foreign process changes
 * the counters meanwhile. */
void spoor_pending_slices_sort(struct spoor_pool *pool, uint32_t *slices, uint32_t count)
{
	for (uint32_t at = count / 2; at-- > 0;)
		sift(pool, slices, at, count);
	while (count > 1) {
		uint32_t latest = slices[0];

		slices[0] = slices[--count];
		slices[count] = latest;
		sift(pool, slices, 0, count);
	}
}

uint32_t spoor_pending_slices_take(struct spoor_pool *pool, uint32_t slice_count, bool final, uint32_t *slices)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < (slice_count + 63) / 64; i++) {
		uint64_t there = spoor_pending_slices_mask(slice_count, i);
		uint64_t full = __atomic_exchange_n(&pool->full[i], 0, __ATOMIC_ACQ_REL) & there;
		uint64_t used = final ? ~__atomic_load_n(&pool->free[i], __ATOMIC_ACQUIRE) & there & ~full : 0;

		for (; full; full &= full - 1)
			slices[count++] = i * 64 + (uint32_t)__builtin_ctzll(full);
		for (; used; used &= used - 1) {
			uint32_t slice = i * 64 + (uint32_t)__builtin_ctzll(used);

			if (holds_words(pool, slice))
				slices[count++] = slice;
		}
	}
	spoor_pending_slices_sort(pool, slices, count);
	return count;
}

static uint64_t end_of(struct spoor_pool *pool, uint32_t slice)
{
	uint64_t counter = spoor_pool_info(pool, slice)->counter;
	uint32_t most;
	const uint64_t *words = spoor_pending_slice_words(pool, slice, &most);

	spoor_slice_words_settled(words, most, &counter);
	return counter;
}

uint32_t spoor_pending_slices_take_since(struct spoor_pool *pool, uint32_t slice_count, uint64_t counter, uint32_t *slices)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < (slice_count + 63) / 64; i++) {
		uint64_t full = __atomic_load_n(&pool->full[i], __ATOMIC_ACQUIRE) & spoor_pending_slices_mask(slice_count, i);

		for (; full; full &= full - 1) {
			uint32_t slice = i * 64 + (uint32_t)__builtin_ctzll(full);
			uint64_t bit = 1ull << (slice % 64);

			if (end_of(pool, slice) >= counter &&
			    __atomic_fetch_and(&pool->full[i], ~bit, __ATOMIC_ACQ_REL) & bit)
				slices[count++] = slice;
		}
	}
	spoor_pending_slices_sort(pool, slices, count);
	return count;
}
