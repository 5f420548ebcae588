/* SPDX-License-Identifier: MIT */
/*
 * pool_format.h - the pool as shared memory: a file in the process's trace
 * folder, or a memfd that a recorder holds.
 *
 *   offset 0                  struct spoor_pool
 *   SPOOR_POOL_MAILBOX_OFFSET struct spoor_mailbox (mailbox.h): what `spoor ctl` asks for
 *   SPOOR_POOL_TRIGGER_OFFSET struct spoor_trigger (trigger_format.h): calls that must not take too long
 *   SPOOR_POOL_BOARD_OFFSET   struct spoor_status_page (status_page_format.h): what the process says of itself
 *   SPOOR_POOL_INFOS_OFFSET   struct spoor_slice_info of each slice
 *   SPOOR_POOL_SLICES_OFFSET  slice 0's gap, slice 0, slice 1's gap, ...
 *
 * A slice is SPOOR_SLICE_BYTES of event words; its thread may have begun in the
 * middle (spoor_slice_info.offset) to touch less memory. The gap before each
 * is never touched, so the file is sparse there; mapped at a multiple of the
 * stride, an address is inside a slice if and only if
 * (address & SPOOR_SLICE_BYTES) != 0. The event path asks nothing else.
 *
 * Whoever reads a pool of a process that may have been killed at any
 * instruction trusts no field: states come from the bitmaps and
 * from what a slice's own words say. A slice in use without any word is as if
 * it were free: a thread that never came to use it may have left its info.
 */
#ifndef SPOOR_POOL_FORMAT_H
#define SPOOR_POOL_FORMAT_H

#include "format/trace_format.h"

#define SPOOR_POOL_MAGIC 0x316c6f6f70727073ull	/* "sprpool1" */
#define SPOOR_POOL_SLICE_COUNT_MAX 16384u
#define SPOOR_POOL_BITMAP_WORDS (SPOOR_POOL_SLICE_COUNT_MAX / 64)
#define SPOOR_POOL_SLICE_STRIDE (2 * SPOOR_SLICE_BYTES)
#define SPOOR_POOL_MAILBOX_OFFSET 8192u
#define SPOOR_POOL_TRIGGER_OFFSET 20480u
#define SPOOR_POOL_BOARD_OFFSET 32768u
#define SPOOR_POOL_INFOS_OFFSET 65536u
#define SPOOR_POOL_SLICES_OFFSET \
	(SPOOR_POOL_INFOS_OFFSET + SPOOR_POOL_SLICE_COUNT_MAX * (uint32_t)sizeof(struct spoor_slice_info))

struct spoor_clocks {
	uint64_t counter;
	int64_t steady_ns;
	int64_t system_ns;
};

/* May be put together. */
enum spoor_pool_wish {
	SPOOR_WISH_FLUSH = 1,	/* all that is stored to be in the file, slices in use too */
	SPOOR_WISH_CLEAR = 2,	/* all that is stored and not in the file to be dropped */
};

struct spoor_pool {
	/* Written once, before the pool is handed to anybody. */
	uint64_t magic;
	uint32_t version;		/* SPOOR_TRACE_VERSION */
	uint32_t slice_bytes;		/* SPOOR_SLICE_BYTES */
	uint32_t slice_count;
	uint32_t process_id;
	uint64_t session_id;
	struct spoor_clocks begin;
	uint32_t unpacked;		/* nonzero: events are written as they are stored */
	uint32_t flush_attempts;	/* failed writes before events are dropped; 0: no limit */
	uint32_t ring;			/* nonzero: full slices stay until they are asked for; changes */
	uint32_t room;			/* slices that there may be memory for, all used whole */

	/* The drainer's side. */
	_Alignas(64) uint32_t wake;	/* futex: 0 after a call, 1 since the drainer looked last (drain/drain.h, I1) */
	uint32_t low_water;		/* full slices that are worth waking it for; 1 while few are free */
	uint32_t recorder;		/* thread ID of one in another process, by the kernel FUTEX_OWNER_DIED */
	uint32_t counter_is_clock;	/* nonzero: time_source.h; written with the upper fields */
	struct spoor_clocks latest;
	uint64_t events, file_bytes;	/* written so far */
	uint32_t stuck;			/* why the last write failed, enum spoor_loss_cause; 0: it did not */

	/* Everybody's, on slow paths. */
	_Alignas(64) uint32_t full_count;	/* about: the drainer counts anew at each run */
	uint32_t grown;			/* slices [0, grown) have memory behind them */
	uint32_t posted;		/* goes up for a flush that nobody waits for */
	uint32_t freed;			/* goes up when a slice has become free, behind its bit */
	uint64_t lost[8];		/* by enum spoor_loss_cause */

	/* What the process asks of its drainer, one thing at a time. */
	_Alignas(64) uint32_t asked;	/* goes up when `wanted` is set */
	uint32_t wanted;		/* enum spoor_pool_wish */
	uint32_t answered;		/* futex: as `asked` was, when `answer` holds */
	int32_t answer;			/* 0 or a negative errno */
	uint32_t ended;			/* nonzero: the process has said that it ends */
	uint32_t leaver;		/* thread ID of one that has left its last slice, and is there; 0: none */

	/* A slice is free, full, or in neither map: owned by a thread or by
	 * the drainer, and its info says by whom. */
	_Alignas(64) uint64_t free[SPOOR_POOL_BITMAP_WORDS];
	uint64_t full[SPOOR_POOL_BITMAP_WORDS];
	uint64_t warm[SPOOR_POOL_BITMAP_WORDS];	/* has all its memory behind it */

	struct spoor_clocks left;	/* when `ended` was set: until then the process's calls lasted, not its end's */
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

/* A slice's bit in one of the maps. */
static inline void spoor_pool_bit_put(uint64_t *bitmap, uint32_t slice)
{
	__atomic_fetch_or(&bitmap[slice / 64], 1ull << (slice % 64), __ATOMIC_ACQ_REL);
}

/* A slice is free again, for whoever found none, too. */
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
