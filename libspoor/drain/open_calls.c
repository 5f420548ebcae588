/* SPDX-License-Identifier: MIT */
/* open_calls.c - follows one thread's entries and exits. About 2 ns a word. */
#include "drain/open_calls.h"

#include <string.h>

#include "drain/pending_slices.h"

#define SEARCH_MAX 64u	/* calls that are looked through for one that ends */

void watched_thread_begin(struct watched_thread *thread, uint32_t serial)
{
	memset(thread, 0, sizeof(*thread) - sizeof(thread->calls));
	thread->serial = serial;
	thread->ended = true;
}

/* Nothing is known of its open calls any more. */
static void forget(struct watched_thread *thread)
{
	thread->depth = thread->above = thread->armed = 0;
}

static bool is_watched(const struct spoor_trigger *trigger, uint32_t index)
{
	uint32_t low = 0, high = trigger->range_count;

	/* The last one that does not begin behind it. */
	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (trigger->ranges[middle].begin <= index)
			low = middle + 1;
		else
			high = middle;
	}
	return low && index < trigger->ranges[low - 1].end;
}

static void enter(struct watched_thread *thread, const struct spoor_trigger *trigger, uint32_t index)
{
	if (thread->depth == WATCHED_DEPTH_MAX) {
		thread->above++;
		return;
	}
	thread->calls[thread->depth] = (struct watched_call){ thread->counter, index, 0, is_watched(trigger, index) };
	thread->armed += thread->calls[thread->depth++].armed;
}

/* The innermost call is over. */
static void pop(struct watched_thread *thread, uint64_t limit)
{
	const struct watched_call *call = &thread->calls[--thread->depth];

	if (!call->armed)
		return;
	thread->armed--;
	if (thread->counter - call->since >= limit && thread->late_count < WATCHED_LATE_MAX) {
		thread->late[thread->late_count].since = call->since;
		thread->late[thread->late_count].ended = thread->counter;
		thread->late[thread->late_count++].index = call->index;
	}
}

/* An exit ends the innermost call of its function, and all within that. One whose entry was
 * never logged ends none. */
static void leave(struct watched_thread *thread, uint32_t index, uint64_t limit)
{
	uint32_t at = thread->depth, least = at > SEARCH_MAX ? at - SEARCH_MAX : 0;

	if (thread->above) {
		thread->above--;
		return;
	}
	while (at > least && thread->calls[at - 1].index != index)
		at--;
	while (at > least && thread->depth >= at)
		pop(thread, limit);
}

/* The call that has this frame is the innermost from now on; none is where it is not known,
 * or the thread ends. */
static void unwind(struct watched_thread *thread, uint32_t frame, uint64_t limit)
{
	uint32_t at = frame ? thread->depth : 0;

	while (at && thread->calls[at - 1].frame != frame)
		at--;
	thread->above = 0;
	while (thread->depth > at)
		pop(thread, limit);
}

static void take_event(struct watched_thread *thread, const struct spoor_trigger *trigger, uint32_t code, uint64_t limit)
{
	uint32_t index = code & SPOOR_INDEX_MAX;

	switch (code >> SPOOR_INDEX_BITS) {
	case SPOOR_EVENT_ENTRY:
		enter(thread, trigger, index);
		break;
	case SPOOR_EVENT_EXIT:
	case SPOOR_EVENT_TAIL_EXIT:
		leave(thread, index, limit);
		break;
	case SPOOR_EVENT_FRAME:
		if (thread->depth && !thread->above)
			thread->calls[thread->depth - 1].frame = index;
		break;
	case SPOOR_EVENT_UNWIND:
		unwind(thread, index, limit);
		break;
	default:
		break;
	}
}

