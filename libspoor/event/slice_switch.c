/* SPDX-License-Identifier: MIT */
/*
 * slice_switch.c - gives a thread its next slice, or counts its event as lost; and its next quarter.
 *
 * Restricted as slow_path.c: a signal handler may enter it again between any two instructions.
 */
#include "event/slices.h"

#include "base/system.h"
#include "base/time_source.h"
#include "event/reclaim.h"
#include "event/record_path.h"

static void start_awaited_drainer(void)
{
	if (__builtin_expect(__atomic_load_n(&spoor_drainer_awaited, __ATOMIC_RELAXED), 0))
		spoor_attach_on_libc_stack();
}

static void retire_whole(struct spoor_pool *pool, uint32_t slice)
{
	spoor_slice_retire(pool, slice, (SPOOR_SLICE_BYTES - spoor_pool_info(pool, slice)->offset) / 8);
	start_awaited_drainer();
}

/* Gets slices for later events of this thread and of others. */
static void reclaim(struct spoor_pool *pool, const struct spoor_thread *thread)
{
	if (spoor_reclaim(pool, thread))
		start_awaited_drainer();
}

void spoor_event_lost(struct spoor_thread *thread, enum spoor_loss_cause cause)
{
	if (thread)
		__atomic_fetch_add(&thread->lost, 1, __ATOMIC_RELAXED);
	if (spoor_pool)
		__atomic_fetch_add(&spoor_pool->lost[cause], 1, __ATOMIC_RELAXED);
}

/* Tells if a signal handler that interrupted this code has forked, and this is the child. The parent finishes
 * the change to its pool. Checked after each change of the cursor. */
static int forked(const struct spoor_thread *thread)
{
	return __builtin_expect(__atomic_load_n(&thread->process_id, __ATOMIC_RELAXED) == 0, 0);
}

/* A cursor that is outside all slices, invalid as an address, different from a wiped thread's cursor, and unique
 * until the thread gets another slice. */
static uint64_t cursor_nowhere(const struct spoor_thread *thread)
{
	return 1ull << 63 | (thread->next_sequence & 0xffff) << 20;
}

/* If the thread found no slice, the cursor also has the value of pool->freed at that time, and whether the
 * thread had as many full slices as it may have. A dropped event must not cost more than a stored one, so the
 * next search waits until one may succeed. */
#define DRY_SHIFT 36
#define DRY (1u << 26)
#define DRY_LIMIT (1u << 25)
#define DRY_MASK ((2ull * DRY - 1) << DRY_SHIFT)

static uint64_t cursor_dry(uint32_t freed, uint32_t limit)
{
	return (uint64_t)(DRY | limit | (freed & (DRY_LIMIT - 1))) << DRY_SHIFT;
}

/* The counter is read at each of so many drops. */
#define SEARCH_DROPS 16u
/* Slices of the pool that a thread at its limit looks at for each slice that was freed. */
#define SEARCH_SLICES 64u

/* Tells if a thread without a slice must search again although no slice was freed: the retention of an ended
 * thread's slices may be over. @counter: 0 if the caller has not read it */
