/* SPDX-License-Identifier: MIT */
/* slices.c - borrows slices from the pool and passes full ones to the drainer. Restricted as slow_path.c. */
#include "event/slices.h"

#include <linux/errno.h>
#include <linux/futex.h>
#include <linux/mman.h>
#include <sys/syscall.h>

#include "base/large.h"
#include "base/memory.h"
#include "format/pool_memory.h"
#include "base/system.h"

uint64_t spoor_slice_claims[SPOOR_POOL_SLICE_COUNT_MAX] SPOOR_LARGE;

/* Allocates memory for [address, address + bytes). Returns 0 or an error: without the check, touching a page of
 * a full file system would raise SIGBUS. */
static int populate(uint64_t address, uint64_t bytes)
{
	uint64_t begin = address & -(uint64_t)spoor_page_bytes;

	return (int)spoor_system(SYS_madvise, (long)begin, (long)(address + bytes - begin), MADV_POPULATE_WRITE, 0, 0, 0);
}

/* Makes the part of the pool that contains a slice accessible. */
static int open_part(struct spoor_pool *pool, uint32_t slice)
{
	uint32_t part = slice / SPOOR_POOL_OPENING;
	uint64_t begin = (uint64_t)pool + SPOOR_POOL_SLICES_OFFSET + part * SPOOR_POOL_OPENING_BYTES;
	uint64_t end = (uint64_t)pool + spoor_pool_bytes(pool->slice_count);
	int error;

	if (bit_test(spoor_pool_opened, part))
		return 0;
	if (end > begin + SPOOR_POOL_OPENING_BYTES)
		end = begin + SPOOR_POOL_OPENING_BYTES;
	error = (int)spoor_system(SYS_mprotect, (long)begin, (long)(end - begin), PROT_READ | PROT_WRITE, 0, 0, 0);
	if (error == 0)
		spoor_pool_bit_put(spoor_pool_opened, part);
	return error;
}

/* Returns where the usable part of a slice begins if the whole slice has memory. */
static uint32_t least_offset(uint32_t slice)
{
	return slice < spoor_pool_limits.reserved ? spoor_pool_limits.reserved_offset
						  : spoor_pool_limits.dynamic_offset;
}

static uint32_t pages_from(uint32_t offset)
{
	return (SPOOR_SLICE_BYTES - offset + spoor_page_bytes - 1) / spoor_page_bytes;
}

