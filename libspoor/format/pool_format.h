/* SPDX-License-Identifier: MIT */
/*
 * pool_format.h - the layout of a pool in shared memory.
 *
 * A pool is a file in the process's folder of the trace, or a memfd that a recorder holds.
 *
 *   offset 0                  struct spoor_pool
 *   SPOOR_POOL_MAILBOX_OFFSET struct spoor_mailbox (mailbox.h): requests of `spoor ctl`
 *   SPOOR_POOL_CONDITION_OFFSET struct spoor_trigger_condition (trigger_condition.h): values that calls must not have
 *   SPOOR_POOL_TRIGGER_OFFSET struct spoor_trigger (trigger_format.h): calls that must not take too long
 *   SPOOR_POOL_LAYOUTS_OFFSET struct spoor_value_layouts (value_layouts.h): the fields of captured values
 *   SPOOR_POOL_BOARD_OFFSET   struct spoor_status_page (status_page_format.h): the state of the process
 *   SPOOR_POOL_MEMORY_OFFSET  struct spoor_pool_memory (pool_memory.h): slices that have a part of their memory
 *   SPOOR_POOL_INFOS_OFFSET   struct spoor_slice_info of each slice
 *   SPOOR_POOL_SLICES_OFFSET  slice 0's gap, slice 0, slice 1's gap, ...
 *
 * A slice has SPOOR_SLICE_BYTES of event words. Its thread may begin in the middle
 * (spoor_slice_info.offset), to touch less memory. The gap before each slice is never touched, so the
 * file is sparse there. The pool is mapped at a multiple of the stride, so an address is inside a slice
 * if and only if (address & SPOOR_SLICE_BYTES) != 0. The event path makes no other check.
 *
 * The process may be killed at any instruction, so a reader of its pool trusts no field: the bitmaps
 * and the words of a slice show its state. A slice that is in use and has no words counts as free: its
 * info may come from a thread that never used it.
 */
#ifndef SPOOR_POOL_FORMAT_H
#define SPOOR_POOL_FORMAT_H

#include "format/trace_format.h"

#define SPOOR_POOL_MAGIC 0x316c6f6f70727073ull	/* "sprpool1" */
#define SPOOR_POOL_SLICE_COUNT_MAX 16384u
#define SPOOR_POOL_BITMAP_WORDS (SPOOR_POOL_SLICE_COUNT_MAX / 64)
#define SPOOR_POOL_SLICE_STRIDE (2 * SPOOR_SLICE_BYTES)
#define SPOOR_POOL_MAILBOX_OFFSET 8192u
#define SPOOR_POOL_CONDITION_OFFSET 16576u
#define SPOOR_POOL_TRIGGER_OFFSET 20480u
#define SPOOR_POOL_LAYOUTS_OFFSET 28704u
#define SPOOR_POOL_BOARD_OFFSET 32768u
#define SPOOR_POOL_INFOS_OFFSET 65536u
#define SPOOR_POOL_SLICES_OFFSET \
	(SPOOR_POOL_INFOS_OFFSET + SPOOR_POOL_SLICE_COUNT_MAX * (uint32_t)sizeof(struct spoor_slice_info))

struct spoor_clocks {
	uint64_t counter;
	int64_t steady_ns;
	int64_t system_ns;
};

/* Flags, which may be combined. */
enum spoor_pool_wish {
	SPOOR_WISH_FLUSH = 1,	/* write all stored events to the file, also those in slices in use */
	SPOOR_WISH_CLEAR = 2,	/* drop all stored events that are not in the file */
};

struct spoor_pool {
	/* Written once, before other threads or processes get the pool. */
	uint64_t magic;
	uint32_t version;		/* SPOOR_TRACE_VERSION */
	uint32_t slice_bytes;		/* SPOOR_SLICE_BYTES */
	uint32_t slice_count;
	uint32_t process_id;
	uint64_t session_id;
	struct spoor_clocks begin;
	uint32_t unpacked;		/* nonzero: events are written without packing */
	uint32_t flush_attempts;	/* failed writes before events are dropped; 0: no limit */
	uint32_t ring;			/* nonzero: full slices wait for a request; may change */
	uint32_t room;			/* number of slices that may have memory */

