/* SPDX-License-Identifier: MIT */
/*
 * pool_memory.h - which slices of a pool have memory, and how their memory is given back.
 *
 * The process and its drainer, which may be in another process, give memory back. Both do so only with slices that
 * they have taken from `free`.
 */
#ifndef SPOOR_POOL_MEMORY_H
#define SPOOR_POOL_MEMORY_H

#include <stdbool.h>

#include "format/pool_format.h"

struct spoor_pool_memory {
	/* Written once. */
	uint32_t reserved;	/* slices [0, reserved) keep their memory while the runtime is on */
	uint32_t slice_pages;	/* pages of each other slice */

	uint32_t pages;		/* that slices other than the reserved ones have now */
	uint32_t cannot_grow;	/* nonzero: memory or disk is exhausted, so only slices with memory are used */
	uint64_t small[SPOOR_POOL_BITMAP_WORDS];	/* slices that have only their last page */

	/* Written once. Nonzero before Linux 5.14: all slices have memory from the beginning, and get none later. */
	uint32_t is_fixed;
};

#define SPOOR_POOL_MEMORY_OFFSET 62464u

_Static_assert(SPOOR_POOL_MEMORY_OFFSET + sizeof(struct spoor_pool_memory) <= SPOOR_POOL_INFOS_OFFSET, "must fit");

static inline struct spoor_pool_memory *spoor_pool_memory(struct spoor_pool *pool)
{
	return (struct spoor_pool_memory *)((char *)pool + SPOOR_POOL_MEMORY_OFFSET);
}

/* Returns the slices of word @i of the bitmaps that have memory, whole or one page. */
static inline uint64_t spoor_pool_with_memory(struct spoor_pool *pool, uint32_t i)
{
	return __atomic_load_n(&pool->warm[i], __ATOMIC_RELAXED) |
	       __atomic_load_n(&spoor_pool_memory(pool)->small[i], __ATOMIC_RELAXED);
}

/* Frees the memory of a slice, and its blocks in the file, if no thread has it. Returns whether it had memory. */
bool spoor_pool_give_back(struct spoor_pool *pool, uint32_t slice);

#endif
