/* SPDX-License-Identifier: MIT */
/*
 * reclaim.c - takes partly filled slices from threads that have had them for a while, if few slices are left.
 *
 * Otherwise threads that log little would keep the pool, and a busy thread would lose its events. A taken slice
 * goes to the drainer like a full one, and its thread borrows another one for its next event.
 *
 * The event path moves the cursor without a locked instruction, so it can overwrite a cursor that another thread
 * stores at that moment. The rules:
 *
 *   1  Each use of a slice has a claim (slices.h). The taker changes it from open to claimed, then replaces the
 *      cursor by one that names the slice, its words and the next sequence number.
 *   2  After membarrier(2) no thread is in the middle of an instruction that began before the replacement. If the
 *      cursor still has the new value, or the thread has seen it, the thread has lost the slice. Otherwise the
 *      thread has overwritten the new value and keeps the slice, and the taker opens the claim again.
 *   3  The thread that changes the claim from claimed to done retires the slice: the taker, or the owner, whose
 *      next event finds the cursor. The owner changes the claim before the cursor.
 *   4  A slice with a claimed use is not borrowed. So a cursor that the taker has read cannot come back in a later
 *      use before the taker replaces it.
 *
 * A slot that the thread reserved before, and has not stored yet, is a hole: the drainer waits for it, and does
 * not free a slice with a hole. tests/models/reclaim.pml models all of this.
 *
 * Restricted as slow_path.c. A taker that never continues, because a signal handler jumped out of it, leaves one
 * slice that is not used again.
 */
#include "event/reclaim.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>

#include "base/large.h"
#include "base/memory.h"
#include "base/system.h"
#include "base/time_source.h"
#include "format/pool_memory.h"
#include "format/trigger_format.h"

/* Slices that one search looks at, and takes. */
#define LOOKED_MAX 512u
#define TAKEN_MAX 4u	/* few, because the thread's stack may be small */
/* Searches that find slices are made so many times as often as those that find none. */
#define PAUSES 8u
/* 0.2 to 0.5 ms on most processors. */
#define LEAST_COUNTS (1ull << (SPOOR_QUARTER_SHIFT - 10))

uint64_t spoor_reclaim_counts = LEAST_COUNTS;
static struct spoor_thread *owners[SPOOR_POOL_SLICE_COUNT_MAX] SPOOR_LARGE;	/* of the last use of each slice */

struct taken {
	uint64_t claim;		/* as it was while the use was open */
	uint64_t cursor;	/* the new one */
};

/* A cursor without a slice (event_path.h, I1) that shows which slice was taken from the thread. Bits 16 and 17 are
 * 0, and the bits below them count what the thread reserves until it sees the cursor. */
#define TAKEN_SLICE_SHIFT 18
#define TAKEN_WORDS_SHIFT 32
#define TAKEN_NEXT_SHIFT 45
#define TAKEN_COUNTED 0xffffull
_Static_assert(SPOOR_POOL_SLICE_COUNT_MAX <= 1u << (TAKEN_WORDS_SHIFT - TAKEN_SLICE_SHIFT), "a slice's number fits");
_Static_assert(SPOOR_SLICE_WORDS < 1u << (TAKEN_NEXT_SHIFT - TAKEN_WORDS_SHIFT), "a number of words fits");
_Static_assert(SPOOR_SLICE_BIT == (TAKEN_COUNTED + 1) / 2, "the cursor is in no slice");

static uint32_t taken_slice(uint64_t cursor)
{
	return (uint32_t)(cursor >> TAKEN_SLICE_SHIFT) % SPOOR_POOL_SLICE_COUNT_MAX;
}

static uint32_t taken_words(uint64_t cursor)
{
	return (uint32_t)(cursor >> TAKEN_WORDS_SHIFT) % (1u << (TAKEN_NEXT_SHIFT - TAKEN_WORDS_SHIFT));
}

