/* SPDX-License-Identifier: MIT */
/* slices_in_use.c - flushes or clears slices that their threads are still using. */
#include "drain/slices_in_use.h"

#include "drain/batch.h"
#include "drain/pending_slices.h"
#include "format/slice_words.h"

/* @since: the counter at which this use of the slice began. */
static void flush_slice(struct spoor_drain *drain, uint32_t slice, uint64_t since, const struct spoor_clocks *clocks)
{
	struct spoor_slice_info info = *spoor_pool_info(drain->pool, slice);
	uint32_t most, count, holes, events;
	const uint64_t *words = spoor_pending_slice_words(drain->pool, slice, &most);
	uint64_t counter = since;
	uint32_t settled = spoor_slice_words_settled(words, most, &counter);

	if (settled <= spoor_batch_written(drain, slice))
		return;
	count = spoor_slice_words_copy(drain->words, words, settled, &holes, &events);
	/* If a ring gave the slice up meanwhile, the copy mixes two uses of it. */
	if (info.counter != since || !spoor_slice_is_unchanged(drain->pool, slice, since))
		return;
	spoor_batch_set_written(drain, slice, settled);
	info.words = settled;
	info.holes = 0;
	info.flushed = events + 1;
	spoor_batch_put(drain, &info, count, SPOOR_BLOCK_PARTIAL, clocks);
	spoor_batch_make_room(drain);
}

static void clear_slice(struct spoor_drain *drain, uint32_t slice)
{
	uint32_t most, holes, events;
	uint64_t *words = spoor_pending_slice_words(drain->pool, slice, &most);
	uint64_t counter = spoor_pool_info(drain->pool, slice)->counter;
	uint32_t settled = spoor_slice_words_settled(words, most, &counter), written = spoor_batch_written(drain, slice);

	if (settled <= written)
		return;
	words += written;
	settled -= written;
	spoor_slice_words_copy(drain->words, words, settled, &holes, &events);
	/* A reader that comes after a kill in between sees whole records, old or new. */
	for (uint32_t i = settled; i-- > 2;)
		__atomic_store_n(&words[i], SPOOR_NOP_WORD, __ATOMIC_RELAXED);
	if (settled > 1) {
		__atomic_store_n(&words[1], counter, __ATOMIC_RELEASE);
		__atomic_store_n(&words[0], SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, 1, SPOOR_EXTENDED_TIME),
				 __ATOMIC_RELEASE);
	} else if (settled) {
		__atomic_store_n(&words[0], SPOOR_NOP_WORD, __ATOMIC_RELEASE);
	}
	__atomic_fetch_add(&drain->pool->lost[SPOOR_LOSS_CLEARED], events, __ATOMIC_RELAXED);
}

/* Stores into each slice's info how many of its words are in the file, for readers of the pool. */
static void note_flushed(struct spoor_drain *drain)
{
	for (uint32_t slice = 0; slice < drain->slice_count; slice++) {
		/* Most slices have no written words, and their infos no memory. */
		uint32_t written = drain->written[slice] ? spoor_batch_written(drain, slice) : 0;

		if (written)
			__atomic_store_n(&spoor_pool_info(drain->pool, slice)->flushed, written, __ATOMIC_RELAXED);
	}
}

/* @clocks: null to clear. */
static void process_slices(struct spoor_drain *drain, const struct spoor_clocks *clocks)
{
	struct spoor_pool *pool = drain->pool;

	for (uint32_t i = 0; i < (drain->slice_count + 63) / 64 && !drain->stuck; i++) {
		uint64_t used = ~__atomic_load_n(&pool->free[i], __ATOMIC_ACQUIRE) & spoor_pending_slices_mask(drain->slice_count, i);

		for (; used; used &= used - 1) {
			uint32_t slice = i * 64 + (uint32_t)__builtin_ctzll(used);
			uint64_t since = __atomic_load_n(&spoor_pool_info(pool, slice)->counter, __ATOMIC_ACQUIRE);

			if (since && clocks)
				flush_slice(drain, slice, since, clocks);
			else if (since)
				clear_slice(drain, slice);
		}
	}
	if (drain->buffer_used)
		spoor_batch_write(drain);
	if (!drain->stuck)
		note_flushed(drain);
}

void spoor_slices_in_use_flush(struct spoor_drain *drain, const struct spoor_clocks *clocks)
{
	process_slices(drain, clocks);
}

void spoor_slices_in_use_clear(struct spoor_drain *drain)
{
	process_slices(drain, NULL);
}
