/* SPDX-License-Identifier: MIT */
/* pool_memory.c - gives the memory of free slices back to the kernel. */
#define _GNU_SOURCE
#include "format/pool_memory.h"

#include <sys/mman.h>
#include <unistd.h>

bool spoor_pool_give_back(struct spoor_pool *pool, uint32_t slice)
{
	struct spoor_pool_memory *memory = spoor_pool_memory(pool);
	uint64_t bit = 1ull << (slice % 64);
	uintptr_t end = (uintptr_t)pool + spoor_pool_slice_offset(slice) + SPOOR_SLICE_BYTES, begin;
	bool warm, small;

	if (!(__atomic_fetch_and(&pool->free[slice / 64], ~bit, __ATOMIC_ACQ_REL) & bit))
		return false;
	warm = __atomic_fetch_and(&pool->warm[slice / 64], ~bit, __ATOMIC_RELAXED) & bit;
	small = __atomic_fetch_and(&memory->small[slice / 64], ~bit, __ATOMIC_RELAXED) & bit;
	if (warm || small) {
		begin = (end - SPOOR_SLICE_BYTES) & -(uintptr_t)sysconf(_SC_PAGESIZE);
		madvise((void *)begin, end - begin, MADV_REMOVE);
		if (slice >= memory->reserved)
			__atomic_fetch_sub(&memory->pages, warm ? memory->slice_pages : 1, __ATOMIC_RELAXED);
	}
	/* Threads that found no slice search again: there are pages for others. */
	spoor_pool_free(pool, slice);
	return warm || small;
}
