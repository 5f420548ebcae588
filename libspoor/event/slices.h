/* SPDX-License-Identifier: MIT */
/* slices.h - the slices of the pool, for the code inside an event. */
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

/* Returns the slice that @cursor is in or has just left; -1 if there is none. */
static inline int64_t slice_of(const struct spoor_pool *pool, uint64_t cursor)
{
	uint64_t base = slices_base(pool);

	/* A cursor outside all slices is negative. */
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
 * Each use of a slice, by one thread, has a claim, which decides who retires the slice (reclaim.c). Its upper 62 bits
 * name the use, by the thread's serial number and the slice's sequence number. Private to the process.
 */
enum spoor_claim_state {
	SPOOR_CLAIM_OPEN,	/* the thread has the slice, or has retired it */
	SPOOR_CLAIM_CLAIMED,	/* another thread tries to take it */
	SPOOR_CLAIM_DONE,	/* it was taken */
};
extern uint64_t spoor_slice_claims[SPOOR_POOL_SLICE_COUNT_MAX];

static inline enum spoor_claim_state spoor_claim_state(uint32_t slice)
{
	return (enum spoor_claim_state)(__atomic_load_n(&spoor_slice_claims[slice], __ATOMIC_RELAXED) & 3);
}

/*
 * spoor_slice_borrow - takes a free slice that has memory. It takes the lowest one, which was used last
 * and is still in the cache.
 * @small:  if the slice has no memory yet, allocate only its last page
 * @offset: out: where its usable part begins, in bytes
 *
 * Return: the slice, or -1.
 */
int64_t spoor_slice_borrow(struct spoor_pool *pool, int small, uint32_t *offset);

/*
 * spoor_slice_switch - gives the thread, whose cursor is in no slice, its next slice.
 * @counter: 0 if the caller has not read it
 *
 * Return: 1 if it has got none, and its event was counted as lost; else 0: the caller must try again.
 */
int spoor_slice_switch(struct spoor_thread *thread, uint64_t counter);

/* Makes the whole slice usable if there is memory for it. Returns its new offset. */
uint32_t spoor_slice_grow(struct spoor_pool *pool, uint32_t slice, uint32_t offset);

/* Raises the number of the thread's next slice, whatever a handler has stored meanwhile. */
static inline void spoor_sequence_advance(struct spoor_thread *thread, uint64_t value)
{
	uint64_t old = __atomic_load_n(&thread->next_sequence, __ATOMIC_RELAXED);

	while (value > old && !__atomic_compare_exchange_n(&thread->next_sequence, &old, value, 0,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* Makes the thread's next event take the slow path. The thread may be on the slow path at this moment. */
static inline void spoor_quarter_lower(struct spoor_thread *thread)
{
	uint32_t old = __atomic_load_n(&thread->quarter, __ATOMIC_RELAXED);

	while (!__atomic_compare_exchange_n(&thread->quarter, &old, old - 2, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
}

/* The least time between two searches for a slice that no freed slice caused: 1 to 2 ms on most processors. */
#define SPOOR_SEARCH_COUNTS (1ull << (SPOOR_QUARTER_SHIFT - 8))

/* Number of searches that found no slice. */
extern uint32_t spoor_failed_searches;

/* Wakes the drainer if it sleeps. */
void spoor_drainer_wake(struct spoor_pool *pool);

/* Nonzero: the drainer could not be started. The next thread that attaches or retires a slice tries again
 * (service.h), at most so many times. */
extern int spoor_drainer_awaited;

/*
 * spoor_ring_reuse - in ring mode, takes a full slice and discards its events.
 * @old:      the slice that the thread is about to leave, or -1
 * @sequence: of the new slice
 * @any:      no slice is free: also take a slice of an ended thread, or one of the thread's own slices if it
 *            has fewer than its limit
 * @offset:   out: where its usable part begins, in bytes
 *
 * Return: the empty slice, or -1.
 */
int64_t spoor_ring_reuse(struct spoor_pool *pool, struct spoor_thread *thread, int64_t old, uint64_t sequence,
			 int any, uint32_t *offset);

/* In ring mode: discards the thread's list of slices if it is from an earlier ring. */
void spoor_ring_enter(struct spoor_pool *pool, struct spoor_thread *thread);

/* In ring mode: appends @slice to the thread's list. */
void spoor_ring_link(struct spoor_pool *pool, struct spoor_thread *thread, uint32_t slice);

#endif
