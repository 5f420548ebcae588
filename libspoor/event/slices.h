/* SPDX-License-Identifier: MIT */
/* slices.h - the slices of the pool, as what an event runs on its way sees them. */
#ifndef SPOOR_SLICES_H
#define SPOOR_SLICES_H

#include "event/pool.h"

static inline uint64_t slices_base(const struct spoor_pool *pool)
{
	return (uint64_t)pool + SPOOR_POOL_SLICES_OFFSET;
}

static inline uint64_t slice_end(const struct spoor_pool *pool, uint32_t slice)
{
	return slices_base(pool) + (uint64_t)(slice + 1) * SPOOR_POOL_SLICE_STRIDE;
}

/* The slice that @cursor is in or has just run out of; -1 for none. */
static inline int64_t slice_of(const struct spoor_pool *pool, uint64_t cursor)
{
	uint64_t base = slices_base(pool);

	/* One that is nowhere is negative. */
	if ((int64_t)cursor < (int64_t)(base + SPOOR_SLICE_BYTES))
		return -1;
	return (int64_t)((cursor - SPOOR_SLICE_BYTES - base) / SPOOR_POOL_SLICE_STRIDE);
}

static inline int bit_take(uint64_t *bitmap, uint32_t slice)
{
	uint64_t bit = 1ull << (slice % 64);

	return (__atomic_fetch_and(&bitmap[slice / 64], ~bit, __ATOMIC_ACQ_REL) & bit) != 0;
}

static inline int bit_test(const uint64_t *bitmap, uint32_t slice)
{
	return __atomic_load_n(&bitmap[slice / 64], __ATOMIC_RELAXED) >> (slice % 64) & 1;
}

/*
 * spoor_slice_borrow - a free slice with memory behind it; the lowest, which is the
 * one used last and still in the cache.
 * @small:  the last page alone will do where the slice has no memory yet
 * @offset: where its usable part begins
 *
 * Return: the slice, or -1.
 */
int64_t spoor_slice_borrow(struct spoor_pool *pool, int small, uint32_t *offset);

/* Has all of a slice used from now on, where there is memory for it. Return: its new offset. */
uint32_t spoor_slice_grow(struct spoor_pool *pool, uint32_t slice, uint32_t offset);

/* Sends the thread's next event to the slow path. It may be in there at this moment. */
static inline void spoor_quarter_lower(struct spoor_thread *thread)
{
	uint32_t old = __atomic_load_n(&thread->quarter, __ATOMIC_RELAXED);

	while (!__atomic_compare_exchange_n(&thread->quarter, &old, old - 2, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
}

/* Wakes the drainer, if it sleeps. */
void spoor_drainer_wake(struct spoor_pool *pool);

/* How often a drainer that could not be started yet may be tried again (service.h): when a thread
 * attaches, or retires a slice. */
extern int spoor_drainer_awaited;

/*
 * spoor_ring_reuse - in circular mode, a full slice whose events are given up.
 * @old:      the slice that the thread is about to leave, or -1
 * @sequence: of the slice that is sought
 * @any:      nothing is free: also one that was left by a thread which has ended, or
 *            the thread's own where it has not as many as it may
 * @offset:   where its usable part begins
 *
 * Return: the slice, empty, or -1.
 */
int64_t spoor_ring_reuse(struct spoor_pool *pool, struct spoor_thread *thread, int64_t old, uint64_t sequence,
			 int any, uint32_t *offset);

/* In circular mode: the thread's chain is that of this ring and of no earlier one. */
void spoor_ring_enter(struct spoor_pool *pool, struct spoor_thread *thread);

/* In circular mode: @slice is the thread's newest one. */
void spoor_ring_link(struct spoor_pool *pool, struct spoor_thread *thread, uint32_t slice);

#endif