static int claim_change(uint32_t slice, uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(&spoor_slice_claims[slice], &from, to, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static uint64_t claim_open(uint32_t serial, uint64_t sequence)
{
	return (uint64_t)serial << 32 | (uint32_t)sequence << 2 | SPOOR_CLAIM_OPEN;
}

void spoor_claim_begin(struct spoor_thread *thread, uint32_t slice, uint64_t sequence)
{
	__atomic_store_n(&owners[slice], thread, __ATOMIC_RELAXED);
	__atomic_store_n(&spoor_slice_claims[slice], claim_open(thread->serial, sequence), __ATOMIC_RELAXED);
	/* Before the cursor. Pairs with the load of the cursor in take. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

/* __builtin_popcountll would call libgcc's function, which uses a vector register on AArch64. */
static uint32_t count_bits(uint64_t word)
{
	word -= word >> 1 & 0x5555555555555555;
	word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
	word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return (uint32_t)(word * 0x0101010101010101 >> 56);
}

/* Tells if less than a sixteenth of the pool's memory is left for threads, counting each slice that waits for the
 * drainer as a page. Looks at one or two words of the bitmaps if more is left. */
static int is_scarce(struct spoor_pool *pool)
{
	uint32_t pages = (SPOOR_SLICE_BYTES - spoor_pool_limits.dynamic_offset + spoor_page_bytes - 1) / spoor_page_bytes;
	uint32_t taken = __atomic_load_n(&spoor_pool_memory(pool)->pages, __ATOMIC_RELAXED), limit = spoor_pool_limits.pages;
	uint32_t left = limit == 0 ? UINT32_MAX : taken < limit ? limit - taken : 0;
	uint32_t found = __atomic_load_n(&pool->full_count, __ATOMIC_RELAXED);

	if (__atomic_load_n(&spoor_pool_memory(pool)->cannot_grow, __ATOMIC_RELAXED))
		left = 0;
	for (uint32_t i = 0; i < (pool->slice_count + 63) / 64; i++) {
		uint64_t free = __atomic_load_n(&pool->free[i], __ATOMIC_RELAXED);
		uint64_t warm = __atomic_load_n(&pool->warm[i], __ATOMIC_RELAXED);
		uint64_t small = __atomic_load_n(&spoor_pool_memory(pool)->small[i], __ATOMIC_RELAXED);
		uint32_t cold = pages * count_bits(free & ~warm & ~small);

		if (cold > left)
			cold = left;
		left -= limit ? cold : 0;
		found += cold + pages * count_bits(free & warm) +
			 count_bits(free & small & ~warm);
		if (found > spoor_pool_limits.low_water * pages)
			return 0;
	}
	return 1;
}

/* Returns whether the thread's cursor was replaced. */
static int take(struct spoor_pool *pool, uint32_t slice, const struct spoor_thread *self, uint64_t counter,
		struct taken *taken)
{
	struct spoor_slice_info *info = spoor_pool_info(pool, slice);
	uint64_t claim = __atomic_load_n(&spoor_slice_claims[slice], __ATOMIC_ACQUIRE);
	struct spoor_thread *owner = __atomic_load_n(&owners[slice], __ATOMIC_RELAXED);
	uint64_t since = __atomic_load_n(&info->counter, __ATOMIC_RELAXED), cursor, begin;

	if (!owner || owner == self || !since || (int64_t)(counter - since) < (int64_t)spoor_reclaim_counts)
		return 0;
	if ((claim & 3) != SPOOR_CLAIM_OPEN || !claim_change(slice, claim, claim | SPOOR_CLAIM_CLAIMED))
		return 0;
	/* Rule 4: either this thread sees that the owner has left the slice, or its next owner sees the claim. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	cursor = __atomic_load_n(&owner->cursor, __ATOMIC_ACQUIRE);
	begin = slice_end(pool, slice) - SPOOR_SLICE_BYTES + info->offset;
	/* A claim of an earlier use would have been replaced by now. */
	if (cursor & SPOOR_SLICE_BIT && slice_of(pool, cursor) == slice && cursor > begin &&
	    __atomic_load_n(&spoor_slice_claims[slice], __ATOMIC_RELAXED) == (claim | SPOOR_CLAIM_CLAIMED)) {
		taken->claim = claim;
		taken->cursor = (uint64_t)SPOOR_CURSOR_TAKEN << 61 | (uint64_t)slice << TAKEN_SLICE_SHIFT |
				(cursor - begin) / 8 << TAKEN_WORDS_SHIFT |
				(uint64_t)(uint16_t)((claim >> 2) + 1) << TAKEN_NEXT_SHIFT;
		if (__atomic_compare_exchange_n(&owner->cursor, &cursor, taken->cursor, 0, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			return 1;
	}
	claim_change(slice, claim | SPOOR_CLAIM_CLAIMED, claim);
	return 0;
}

/* Takes slices in use, from where the last search ended. Returns their number. */
static uint32_t search(struct spoor_pool *pool, const struct spoor_thread *self, uint64_t counter, struct taken *taken)
{
	static uint32_t hand;	/* a word of the bitmaps */
	uint32_t words = (pool->slice_count + 63) / 64, begin = __atomic_load_n(&hand, __ATOMIC_RELAXED);
	uint32_t looked = 0, count = 0, n;

	/* A signal handler forked: the parent's pool is gone (spoor_pool_abandon). */
	if (!words)
		return 0;
	for (n = 0; n < words && looked < LOOKED_MAX && count < TAKEN_MAX; n++) {
		uint32_t i = (begin + n) % words;
		uint64_t used = ~(__atomic_load_n(&pool->free[i], __ATOMIC_RELAXED) |
				  __atomic_load_n(&pool->full[i], __ATOMIC_RELAXED));

		if (pool->slice_count - i * 64 < 64)
			used &= (1ull << (pool->slice_count - i * 64)) - 1;
		for (; used && count < TAKEN_MAX; used &= used - 1, looked++)
			count += (uint32_t)take(pool, i * 64 + (uint32_t)__builtin_ctzll(used), self, counter, &taken[count]);
	}
	/* The last word may have more. */
	__atomic_store_n(&hand, (begin + n - 1) % words, __ATOMIC_RELAXED);
	return count;
}

/* Orders the cursors that this thread replaced before against the instructions of all threads (rule 2). Fails if the
 * kernel refuses the call. */
static int barrier(void)
{
	return (int)spoor_system(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0, 0, 0, 0);
}

/* Passes the slice in a taken cursor to the drainer. */
static void retire(struct spoor_pool *pool, uint64_t cursor)
{
	uint32_t slice = taken_slice(cursor);

	spoor_pool_info(pool, slice)->ended_ns = SPOOR_SLICE_TAKEN;
	spoor_slice_retire(pool, slice, taken_words(cursor));
}

uint32_t spoor_reclaim(struct spoor_pool *pool, const struct spoor_thread *self)
{
	static uint64_t due;
	static int usable;	/* 1: the barrier works; -1: it does not; 0: unknown */
	uint64_t counter;
	struct taken taken[TAKEN_MAX];
	uint32_t count, retired = 0;

	/* A full disk has no room for more slices, a ring keeps the last events of each thread, and the trigger watch
	 * looks at the slice of each thread. */
	if (pool->ring || __atomic_load_n(&pool->stuck, __ATOMIC_RELAXED) || spoor_pool_trigger(pool)->limit_ns ||
	    !is_scarce(pool))
		return 0;
	counter = spoor_counter();
	if ((int64_t)(counter - __atomic_load_n(&due, __ATOMIC_RELAXED)) < 0)
		return 0;
	if (!__atomic_load_n(&usable, __ATOMIC_RELAXED))
		__atomic_store_n(&usable, barrier() == 0 ? 1 : -1, __ATOMIC_RELAXED);
	if (__atomic_load_n(&usable, __ATOMIC_RELAXED) < 0)
		return 0;
	count = search(pool, self, counter, taken);
	/* If more threads log than the pool has slices, most of the time must not go into searches. */
	__atomic_store_n(&due, counter + spoor_reclaim_counts / (count ? PAUSES : 1), __ATOMIC_RELAXED);
	if (!count)
		return 0;
	if (barrier() != 0) {
		/* A filter of system calls is new: the owners will see their cursors. */
		__atomic_store_n(&usable, -1, __ATOMIC_RELAXED);
		return 0;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t slice = taken_slice(taken[i].cursor);
		uint64_t claimed = taken[i].claim | SPOOR_CLAIM_CLAIMED;
		uint64_t cursor = __atomic_load_n(&owners[slice]->cursor, __ATOMIC_ACQUIRE);

		if ((cursor & ~TAKEN_COUNTED) != taken[i].cursor) {
			claim_change(slice, claimed, taken[i].claim);
		} else if (claim_change(slice, claimed, taken[i].claim | SPOOR_CLAIM_DONE)) {
			retire(pool, taken[i].cursor);
			retired++;
		}
	}
	return retired;
}

void spoor_slice_taken(struct spoor_pool *pool, struct spoor_thread *thread, uint64_t cursor)
{
	uint32_t slice = taken_slice(cursor);
	uint64_t next = __atomic_load_n(&thread->next_sequence, __ATOMIC_RELAXED), claim;

	/* The slice may have been taken before its thread stored the next number, or a handler has continued. */
	next += (uint64_t)(int16_t)((uint16_t)(cursor >> TAKEN_NEXT_SHIFT) - (uint16_t)next);
	spoor_sequence_advance(thread, next);
	claim = claim_open(thread->serial, next - 1);
	if (claim_change(slice, claim | SPOOR_CLAIM_CLAIMED, claim | SPOOR_CLAIM_DONE))
		retire(pool, cursor);
}