/* Reads words [thread->position, end). A slice that is no longer written to may have holes. */
static void read_words(struct watched_thread *thread, const uint64_t *words, uint32_t end, bool retired,
		       const struct spoor_trigger *trigger, uint64_t limit)
{
	uint32_t i = thread->position;

	while (i < end) {
		uint64_t word = __atomic_load_n(&words[i], __ATOMIC_ACQUIRE);
		uint32_t code = (uint32_t)(word >> 32), length = code & SPOOR_INDEX_MAX;
		uint32_t type = (uint32_t)word;

		if (word == 0 && !retired)
			break;
		if (code >> SPOOR_INDEX_BITS == 0) {
			i++;
			continue;
		}
		if (code >> SPOOR_INDEX_BITS != SPOOR_EVENT_EXTENDED) {
			int32_t difference = (int32_t)(type - (uint32_t)thread->counter);

			thread->counter += difference > 0 ? (uint32_t)difference : 0;
			take_event(thread, trigger, code, limit);
			i++;
			continue;
		}
		if (length >= end - i)
			break;
		if (length && spoor_extended_is_event(type))
			thread->counter = words[i + 1] & (SPOOR_USER_MARK - 1);
		else if (length && (type == SPOOR_EXTENDED_TIMED_EVENT || type == SPOOR_EXTENDED_TIME ||
				    type == SPOOR_EXTENDED_GAP))
			thread->counter = words[i + 1];
		/* When they ended is not known. */
		if (type == SPOOR_EXTENDED_GAP)
			forget(thread);
		if (length > 1 && type == SPOOR_EXTENDED_TIMED_EVENT)
			take_event(thread, trigger, (uint32_t)words[i + 2], limit);
		i += 1 + length;
	}
	thread->position = i;
}

/* Whether what was read last is where it was: then the next one has to wait. */
static bool is_in_place(const struct watched_thread *thread, struct spoor_pool *pool)
{
	const struct spoor_slice_info *info = spoor_pool_info(pool, thread->slice);

	return !thread->ended && info->counter && info->thread_serial == thread->serial &&
	       info->sequence == thread->sequence;
}

bool watched_thread_read(struct watched_thread *thread, struct spoor_pool *pool, uint32_t slice,
			 const struct spoor_trigger *trigger, uint64_t limit)
{
	struct spoor_slice_info before = *spoor_pool_info(pool, slice), after;
	uint32_t most, position, retired = before.words;
	const uint64_t *words = spoor_drainable_words(pool, slice, &most);
	bool still;

	if (before.thread_serial != thread->serial || before.sequence < thread->sequence)
		return false;
	if (before.sequence != thread->sequence || !thread->counter) {
		if (thread->counter && is_in_place(thread, pool))
			return false;
		/* What stands between was overwritten. */
		if (!thread->ended || before.sequence != thread->sequence + 1)
			forget(thread);
		thread->slice = slice;
		thread->sequence = before.sequence;
		thread->counter = before.counter;
		thread->position = 0;
		thread->ended = false;
	}
	if (retired && retired < most)
		most = retired;
	position = thread->position;
	read_words(thread, words, most, retired != 0, trigger, limit);
	thread->ended = retired != 0 || thread->position == most;
	still = spoor_drainable_is_still(pool, slice, before.counter);
	after = *(volatile struct spoor_slice_info *)spoor_pool_info(pool, slice);
	if (!still || after.sequence != before.sequence || after.thread_serial != before.thread_serial) {
		/* A ring gave it away meanwhile. */
		forget(thread);
		thread->late_count = 0;
		thread->ended = false;
	}
	return thread->position != position;
}

bool watched_thread_next(struct watched_thread *thread, uint64_t now, uint64_t limit, uint32_t *index,
			 uint64_t *began, uint64_t *ended)
{
	if (thread->late_count) {
		thread->late_count--;
		*index = thread->late[thread->late_count].index;
		*began = thread->late[thread->late_count].since;
		*ended = thread->late[thread->late_count].ended;
		return true;
	}
	for (uint32_t i = 0; thread->armed && i < thread->depth; i++) {
		struct watched_call *call = &thread->calls[i];

		if (!call->armed || (int64_t)(now - call->since) < (int64_t)limit)
			continue;
		call->armed = false;
		thread->armed--;
		*index = call->index;
		*began = call->since;
		*ended = 0;
		return true;
	}
	return false;
}
