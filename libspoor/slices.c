/* SPDX-License-Identifier: MIT */
/* slices.c - slices are borrowed from the pool and handed to the drainer; as slow_path.c is. */
#include "slices.h"

#include <linux/futex.h>
#include <linux/mman.h>
#include <sys/syscall.h>

#include "system.h"

/* Puts memory behind [address, address + bytes), or says that there is none:
 * touching a page of a full file system would be a SIGBUS. */
static int populate(uint64_t address, uint64_t bytes)
{
	return (int)spoor_system(SYS_madvise, (long)address, (long)bytes, MADV_POPULATE_WRITE, 0, 0, 0);
}

/* Makes a slice's part of the pool accessible. */
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

/* Where a slice's usable part begins once all of it has memory. */
static uint32_t least_offset(uint32_t slice)
{
	return slice < spoor_pool_limits.reserved ? spoor_pool_limits.reserved_offset
						  : spoor_pool_limits.dynamic_offset;
}

static int warm_up(struct spoor_pool *pool, uint32_t slice, uint32_t offset)
{
	int error = open_part(pool, slice);

	if (error == 0)
		error = populate((uint64_t)spoor_pool_info(pool, slice) & -4096ull, 4096);
	if (error == 0) {
		uint64_t begin = (slice_end(pool, slice) - SPOOR_SLICE_BYTES + offset) & -4096ull;

		error = populate(begin, slice_end(pool, slice) - begin);
	}
	if (error == 0 && offset == least_offset(slice))
		spoor_pool_bit_put(pool->warm, slice);
	return error;
}

uint32_t spoor_slice_grow(struct spoor_pool *pool, uint32_t slice, uint32_t offset)
{
	uint32_t least = least_offset(slice);

	return bit_test(pool->warm, slice) || warm_up(pool, slice, least) == 0 ? least : offset;
}

uint32_t spoor_pool_reserve(struct spoor_pool *pool)
{
	uint32_t slice = 0;

	while (slice < spoor_pool_limits.reserved && slice < pool->slice_count &&
	       (bit_test(pool->warm, slice) || warm_up(pool, slice, spoor_pool_limits.reserved_offset) == 0))
		slice++;
	return slice;
}

int64_t spoor_slice_borrow(struct spoor_pool *pool, int small, uint32_t *offset)
{
	int grows = !__atomic_load_n(&spoor_pool_cannot_grow, __ATOMIC_RELAXED);
	uint32_t words = (pool->slice_count + 63) / 64, lost_races = 0;

	for (uint32_t i = 0; i < words; i++) {
		uint64_t free = __atomic_load_n(&pool->free[i], __ATOMIC_RELAXED);

		if (!grows)
			free &= __atomic_load_n(&pool->warm[i], __ATOMIC_RELAXED);
		while (free) {
			uint32_t slice = i * 64 + (uint32_t)__builtin_ctzll(free);

			free &= free - 1;
			if (!bit_take(pool->free, slice)) {
				if (slice >= spoor_pool_limits.reserved &&
				    ++lost_races == spoor_pool_limits.borrow_attempts)
					return -1;
				continue;
			}
			*offset = least_offset(slice);
			if (bit_test(pool->warm, slice))
				return slice;
			if (small && *offset < SPOOR_SLICE_BYTES - SPOOR_FIRST_SLICE_BYTES)
				*offset = SPOOR_SLICE_BYTES - SPOOR_FIRST_SLICE_BYTES;
			if (warm_up(pool, slice, *offset) == 0)
				return slice;
			spoor_pool_bit_put(pool->free, slice);
			__atomic_store_n(&spoor_pool_cannot_grow, 1, __ATOMIC_RELAXED);
			return spoor_slice_borrow(pool, small, offset);
		}
	}
	return -1;
}

void spoor_drainer_wake(struct spoor_pool *pool)
{
	/* What a ring keeps is not drained before somebody asks. */
	if (pool->ring)
		return;
	/* Orders our bit in `full` before this load; the drainer stores `wake`,
	 * then looks at `full` once more. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&pool->wake, __ATOMIC_RELAXED))
		return;
	if (__atomic_exchange_n(&pool->wake, 0, __ATOMIC_RELAXED))
		spoor_system(SYS_futex, (long)&pool->wake, FUTEX_WAKE, 1, 0, 0, 0);
}

void spoor_slice_retire(struct spoor_pool *pool, uint32_t slice, uint32_t words)
{
	spoor_pool_info(pool, slice)->words = words;
	spoor_pool_bit_put(pool->full, slice);
	if (__atomic_add_fetch(&pool->full_count, 1, __ATOMIC_RELAXED) >= pool->low_water)
		spoor_drainer_wake(pool);
}
