/* SPDX-License-Identifier: MIT */
/*
 * batch.h - the blocks that a drainer writes with one system call, and their slices.
 *
 * Invariants
 *   I1  drain->buffer has room for one more block of any size, and drain->batch for one more slice. Code
 *       that adds to one of them calls spoor_batch_make_room afterwards.
 *   I2  The drainer owns the slices of drain->batch. They return to the pool only after their blocks are
 *       in the file, or were counted as lost.
 *   I3  drain->file_bytes, where the next write begins, is the end of a whole block.
 *
 * Only the drainer's own thread calls these functions.
 */
#ifndef SPOOR_DRAIN_BATCH_H
#define SPOOR_DRAIN_BATCH_H

#include "format/clocks.h"
#include "drain/drain_state.h"

#define SPOOR_BATCH_BYTES (1u << 20)	/* size of drain->buffer */
#define SPOOR_BATCH_SLICES 128u		/* size of drain->batch */

/* Returns the descriptor of the events file, for a write that follows, or a negative errno. */
int spoor_batch_fd(struct spoor_drain *drain);

/* Adds a block of @count words in drain->words. The caller adds their slice. */
void spoor_batch_put(struct spoor_drain *drain, const struct spoor_slice_info *info, uint32_t count, uint16_t flags,
		     const struct spoor_clocks *clocks);

/* Writes the batch if another block or slice might not fit. */
void spoor_batch_make_room(struct spoor_drain *drain);

/*
 * spoor_batch_write - writes the buffer to the file, whole or not at all, and frees its slices.
 *
 * If the write fails, the slices are full again, until drain->flush_attempts or the end is reached. Then
 * drain->stuck is set, and drain->error has the reason.
 */
void spoor_batch_write(struct spoor_drain *drain);

/* Number of words of a slice in use that are in the file. 0 if a ring has reused the slice since. */
static inline uint32_t spoor_batch_written(const struct spoor_drain *drain, uint32_t slice)
{
	return drain->written_since[slice] == (uint32_t)spoor_pool_info(drain->pool, slice)->counter
		? drain->written[slice] : 0;
}

static inline void spoor_batch_set_written(struct spoor_drain *drain, uint32_t slice, uint32_t words)
{
	drain->written[slice] = (uint16_t)words;
	drain->written_since[slice] = (uint32_t)spoor_pool_info(drain->pool, slice)->counter;
}

#endif
