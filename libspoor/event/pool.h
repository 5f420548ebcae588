/* SPDX-License-Identifier: MIT */
/*
 * pool.h - the pool of slices, as the traced process uses it.
 *
 * Borrowing and retiring are lock-free: a slice changes its owner by one atomic operation on its bit in
 * `free` or `full` (pool_format.h).
 */
#ifndef SPOOR_POOL_H
#define SPOOR_POOL_H

#include "event/event_path.h"

/* Size of a thread's first slice, in bytes: idle threads cost one page. */
#define SPOOR_FIRST_SLICE_BYTES 4096u

/* Limits from the configuration; set before the pool is created. */
struct spoor_pool_limits {
	uint32_t reserved;		/* slices [0, reserved) have memory from the start */
	uint32_t reserved_offset;	/* where their usable part begins, in bytes */
	uint32_t dynamic_offset;	/* the same for the other slices */
	uint32_t thread_slices;		/* full slices that a thread may have; 0: no limit */
	uint32_t ring_slices;		/* slices that a thread keeps in ring mode */
	uint32_t borrow_attempts;	/* lost races for a slice; 0: no limit */
	int64_t retention_ns;		/* how long a ring keeps an ended thread's events */
	uint32_t pages;			/* pages of memory for the other slices; 0: no limit */
	uint32_t low_water;		/* at most so many full slices wait before the drainer is woken */
};
extern struct spoor_pool_limits spoor_pool_limits;

/* Slices are mapped inaccessible. 64 at a time become accessible when one of them is first used. Otherwise a
 * program that locks all its memory would get memory for all slices. A bit per part. */
#define SPOOR_POOL_OPENING 64u
#define SPOOR_POOL_OPENING_BYTES ((uint64_t)SPOOR_POOL_OPENING * SPOOR_POOL_SLICE_STRIDE)
extern uint64_t spoor_pool_opened[SPOOR_POOL_SLICE_COUNT_MAX / SPOOR_POOL_OPENING / 64];

/*
 * spoor_pool_create - creates an empty pool in a file and maps it.
 * @fd:          empty, writable; the caller may close it afterwards
 * @slice_count: at most SPOOR_POOL_SLICE_COUNT_MAX; halved while the address space is too small
 * @pool:        out: the mapping
 *
 * Return: 0, or a negative errno of ftruncate, mmap or madvise.
 */
int spoor_pool_create(int fd, uint64_t session_id, uint32_t slice_count, struct spoor_pool **pool);

/*
 * spoor_pool_reserve - allocates the missing memory of the pool's reserved part. Any thread.
 *
 * Return: the number of its slices that have memory.
 */
uint32_t spoor_pool_reserve(struct spoor_pool *pool);

void spoor_pool_unmap(struct spoor_pool *pool);

/*
 * spoor_pool_abandon - releases the parent's pool in a forked child.
 *
 * A signal handler may have called fork, and the interrupted event continues in the child. So the
 * addresses where the event may be stored stay mapped, to anonymous memory.
 */
void spoor_pool_abandon(struct spoor_pool *pool);

/* Frees the memory of free slices, and their blocks in the file. */
void spoor_pool_trim(struct spoor_pool *pool);

/*
 * spoor_pool_save - writes the pool to a file for readers, when no drainer is left.
 * @fd: empty, writable
 *
 * Return: 0, or a negative errno of ftruncate or pwrite. Readers can use a partly written file.
 */
int spoor_pool_save(struct spoor_pool *pool, int fd);

/* Passes a slice to the drainer. */
void spoor_slice_retire(struct spoor_pool *pool, uint32_t slice, uint32_t words);

/* Retires the slice of the calling thread, which borrows another one for its next event. */
void spoor_slice_leave(struct spoor_thread *thread);

/* Switches ring mode on or off. Under the registry's lock. */
void spoor_ring_set(struct spoor_pool *pool, int on);

/* In ring mode, starts the retention time of an ended thread's slices. */
void spoor_ring_ended(struct spoor_thread *thread);

/* Counts a lost event. @thread may be null. */
void spoor_event_lost(struct spoor_thread *thread, enum spoor_loss_cause cause);

#endif
