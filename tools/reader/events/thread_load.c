/* SPDX-License-Identifier: MIT */
/* thread_load.c - loads the words of a thread's slices from the events file, the pool or files of version 0. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "format/packing.h"
#include "reader/files/slices_ahead.h"
#include "reader/files/version0.h"

/* Working memory, for one block at a time. */
static _Thread_local struct spoor_value_model value_model;

int thread_events_room(struct thread_events *events, size_t words)
{
	uint64_t *room;

	if (words <= events->capacity)
		return 0;
	room = realloc(events->words, words * sizeof(*room));
	if (!room)
		return -ENOMEM;
	events->words = room;
	events->capacity = words;
	return 0;
}

/* Decodes the slice at @offset in the events file. Returns the number of words (>= 0), -EBADMSG, or -ENOMEM. */
long thread_events_load(struct thread_events *events, uint64_t offset, struct spoor_slice_info *info)
{
	struct block block;
	size_t count, bytes;
	const uint8_t *body;
	uint32_t holes;

	/* The block was good when it was indexed, but the file may have been cut since. */
	if (offset >= events->process->events.window.size ||
	    block_file_read(&events->process->events, offset, &block) != BLOCK_GOOD)
		return -EBADMSG;
	progress_add(sizeof(block.header) + block.header.payload_bytes);
	memcpy(info, block.body, sizeof(*info));
	body = block.body + sizeof(*info);
	bytes = block.body_bytes - sizeof(*info);
	count = (size_t)block.header.event_count;
	if (thread_events_room(events, count ? count : 1))
		return -ENOMEM;
	if (block.header.compression != SPOOR_COMPRESSION_NONE) {
		bool has_values = block.header.compression == SPOOR_COMPRESSION_VALUES;

		if (spoor_unpack(body, bytes, (uint32_t)info->counter, events->words, count, has_values ? &value_model : NULL))
			return -EBADMSG;
		return (long)count;
	}
	memcpy(events->words, body, count * 8);
	return (long)slice_compact(events->words, count, &holes);
}

long thread_events_load_place(struct thread_events *events, const struct thread_place *place,
			      struct spoor_slice_info *info)
{
	struct pool_file *pool = &events->process->pool;
	uint32_t slice = (uint32_t)place->place;

	if (place->place & THREAD_PLACE_VERSION0) {
		*info = (struct spoor_slice_info){ 0 };
		if (thread_events_room(events, VERSION0_SLICE_EVENTS * VERSION0_EVENT_WORDS))
			return -ENOMEM;
		return version0_load(events->process->version0, place->place, events->at.counter, events->words);
	}
	if (!(place->place & THREAD_PLACE_POOL))
		return thread_events_load(events, place->place, info);
	if (thread_events_room(events, SPOOR_SLICE_WORDS))
		return -ENOMEM;
	if (pool_file_info(pool, slice, info) <= 0 || info->thread_serial != events->thread->serial ||
	    info->sequence != place->sequence)
		return -ESTALE;
	return pool_file_words(pool, slice, info, events->words);
}

bool thread_events_load_next(struct thread_events *events, struct thread_place *place, struct spoor_slice_info *info,
			     long *count)
{
	*count = SLICE_LEFT;
	if (events->ahead ? !slices_ahead_take(events->ahead, events, place, info, count) :
			    !thread_walk_next(&events->walk, place))
		return false;
	if (*count == SLICE_LEFT)
		*count = thread_events_load_place(events, place, info);
	return true;
}
