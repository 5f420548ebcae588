/* SPDX-License-Identifier: MIT */
/*
 * batch.h - the blocks that a drainer writes at once, and their slices.
 *
 * Invariants
 *   I1  drain->buffer has room for one more block of any size, and drain->batch for one
 *       more slice: whoever adds to either calls spoor_batch_make_room afterwards.
 *   I2  The slices of drain->batch are the drainer's; they go back to the pool only
 *       when their blocks are in the file, or have been given up and counted as lost.
 *   I3  drain->file_bytes, behind which the next write goes, is the end of a whole block.
 *
 * The drainer's own thread alone.
 */
#ifndef SPOOR_DRAIN_BATCH_H
#define SPOOR_DRAIN_BATCH_H

#include "format/clocks.h"
#include "drain/drain_state.h"

#define SPOOR_BATCH_BYTES (1u << 20)	/* of drain->buffer */
#define SPOOR_BATCH_SLICES 128u		/* of drain->batch */

/* Returns the descriptor of the events file, for a write that follows, or a negative errno. */
int spoor_batch_fd(struct spoor_drain *drain);

/* Adds a block of @count words in drain->words; the slice that they are of is the caller's to add. */
void spoor_batch_put(struct spoor_drain *drain, const struct spoor_slice_info *info, uint32_t count, uint16_t flags,
		     const struct spoor_clocks *clocks);

/* Writes what there is, where one block or slice more could be too much. */
void spoor_batch_make_room(struct spoor_drain *drain);

/*
 * spoor_batch_write - the buffer to the file, whole or not at all; then its slices are
 * free again. Where that fails they are full once more, until drain->flush_attempts or
 * the end; drain->stuck says so and drain->error why.
 */
void spoor_batch_write(struct spoor_drain *drain);

/* How many words of a slice in use are in the file: of what it holds now, for a ring
 * reuses slices that the drainer never had. */
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