	/* Written by the drainer. */
	_Alignas(64) uint32_t wake;	/* futex: 0 after a call, 1 once the drainer looked (drain/drain.h, I1) */
	uint32_t low_water;		/* number of full slices that wake the drainer; 1 while few slices are free */
	uint32_t recorder;		/* another process's recorder: thread ID, from the kernel FUTEX_OWNER_DIED */
	uint32_t counter_is_clock;	/* nonzero: CLOCK_MONOTONIC (time_source.h); written with the first group */
	struct spoor_clocks latest;
	uint64_t events, file_bytes;	/* written so far */
	uint32_t stuck;			/* why the last write failed, enum spoor_loss_cause; 0: it succeeded */

	/* Written by any thread, on slow paths. */
	_Alignas(64) uint32_t full_count;	/* approximate: the drainer counts again in each run */
	uint32_t grown;			/* slices [0, grown) have memory */
	uint32_t posted;		/* grows with each flush that has no waiting thread */
	uint32_t freed;			/* grows when a slice becomes free, after its bit is set */
	uint64_t lost[8];		/* by enum spoor_loss_cause */

	/* Requests of the process to its drainer, one at a time. */
	_Alignas(64) uint32_t asked;	/* grows when `wanted` is set */
	uint32_t wanted;		/* enum spoor_pool_wish */
	uint32_t answered;		/* futex: the value of `asked` to which `answer` belongs */
	int32_t answer;			/* 0 or a negative errno */
	uint32_t ended;			/* nonzero: the process has announced its end */
	uint32_t leaver;		/* thread ID of a running thread that has left its last slice; 0: none */

	/* A slice is in `free`, in `full`, or in neither: then a thread or the drainer owns it, as its info
	 * says. */
	_Alignas(64) uint64_t free[SPOOR_POOL_BITMAP_WORDS];
	uint64_t full[SPOOR_POOL_BITMAP_WORDS];
	uint64_t warm[SPOOR_POOL_BITMAP_WORDS];	/* slices that have all their memory */

	struct spoor_clocks left;	/* when `ended` was set: the open calls end here, not with the process */
};

_Static_assert(sizeof(struct spoor_pool) <= SPOOR_POOL_MAILBOX_OFFSET, "the header fits");
_Static_assert(SPOOR_POOL_SLICES_OFFSET % SPOOR_POOL_SLICE_STRIDE == 0, "the gaps are aligned");
_Static_assert(SPOOR_LOSS_COUNT <= 8, "the counters fit");

static inline uint64_t spoor_pool_slice_offset(uint32_t slice)
{
	return SPOOR_POOL_SLICES_OFFSET + (uint64_t)slice * SPOOR_POOL_SLICE_STRIDE + SPOOR_SLICE_BYTES;
}

static inline struct spoor_slice_info *spoor_pool_info(struct spoor_pool *pool, uint32_t slice)
{
	return (struct spoor_slice_info *)((char *)pool + SPOOR_POOL_INFOS_OFFSET) + slice;
}

/* Sets a slice's bit in one of the bitmaps. */
static inline void spoor_pool_bit_put(uint64_t *bitmap, uint32_t slice)
{
	__atomic_fetch_or(&bitmap[slice / 64], 1ull << (slice % 64), __ATOMIC_ACQ_REL);
}

/* Marks a slice free, and tells threads that found no free slice. */
static inline void spoor_pool_free(struct spoor_pool *pool, uint32_t slice)
{
	spoor_pool_bit_put(pool->free, slice);
	__atomic_fetch_add(&pool->freed, 1, __ATOMIC_RELEASE);
}

static inline uint64_t spoor_pool_bytes(uint32_t slice_count)
{
	return SPOOR_POOL_SLICES_OFFSET + (uint64_t)slice_count * SPOOR_POOL_SLICE_STRIDE;
}

#endif
