/* SPDX-License-Identifier: MIT */
/* record_path.h - stores an extended record in the thread's slice piece by piece. */
#ifndef SPOOR_RECORD_PATH_H
#define SPOOR_RECORD_PATH_H

#include "event/event_path.h"
#include "base/system.h"

/* Tells if the thread must first store a gap mark, because it has run, or may have run, unrecorded. */
static inline int spoor_gap_is_due(const struct spoor_thread *thread)
{
	return __builtin_expect(thread->gaps != __atomic_load_n(&spoor_gaps, __ATOMIC_SEQ_CST), 0);
}

/* Raises the thread's quarter to that of @counter. */
void spoor_quarter_advance(struct spoor_thread *thread, uint64_t counter);

/* Tells if the record of 1 + @count words that was just reserved at @slot fits into the slice. */
static inline int spoor_record_fits(volatile uint64_t *slot, uint32_t count)
{
	return (uint64_t)&slot[count] & (uint64_t)slot & SPOOR_SLICE_BIT;
}

/* Fills the words that were reserved before the end of the slice with no-ops, because the record does not fit. */
static inline void spoor_record_gives_up(volatile uint64_t *slot, uint32_t count)
{
	for (uint32_t i = 0; i <= count && (uint64_t)&slot[i] & SPOOR_SLICE_BIT; i++)
		slot[i] = SPOOR_NOP_WORD;
}

/*
 * spoor_record_end - stores the first word of a record after the others.
 * @counter: read before the reservation
 */
static inline void spoor_record_end(struct spoor_thread *thread, volatile uint64_t *slot, enum spoor_extended_type type,
				    uint32_t count, uint64_t counter)
{
	/* A reader that sees the first word sees the words after it. */
	__atomic_store_n(&slot[0], SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, count, type), __ATOMIC_RELEASE);
	if (__builtin_expect((uint32_t)(counter >> SPOOR_QUARTER_SHIFT) !=
				     __atomic_load_n(&thread->quarter, __ATOMIC_RELAXED), 0))
		spoor_quarter_advance(thread, counter);
}

#endif