static int search_is_due(const struct spoor_thread *thread, uint64_t counter)
{
	static uint64_t next;
	uint64_t due;

	if (!counter && thread->lost % SEARCH_DROPS)
		return 0;
	if (!counter)
		counter = spoor_counter();
	due = __atomic_load_n(&next, __ATOMIC_RELAXED);
	return (int64_t)(counter - due) >= 0 &&
	       __atomic_compare_exchange_n(&next, &due, counter + SPOOR_SEARCH_COUNTS, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Tells if the thread has found no slice, and would not find one now. */
static int stays_dry(struct spoor_pool *pool, const struct spoor_thread *thread, uint64_t cursor, uint32_t freed,
		     uint32_t ring, uint64_t counter)
{
	uint32_t dry = (uint32_t)(cursor >> DRY_SHIFT), passed = (freed - dry) & (DRY_LIMIT - 1);

	if (!(cursor >> 63) || !(dry & DRY))
		return 0;
	if (dry & DRY_LIMIT ? ring : passed)
		return 0;
	if (passed && passed * SEARCH_SLICES >= pool->slice_count)
		return 0;
	return !search_is_due(thread, counter);
}

/* Tells if the thread has as many full slices as may wait for the disk, including @old, which it is about to leave.
 * The drainer may have some of them in hand. Only with a configured limit, because it looks at all slices in use. */
static int waits_too_long(struct spoor_pool *pool, const struct spoor_thread *thread, int64_t old)
{
	uint32_t waiting = old >= 0;

	for (uint32_t i = 0; i < (pool->slice_count + 63) / 64; i++) {
		uint64_t used = ~__atomic_load_n(&pool->free[i], __ATOMIC_RELAXED);

		if (pool->slice_count - i * 64 < 64)
			used &= (1ull << (pool->slice_count - i * 64)) - 1;
		for (; used; used &= used - 1) {
			uint32_t slice = i * 64 + (uint32_t)__builtin_ctzll(used);
			const struct spoor_slice_info *info = spoor_pool_info(pool, slice);

			waiting += slice != old && info->thread_serial == thread->serial &&
				   __atomic_load_n(&info->counter, __ATOMIC_RELAXED);
		}
	}
	return waiting >= spoor_pool_limits.thread_slices;
}

/* Counts an event as lost. @dry: bits for the new cursor. Returns 1, or 0 if the caller must try again. */
static int event_drop(struct spoor_thread *thread, uint64_t cursor, uint64_t dry, uint64_t counter)
{
	struct spoor_pool *pool = spoor_pool;
	enum spoor_loss_cause cause = SPOOR_LOSS_THREAD_FULL;

	if (!spoor_cursor_replace(&thread->cursor, cursor, cursor_nowhere(thread) | dry) || forked(thread))
		return 0;
	if (!(dry >> DRY_SHIFT & DRY_LIMIT))
		cause = (enum spoor_loss_cause)__atomic_load_n(&pool->stuck, __ATOMIC_RELAXED);
	spoor_event_lost(thread, cause);
	/* Otherwise each further event of this quarter would read the counter twice. */
	if (counter)
		spoor_quarter_advance(thread, counter);
	return 1;
}

uint32_t spoor_failed_searches;

/* No slice is available: retires the full one, so that it can be drained, and counts the event as lost. */
static int slice_lack(struct spoor_thread *thread, uint64_t cursor, int64_t old, uint64_t dry, uint64_t counter)
{
	struct spoor_pool *pool = spoor_pool;

	__atomic_fetch_add(&spoor_failed_searches, 1, __ATOMIC_RELAXED);
	if (old >= 0)
		spoor_sequence_advance(thread, spoor_pool_info(pool, (uint32_t)old)->sequence + 1);
	if (!event_drop(thread, cursor, dry, counter))
		return 0;
	if (old >= 0)
		retire_whole(pool, (uint32_t)old);
	reclaim(pool, thread);
	if (!pool->ring)
		spoor_drainer_wake(pool);
	return 1;
}

int spoor_slice_switch(struct spoor_thread *thread, uint64_t counter)
{
	struct spoor_pool *pool = spoor_pool;

	for (;;) {
		uint64_t cursor = __atomic_load_n(&thread->cursor, __ATOMIC_RELAXED);
		uint32_t offset, ring = __atomic_load_n(&pool->ring, __ATOMIC_ACQUIRE);
		/* Read before the bitmaps: pairs with spoor_pool_free. */
		uint32_t freed = __atomic_load_n(&pool->freed, __ATOMIC_ACQUIRE);
		uint64_t since;
		int64_t old, new;
		int small;	/* the thread does not need a whole slice */

		/* A handler has changed the slice meanwhile, or forked. From here on the cursor of a forked
		 * child differs from @cursor. */
		if (cursor & SPOOR_SLICE_BIT || forked(thread))
			return 0;
		small = cursor_is_taken(cursor);
		if (__builtin_expect(small, 0))
			spoor_slice_taken(pool, thread, cursor);
		old = slice_of(pool, cursor);

		if (stays_dry(pool, thread, cursor, freed, ring, counter))
			return event_drop(thread, cursor, cursor & DRY_MASK, counter);

		uint64_t sequence = old >= 0 ? spoor_pool_info(pool, (uint32_t)old)->sequence + 1 : thread->next_sequence;

		if (ring)
			spoor_ring_enter(pool, thread);
		if (!ring && spoor_pool_limits.thread_slices && waits_too_long(pool, thread, old))
			return slice_lack(thread, cursor, old, cursor_dry(freed, DRY_LIMIT), counter);
		new = ring ? spoor_ring_reuse(pool, thread, old, sequence, 0, &offset) : -1;
		if (new < 0)
			new = spoor_slice_borrow(pool, small || sequence == 0, &offset);
		if (new < 0 && ring)
			new = spoor_ring_reuse(pool, thread, old, sequence, 1, &offset);
		if (new < 0)
			/* A ring can reuse the slice that it leaves here. */
			return slice_lack(thread, cursor, old, ring && old >= 0 ? 0 : cursor_dry(freed, 0), counter);

		struct spoor_slice_info *info = spoor_pool_info(pool, (uint32_t)new);

		__atomic_store_n(&info->sequence, sequence, __ATOMIC_RELAXED);
		info->process_id = thread->process_id;
		info->thread_id = thread->thread_id;
		info->thread_serial = thread->serial;
		info->words = 0;
		info->lost = thread->lost;
		info->holes = 0;
		info->offset = offset;
		info->ended_ns = 0;
		info->next = 0;
		info->flushed = 0;
		since = spoor_counter();
		/* After this store a reader treats the slice as the thread's. */
		__atomic_store_n(&info->counter, since, __ATOMIC_RELEASE);
		spoor_claim_begin(thread, (uint32_t)new, sequence);
		/* A handler that logs before this store makes the replacement fail. A handler that logs between
		 * it and the change of the quarter stores full time stamps. */
		if (spoor_cursor_replace(&thread->cursor, cursor,
					 slice_end(pool, (uint32_t)new) - SPOOR_SLICE_BYTES + offset)) {
			/* From here on another thread may take the slice. */
			spoor_quarter_advance(thread, since);
			if (forked(thread))
				return 0;
			spoor_sequence_advance(thread, sequence + 1);
			if (ring)
				spoor_ring_link(pool, thread, (uint32_t)new);
			if (old >= 0)
				retire_whole(pool, (uint32_t)old);
			reclaim(pool, thread);
			return 0;
		}
		if (forked(thread))
			return 0;
		info->counter = 0;
		spoor_pool_free(pool, (uint32_t)new);
	}
}

void spoor_slice_leave(struct spoor_thread *thread)
{
	struct spoor_pool *pool = spoor_pool;

	for (;;) {
		uint64_t cursor = __atomic_load_n(&thread->cursor, __ATOMIC_RELAXED);
		int64_t slice = slice_of(pool, cursor);

		if (cursor_is_taken(cursor))
			spoor_slice_taken(pool, thread, cursor);
		if (slice < 0)
			return;

		struct spoor_slice_info *info = spoor_pool_info(pool, (uint32_t)slice);
		uint64_t begin = slice_end(pool, (uint32_t)slice) - SPOOR_SLICE_BYTES + info->offset;
		uint32_t words = (SPOOR_SLICE_BYTES - info->offset) / 8;

		if (cursor & SPOOR_SLICE_BIT)
			words = (uint32_t)(cursor - begin) / 8;
		spoor_sequence_advance(thread, info->sequence + 1);
		if (spoor_cursor_replace(&thread->cursor, cursor, cursor_nowhere(thread))) {
			spoor_slice_retire(pool, (uint32_t)slice, words);
			return;
		}
	}
}

uint32_t spoor_gaps;
uint32_t spoor_recording;

/* Wakes the drainer in each new quarter to read the clocks: after a kill, a reader computes times from the last
 * reading. */
static void clocks_refresh(uint64_t counter)
{
	struct spoor_pool *pool = spoor_pool;

	if (pool && (int64_t)(counter - __atomic_load_n(&pool->latest.counter, __ATOMIC_RELAXED)) >> SPOOR_QUARTER_SHIFT > 0)
		spoor_drainer_wake(pool);
}

/* Raises the quarter to that of @counter, whatever a handler has stored meanwhile. If a gap mark is due, lowers
 * it instead, so that the next event takes the slow path. The writer of spoor_gaps increments it before it
 * lowers the quarter, so at least one of the two threads sees the store of the other thread. */
void spoor_quarter_advance(struct spoor_thread *thread, uint64_t counter)
{
	uint32_t value = (uint32_t)(counter >> SPOOR_QUARTER_SHIFT);
	uint32_t old = __atomic_load_n(&thread->quarter, __ATOMIC_RELAXED);

	if (__builtin_expect(spoor_counter_is_clock, 0))
		return;
	while ((int32_t)(value - old) > 0 &&
	       !__atomic_compare_exchange_n(&thread->quarter, &old, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
	if (spoor_gap_is_due(thread))
		spoor_quarter_lower(thread);
	clocks_refresh(counter);
}
