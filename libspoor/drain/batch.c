/* SPDX-License-Identifier: MIT */
/* batch.c - writes the buffered blocks to the file and returns their slices to the pool. */
#define _GNU_SOURCE
#include "drain/batch.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "format/block.h"
#include "drain/pending_slices.h"
#include "format/packing.h"

#define BLOCK_BYTES_MAX (sizeof(struct spoor_block) + sizeof(struct spoor_slice_info) + \
			 SPOOR_PACKED_BYTES_MAX(SPOOR_SLICE_WORDS))
#define BUFFER_FULL (SPOOR_BATCH_BYTES - BLOCK_BYTES_MAX)

/* Takes the bytes of the batch from the limit that several drainers share. Returns whether the batch fits.
 * After the first one that does not, none fits. */
static bool is_within_limit(struct spoor_drain *drain)
{
	struct spoor_drain_limit *limit = drain->options.limit;
	uint64_t bytes = limit ? __atomic_load_n(&limit->bytes, __ATOMIC_RELAXED) : 0;

	if (!bytes || !drain->buffer_used)
		return true;
	if (__atomic_load_n(&limit->reached, __ATOMIC_RELAXED))
		return false;
	if (__atomic_add_fetch(&limit->used, drain->buffer_used, __ATOMIC_RELAXED) <= bytes)
		return true;
	__atomic_store_n(&limit->reached, true, __ATOMIC_RELAXED);
	return false;
}

int spoor_batch_fd(struct spoor_drain *drain)
{
	if (drain->options.file)
		drain->options.fd = drain->options.file(drain->options.context);
	return drain->options.fd;
}

void spoor_batch_write(struct spoor_drain *drain)
{
	struct spoor_pool *pool = drain->pool;
	bool failed, give_up = false, allowed = is_within_limit(drain);
	uint32_t cause = allowed ? SPOOR_LOSS_WRITE : SPOOR_LOSS_LIMIT;
	size_t done = 0;

	if (drain->buffer_used)
		spoor_batch_fd(drain);
	while (allowed && done < drain->buffer_used) {
		ssize_t bytes = pwrite(drain->options.fd, drain->buffer + done, drain->buffer_used - done,
				       (off_t)(drain->file_bytes + done));

		if (bytes < 0 && errno == EINTR)
			continue;
		if (bytes <= 0) {
			if (!drain->error)
				drain->error = bytes < 0 ? errno : ENOSPC;
			break;
		}
		done += (size_t)bytes;
	}
	failed = done != drain->buffer_used;
	/* Later drops are charged to this cause. */
	if (drain->buffer_used)
		__atomic_store_n(&pool->stuck, failed ? cause : 0, __ATOMIC_RELAXED);
	if (!failed) {
		drain->file_bytes += done;
		drain->events += drain->batch_events;
		drain->failures = 0;
	} else {
		if (allowed && drain->options.limit)
			__atomic_fetch_sub(&drain->options.limit->used, drain->buffer_used, __ATOMIC_RELAXED);
		if (ftruncate(drain->options.fd, (off_t)drain->file_bytes) < 0 && !drain->error)
			drain->error = errno;
		__atomic_store_n(&drain->stuck, true, __ATOMIC_RELAXED);
		give_up = drain->extent & SPOOR_DRAIN_FINAL || ++drain->failures == drain->flush_attempts;
		if (give_up)
			__atomic_fetch_add(&pool->lost[cause], drain->batch_events, __ATOMIC_RELAXED);
	}
	for (uint32_t i = 0; i < drain->batch_count; i++) {
		uint32_t slice = drain->batch[i];
		struct spoor_slice_info *info = spoor_pool_info(pool, slice);
		bool reusable = info->holes == 0;
		uint64_t *words;
		uint32_t most;

		if (failed && !give_up) {
			spoor_pool_bit_put(pool->full, slice);
			continue;
		}
		if (info->holes)
			__atomic_fetch_add(&pool->lost[SPOOR_LOSS_HOLE], info->holes, __ATOMIC_RELAXED);
		info->counter = 0;
		spoor_batch_set_written(drain, slice, 0);
		if (!reusable)
			continue;
		words = spoor_pending_slice_words(pool, slice, &most);
		memset(words, 0, (size_t)most * 8);
		spoor_pool_free(pool, slice);
	}
	if (give_up)
		drain->failures = 0;
	drain->batch_count = 0;
	drain->batch_events = 0;
	drain->buffer_used = 0;
}

/* Returns whether blocks have values. Makes the memory for packing them when the process has the first capture. */
static bool has_values(struct spoor_drain *drain)
{
	const struct spoor_value_layouts *layouts = spoor_pool_layouts(drain->pool);
	struct {
		struct spoor_value_model values;
		struct spoor_layout_index layouts;
	} *memory;

	if (drain->values || !__atomic_load_n(&layouts->used, __ATOMIC_RELAXED))
		return drain->values;
	memory = spoor_memory_map(sizeof(*memory));
	if (!memory)
		return false;
	drain->values = &memory->values;
	drain->layouts = &memory->layouts;
	drain->layouts->layouts = layouts;
	drain->values_bytes = sizeof(*memory);
	return true;
}

void spoor_batch_put(struct spoor_drain *drain, const struct spoor_slice_info *info, uint32_t count, uint16_t flags,
		     const struct spoor_clocks *clocks)
{
	uint8_t *block = drain->buffer + drain->buffer_used, *body = block + sizeof(struct spoor_block);
	struct spoor_block_facts facts = {
		.kind = SPOOR_BLOCK_EVENTS,
		.session_id = drain->pool->session_id,
		.process_id = info->process_id,
		.thread_id = info->thread_id,
		.sequence = info->sequence,
		.event_count = count,
		.compression = drain->unpacked ? SPOOR_COMPRESSION_NONE :
			       has_values(drain) ? SPOOR_COMPRESSION_VALUES : SPOOR_COMPRESSION_PACKED,
		.flags = flags,
		.clocks = *clocks,
	};
	size_t packed = (size_t)count * 8;

	memcpy(body, info, sizeof(*info));
	if (drain->unpacked) {
		memcpy(body + sizeof(*info), drain->words, packed);
		if (drain->options.seen)
			drain->options.seen->has_all = true;
	} else {
		packed = spoor_pack(drain->words, count, (uint32_t)info->counter, body + sizeof(*info), drain->packing,
				    drain->options.seen, drain->values, drain->layouts);
	}
	drain->buffer_used += spoor_block_seal(block, sizeof(*info) + packed, &facts);
}

/* Tells if the next block may exceed the limit: then each block is written separately. */
static bool is_near_limit(const struct spoor_drain *drain)
{
	const struct spoor_drain_limit *limit = drain->options.limit;
	uint64_t bytes = limit ? __atomic_load_n(&limit->bytes, __ATOMIC_RELAXED) : 0;

	return bytes && __atomic_load_n(&limit->used, __ATOMIC_RELAXED) + drain->buffer_used + BLOCK_BYTES_MAX > bytes;
}

void spoor_batch_make_room(struct spoor_drain *drain)
{
	if (drain->buffer_used > BUFFER_FULL || drain->batch_count == SPOOR_BATCH_SLICES || is_near_limit(drain))
		spoor_batch_write(drain);
}