/* Reserves pages of the pool's budget. */
static int charge(struct spoor_pool *pool, uint32_t pages)
{
	uint32_t taken = __atomic_load_n(&spoor_pool_memory(pool)->pages, __ATOMIC_RELAXED);

	do {
		if (spoor_pool_limits.pages && taken + pages > spoor_pool_limits.pages)
			return -ENOBUFS;
	} while (!__atomic_compare_exchange_n(&spoor_pool_memory(pool)->pages, &taken, taken + pages, 1, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return 0;
}

/* Allocates memory for a slice. Returns 0, -ENOBUFS if the pool's budget is used up, or the error of the system
 * call. */
static int warm_up(struct spoor_pool *pool, uint32_t slice, uint32_t offset)
{
	int was_small = bit_test(spoor_pool_memory(pool)->small, slice);
	uint32_t pages = slice < spoor_pool_limits.reserved ? 0 : pages_from(offset) - (uint32_t)was_small;
	int error = charge(pool, pages);

	if (error)
		return error;
	error = open_part(pool, slice);
	if (error == 0)
		error = populate((uint64_t)spoor_pool_info(pool, slice), sizeof(struct spoor_slice_info));
	if (error == 0)
		error = populate(slice_end(pool, slice) - SPOOR_SLICE_BYTES + offset, SPOOR_SLICE_BYTES - offset);
	if (error) {
		__atomic_fetch_sub(&spoor_pool_memory(pool)->pages, pages, __ATOMIC_RELAXED);
		return error;
	}
	if (offset != least_offset(slice)) {
		spoor_pool_bit_put(spoor_pool_memory(pool)->small, slice);
	} else {
		if (was_small)
			bit_take(spoor_pool_memory(pool)->small, slice);
		spoor_pool_bit_put(pool->warm, slice);
	}
	return 0;
}

uint32_t spoor_slice_grow(struct spoor_pool *pool, uint32_t slice, uint32_t offset)
{
	uint32_t least = least_offset(slice);

	return bit_test(pool->warm, slice) || warm_up(pool, slice, least) == 0 ? least : offset;
}

uint32_t spoor_pool_reserve(struct spoor_pool *pool)
{
	uint32_t slice = 0;
	int error = 0;

	for (; slice < spoor_pool_limits.reserved && slice < pool->slice_count; slice++) {
		/* A slice in use has memory. */
		if (bit_test(pool->warm, slice) || !bit_take(pool->free, slice))
			continue;
		error = warm_up(pool, slice, spoor_pool_limits.reserved_offset);
		spoor_pool_free(pool, slice);
		if (error)
			break;
	}
	return slice;
}

/* Errors of borrow. */
#define NONE_FREE (-1)
#define NO_MEMORY (-2)

/* @grows: also takes slices without memory */
static int64_t borrow(struct spoor_pool *pool, int small, int grows, uint32_t *offset)
{
	uint32_t words = (pool->slice_count + 63) / 64, lost_races = 0;

	for (uint32_t i = 0; i < words; i++) {
		uint64_t free = __atomic_load_n(&pool->free[i], __ATOMIC_RELAXED);

		if (!grows)
			free &= __atomic_load_n(&pool->warm[i], __ATOMIC_RELAXED) |
				__atomic_load_n(&spoor_pool_memory(pool)->small[i], __ATOMIC_RELAXED);
		while (free) {
			uint32_t slice = i * 64 + (uint32_t)__builtin_ctzll(free);
			int error;

			free &= free - 1;
			if (!bit_take(pool->free, slice)) {
				if (slice >= spoor_pool_limits.reserved &&
				    ++lost_races == spoor_pool_limits.borrow_attempts)
					return NONE_FREE;
				continue;
			}
			/* Another thread still tries to take the slice from its last owner (reclaim.c, rule 4). */
			if (spoor_claim_state(slice) == SPOOR_CLAIM_CLAIMED) {
				spoor_pool_bit_put(pool->free, slice);
				continue;
			}
			*offset = least_offset(slice);
			if (bit_test(pool->warm, slice))
				return slice;
			if ((small || !grows) && *offset < SPOOR_SLICE_BYTES - SPOOR_FIRST_SLICE_BYTES)
				*offset = SPOOR_SLICE_BYTES - SPOOR_FIRST_SLICE_BYTES;
			if (!grows && bit_test(spoor_pool_memory(pool)->small, slice))
				return slice;
			error = grows ? warm_up(pool, slice, *offset) : -ENOBUFS;
			if (error == 0)
				return slice;
			/* Set the bit without counting in `freed`: another thread could not use the slice
			 * either. */
			spoor_pool_bit_put(pool->free, slice);
			if (!grows)
				continue;
			if (error != -ENOBUFS)
				__atomic_store_n(&spoor_pool_memory(pool)->cannot_grow, 1, __ATOMIC_RELAXED);
			return NO_MEMORY;
		}
	}
	return NONE_FREE;
}

int64_t spoor_slice_borrow(struct spoor_pool *pool, int small, uint32_t *offset)
{
	int grows = !__atomic_load_n(&spoor_pool_memory(pool)->cannot_grow, __ATOMIC_RELAXED);
	int64_t slice = grows ? borrow(pool, small, 1, offset) : NO_MEMORY;

	/* First slices that have memory, whole or one page; then one page more. */
	if (slice == NO_MEMORY)
		slice = borrow(pool, small, 0, offset);
	if (slice < 0 && grows && !small)
		slice = borrow(pool, 1, 1, offset);
	return slice < 0 ? -1 : slice;
}

/* Tells if few slices are left, so that full ones must be drained one by one: idle threads may hold the others
 * for ever. Looks at one or two words if many are free. */
static int is_short(struct spoor_pool *pool)
{
	uint32_t pages = pages_from(spoor_pool_limits.dynamic_offset), found = 0;
	uint32_t taken = __atomic_load_n(&spoor_pool_memory(pool)->pages, __ATOMIC_RELAXED);
	uint32_t left = taken < spoor_pool_limits.pages ? spoor_pool_limits.pages - taken : 0;

	for (uint32_t i = 0; i < (pool->slice_count + 63) / 64; i++) {
		uint64_t free = __atomic_load_n(&pool->free[i], __ATOMIC_RELAXED);
		uint64_t warm = __atomic_load_n(&pool->warm[i], __ATOMIC_RELAXED);

		for (; free; free &= free - 1) {
			if (!(free & -free & warm) && spoor_pool_limits.pages) {
				if (left < pages) {
					free &= warm | (free & -free);
					continue;
				}
				left -= pages;
			}
			if (++found > spoor_pool_limits.low_water)
				return 0;
		}
	}
	return 1;
}

int spoor_drainer_awaited;

void spoor_drainer_wake(struct spoor_pool *pool)
{
	/* Orders the bit in `full` before this load. The drainer stores 1 into `wake`, then reads `full`
	 * (drain/drain.h, I1). */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&pool->wake, __ATOMIC_RELAXED))
		return;
	if (__atomic_exchange_n(&pool->wake, 0, __ATOMIC_RELAXED))
		spoor_system(SYS_futex, (long)&pool->wake, FUTEX_WAKE, 1, 0, 0, 0);
}

void spoor_slice_retire(struct spoor_pool *pool, uint32_t slice, uint32_t words)
{
	uint32_t low_water = pool->ring || !is_short(pool) ? spoor_pool_limits.low_water : 1;

	spoor_pool_info(pool, slice)->words = words;
	/* For threads that retire slices later. */
	if (low_water && low_water != __atomic_load_n(&pool->low_water, __ATOMIC_RELAXED))
		__atomic_store_n(&pool->low_water, low_water, __ATOMIC_RELAXED);
	spoor_pool_bit_put(pool->full, slice);
	/* After the bit: pairs with count_full. In ring mode slices are drained only on request. */
	if (__atomic_add_fetch(&pool->full_count, 1, __ATOMIC_RELEASE) >= pool->low_water && !pool->ring)
		spoor_drainer_wake(pool);
}
