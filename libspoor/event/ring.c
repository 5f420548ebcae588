/* SPDX-License-Identifier: MIT */
/*
 * ring.c - ring mode: a thread that needs a slice reuses its oldest one.
 *
 * Full slices stay in the pool until a flush is requested (flush.h), or the process ends. The infos of a
 * thread's slices form a list, the oldest first. The thread or the drainer takes a slice by clearing its
 * bit in `full`. So a link may lead to a slice that the drainer took and that another thread has now: the
 * serial and the sequence in its info show that.
 *
 * Runs under the same restrictions as slow_path.c. A signal handler that changes slices while its thread
 * links one may leave one out of the list: that slice is reused after the next flush.
 */
#include <linux/time.h>
#include <sys/syscall.h>

#include "base/time_source.h"
#include "event/slices.h"
#include "base/system.h"

/* Writes zeroes. The processor clears whole cache lines without reading them first. */
static inline void clear_words(uint64_t *words, size_t count)
{
#ifdef __x86_64__
	__asm__ volatile("rep stosq" : "+D"(words), "+c"(count) : "a"(0) : "memory");
#else
	for (uint64_t *end = words + count; words < end; words++)
		*words = 0;
#endif
}

/* Discards the events of a slice. Clears its info first, because the process may be killed at any time. */
static void wipe(struct spoor_pool *pool, uint32_t slice, uint32_t *offset)
{
	struct spoor_slice_info *info = spoor_pool_info(pool, slice);
	uint64_t *word, *end = (uint64_t *)slice_end(pool, slice);

	*offset = info->offset;
	word = (uint64_t *)(slice_end(pool, slice) - SPOOR_SLICE_BYTES + info->offset);
	__atomic_store_n(&info->counter, 0, __ATOMIC_RELAXED);
	/* A reader that reads a zero word sees the cleared counter: pairs with spoor_slice_is_unchanged. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	clear_words(word, (size_t)(end - word));
	*offset = spoor_slice_grow(pool, slice, *offset);
}

int64_t spoor_steady_ns(void)
{
	struct __kernel_timespec time = { 0, 0 };

	spoor_system(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&time, 0, 0, 0, 0);
	return time.tv_sec * 1000000000ll + time.tv_nsec;
}

/* When and where the next search for slices of ended threads begins. A search reads the clock and the infos of all
 * full slices, so it waits for a value of the counter. It begins at the last slice that was found, because the same
 * thread may have left more slices. */
#define LEFT_COUNTS (4 * SPOOR_SEARCH_COUNTS)
static uint64_t left_due;
static uint32_t left_at;
static int64_t left_ended_ns;

/* Returns the full slice of the thread that ended first, before @latest; -1 if there is none. */
static int64_t find_left(struct spoor_pool *pool, int64_t latest, int64_t *ended_ns)
{
	int64_t before = __atomic_load_n(&left_ended_ns, __ATOMIC_RELAXED), found = -1;
	uint32_t words = (pool->slice_count + 63) / 64, begin = __atomic_load_n(&left_at, __ATOMIC_RELAXED) / 64;

	*ended_ns = latest;
	/* A signal handler forked: the parent's pool is gone (spoor_pool_abandon). */
	if (!words)
		return -1;
	for (uint32_t n = 0; n < words; n++) {
		uint32_t i = (begin + n) % words;
		uint64_t full = __atomic_load_n(&pool->full[i], __ATOMIC_RELAXED);

		for (; full; full &= full - 1) {
			uint32_t slice = i * 64 + (uint32_t)__builtin_ctzll(full);
			int64_t ended = __atomic_load_n(&spoor_pool_info(pool, slice)->ended_ns, __ATOMIC_RELAXED);

			/* SPOOR_SLICE_TAKEN is no time. */
			if (ended <= 0 || ended >= *ended_ns)
				continue;
			*ended_ns = ended;
			found = slice;
			if (ended == before)
				return found;
		}
	}
	return found;
}

/* Takes the slice of an ended thread whose retention is over; of the thread that ended first. Called only if no
 * slice is free. */
static int64_t take_left(struct spoor_pool *pool, uint32_t *offset)
{
	uint64_t now = spoor_counter();
	int64_t latest;

	if ((int64_t)(now - __atomic_load_n(&left_due, __ATOMIC_RELAXED)) < 0)
		return -1;
	latest = spoor_steady_ns() - spoor_pool_limits.retention_ns;
	for (;;) {
		int64_t least, found = find_left(pool, latest + 1, &least);

		if (found < 0) {
			__atomic_store_n(&left_due, now + LEFT_COUNTS, __ATOMIC_RELAXED);
			return -1;
		}
		if (!bit_take(pool->full, (uint32_t)found))
			continue;
		if (spoor_pool_info(pool, (uint32_t)found)->ended_ns == least) {
			__atomic_store_n(&left_at, (uint32_t)found, __ATOMIC_RELAXED);
			__atomic_store_n(&left_ended_ns, least, __ATOMIC_RELAXED);
			/* Other threads that have found no slice search again. */
			__atomic_fetch_add(&pool->freed, 1, __ATOMIC_RELEASE);
			wipe(pool, (uint32_t)found, offset);
			return found;
		}
		spoor_pool_bit_put(pool->full, (uint32_t)found);
	}
}

/* Returns the thread's oldest full slice, or -1. A listed slice that is not full belongs to the drainer, or to
 * code that this signal handler has interrupted. */
static int64_t oldest_of(struct spoor_pool *pool, struct spoor_thread *thread, int64_t old, uint64_t sequence)
{
	uint32_t first = __atomic_load_n(&thread->oldest, __ATOMIC_RELAXED), at = first;

	for (uint32_t i = 0; at && i <= pool->slice_count; i++) {
		struct spoor_slice_info *info = spoor_pool_info(pool, at - 1);

		if (info->thread_serial != thread->serial || info->sequence >= sequence)
			at = 0;
		else if (at - 1 == old || bit_test(pool->full, at - 1))
			break;
		else
			at = info->next;
	}
	if (at != first)
		__atomic_compare_exchange_n(&thread->oldest, &first, at, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return at && at - 1 != old ? (int64_t)at - 1 : -1;
}

/* Takes the thread's oldest slice. Returns -1 if the drainer has taken it. */
static int64_t take_oldest(struct spoor_pool *pool, struct spoor_thread *thread, uint32_t oldest, uint32_t *offset)
{
	struct spoor_slice_info *info = spoor_pool_info(pool, oldest);
	uint32_t expected = oldest + 1, next = info->next;

	if (!bit_take(pool->full, oldest))
		return -1;
	if (info->thread_serial != thread->serial || info->next != next) {
		spoor_pool_bit_put(pool->full, oldest);
		return -1;
	}
	__atomic_compare_exchange_n(&thread->oldest, &expected, next, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	wipe(pool, oldest, offset);
	return oldest;
}

int64_t spoor_ring_reuse(struct spoor_pool *pool, struct spoor_thread *thread, int64_t old, uint64_t sequence,
			 int any, uint32_t *offset)
{
	int64_t oldest, left = any ? take_left(pool, offset) : -1;

	if (left >= 0)
		return left;
	oldest = oldest_of(pool, thread, old, sequence);
	if (oldest < 0 || (!any && sequence - spoor_pool_info(pool, (uint32_t)oldest)->sequence <=
				   spoor_pool_limits.ring_slices))
		return -1;
	return take_oldest(pool, thread, (uint32_t)oldest, offset);
}

/* Each ring has a new number, so that lists of an earlier ring are invalid. */
void spoor_ring_set(struct spoor_pool *pool, int on)
{
	static uint16_t rings;

	if (on != (pool->ring != 0))
		__atomic_store_n(&pool->ring, on ? (uint16_t)(rings = (uint16_t)(rings % UINT16_MAX + 1)) : 0u,
				 __ATOMIC_RELEASE);
}

void spoor_ring_enter(struct spoor_pool *pool, struct spoor_thread *thread)
{
	uint16_t ring = (uint16_t)__atomic_load_n(&pool->ring, __ATOMIC_RELAXED);

	if (thread->ring == ring)
		return;
	thread->oldest = thread->newest = 0;
	thread->ring = ring;
}

void spoor_ring_link(struct spoor_pool *pool, struct spoor_thread *thread, uint32_t slice)
{
	uint32_t before = thread->newest, none = 0;

	thread->newest = slice + 1;
	if (before && spoor_pool_info(pool, before - 1)->thread_serial == thread->serial)
		spoor_pool_info(pool, before - 1)->next = slice + 1;
	else
		before = slice + 1;
	__atomic_compare_exchange_n(&thread->oldest, &none, before, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void spoor_ring_ended(struct spoor_thread *thread)
{
	struct spoor_pool *pool = spoor_pool;
	uint32_t slice = thread->ring == pool->ring ? thread->oldest : 0;
	int64_t now = spoor_steady_ns();

	for (uint32_t i = 0; slice && i < pool->slice_count; i++) {
		struct spoor_slice_info *info = spoor_pool_info(pool, slice - 1);

		if (info->thread_serial != thread->serial)
			break;
		__atomic_store_n(&info->ended_ns, now, __ATOMIC_RELAXED);
		slice = info->next;
	}
	thread->oldest = thread->newest = 0;
	/* Without retention other threads may take the slices at once. */
	if (!spoor_pool_limits.retention_ns) {
		__atomic_store_n(&left_due, 0, __ATOMIC_RELAXED);
		__atomic_fetch_add(&pool->freed, 1, __ATOMIC_RELEASE);
	}
}
