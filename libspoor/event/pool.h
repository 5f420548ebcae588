/* SPDX-License-Identifier: MIT */
/*
 * pool.h - where slices come from, as the traced process uses it.
 *
 * Borrowing and retiring are lock-free: a slice changes hands by one atomic
 * operation on its bit, in `free` or in `full` (pool_format.h).
 */
#ifndef SPOOR_POOL_H
#define SPOOR_POOL_H

#include "event/event_path.h"

/* What a thread's first slice touches at least, so that idle threads cost one page. */
#define SPOOR_FIRST_SLICE_BYTES 4096u

/* What the configuration says of slices; set before the pool is made. */
struct spoor_pool_limits {
	uint32_t reserved;		/* slices [0, reserved) have memory from the start */
	uint32_t reserved_offset;	/* where their usable part begins, in bytes */
	uint32_t dynamic_offset;	/* the other slices' */
	uint32_t thread_slices;		/* full ones that a thread may have; 0: no limit */
	uint32_t ring_slices;		/* that it keeps in a ring */
	uint32_t borrow_attempts;	/* lost races for a slice; 0: no limit */
	int64_t retention_ns;		/* for how long a ring keeps what an ended thread left */
	uint32_t pages;			/* of memory that the other slices may take; 0: no limit */
	uint32_t low_water;		/* full slices that are worth waking the drainer for, at best */
};
extern struct spoor_pool_limits spoor_pool_limits;

/* What they have of them, and a bit for each slice that has its last page alone. */
extern uint32_t spoor_pool_pages;
extern uint64_t spoor_pool_small[SPOOR_POOL_BITMAP_WORDS];

/* Set when memory or disk ran out: from then on warm slices have to do. */
extern int spoor_pool_cannot_grow;

/* Slices are mapped inaccessible, and opened 64 at a time when one of them is first
 * used: a program that locks all its memory would otherwise get all of it. A bit each. */
#define SPOOR_POOL_OPENING 64u
#define SPOOR_POOL_OPENING_BYTES ((uint64_t)SPOOR_POOL_OPENING * SPOOR_POOL_SLICE_STRIDE)
extern uint64_t spoor_pool_opened[SPOOR_POOL_SLICE_COUNT_MAX / SPOOR_POOL_OPENING / 64];

/*
 * spoor_pool_create - makes an empty pool in a file and maps it.
 * @fd:          empty, writable; may be closed afterwards
 * @slice_count: at most SPOOR_POOL_SLICE_COUNT_MAX; halved while the address space is too small
 * @pool:        where the mapping is returned
 *
 * Return: 0, or a negative errno of ftruncate, mmap or madvise.
 */
int spoor_pool_create(int fd, uint64_t session_id, uint32_t slice_count, struct spoor_pool **pool);

/*
 * spoor_pool_reserve - puts memory behind the pool's reserved part.
 *
 * Return: how many of its slices have it.
 */
uint32_t spoor_pool_reserve(struct spoor_pool *pool);

void spoor_pool_unmap(struct spoor_pool *pool);

/*
 * spoor_pool_abandon - lets go of a parent's pool in a forked child.
 *
 * The fork may have been a signal handler's, and the event that it interrupted
 * goes on in the child: the place where it will be stored stays mapped, with
 * nothing behind it.
 */
void spoor_pool_abandon(struct spoor_pool *pool);

/* Gives the memory of free slices back, and the file's blocks. */
void spoor_pool_trim(struct spoor_pool *pool);

/*
 * spoor_pool_save - the pool as a file, for readers, where nobody is left to drain it.
 * @fd: empty, writable
 *
 * Return: 0, or a negative errno of ftruncate or pwrite; what was written before can be read.
 */
int spoor_pool_save(struct spoor_pool *pool, int fd);

/* Hands a slice to the drainer. */
void spoor_slice_retire(struct spoor_pool *pool, uint32_t slice, uint32_t words);

/* Retires what the thread itself holds; its next event borrows anew. */
void spoor_slice_leave(struct spoor_thread *thread);

/* Has full slices stay, or go to the drainer. Under the registry's lock. */
void spoor_ring_set(struct spoor_pool *pool, int on);

/* In circular mode, begins the retention of what the thread has left. */
void spoor_ring_ended(struct spoor_thread *thread);

/* Counts an event that is not stored. @thread may be null. */
void spoor_event_lost(struct spoor_thread *thread, enum spoor_loss_cause cause);

#endif
