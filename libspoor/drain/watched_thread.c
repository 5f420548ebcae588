/* SPDX-License-Identifier: MIT */
/* watched_thread.c - follows the calls of one thread by the shared rule (format/nesting.h). About 2 ns a word. */
#include "drain/watched_thread.h"

#include <string.h>

#include "drain/pending_slices.h"
#include "format/nesting.h"
#include "format/slice_words.h"

#define SEARCH_MAX 64u	/* calls that are searched for the one that an exit closes */

void watched_thread_begin(struct watched_thread *thread, uint32_t serial)
{
	memset(thread, 0, sizeof(*thread) - sizeof(thread->calls));
	thread->serial = serial;
	thread->ended = true;
}

/* Which calls are open is unknown from here on. */
static void forget(struct watched_thread *thread)
{
	thread->depth = thread->above = thread->armed = 0;
}

static bool is_watched(const struct spoor_trigger *trigger, uint32_t index)
{
	uint32_t low = 0, high = trigger->range_count;

	/* The last range that begins at @index or before. */
	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (trigger->ranges[middle].begin <= index)
			low = middle + 1;
		else
			high = middle;
	}
	return low && index < trigger->ranges[low - 1].end;
}

/* What spoor_nesting_take works on. */
struct nest {
	struct watched_thread *thread;
	const struct spoor_trigger *trigger;
	uint64_t limit;		/* in counts */
};

static inline size_t nest_depth(const void *nest)
{
	return ((const struct nest *)nest)->thread->depth;
}

static inline uint32_t nest_function(const void *nest, size_t at)
{
	return ((const struct nest *)nest)->thread->calls[at].index;
}

static inline uint32_t nest_frame(const void *nest, size_t at)
{
	return ((const struct nest *)nest)->thread->calls[at].frame;
}

static inline uint32_t *nest_unstored(void *nest)
{
	return &((struct nest *)nest)->thread->above;
}

static inline int nest_open(void *nest, uint32_t index, uint64_t counter)
{
	struct watched_thread *thread = ((struct nest *)nest)->thread;

	if (thread->depth == WATCHED_DEPTH_MAX) {
		thread->above++;
		return 0;
	}
	thread->calls[thread->depth] =
		(struct watched_call){ counter, index, 0, is_watched(((struct nest *)nest)->trigger, index) };
	thread->armed += thread->calls[thread->depth++].armed;
	return 0;
}

static inline void nest_close(void *nest, uint64_t counter, enum spoor_call_end how)
{
	struct watched_thread *thread = ((struct nest *)nest)->thread;
	const struct watched_call *call = &thread->calls[--thread->depth];

	(void)how;
	if (!call->armed)
		return;
	thread->armed--;
	if (counter - call->since >= ((struct nest *)nest)->limit && thread->late_count < WATCHED_LATE_MAX) {
		thread->late[thread->late_count].since = call->since;
		thread->late[thread->late_count].ended = counter;
		thread->late[thread->late_count++].index = call->index;
	}
}

static inline int nest_set_frame(void *nest, uint32_t frame)
{
	struct watched_thread *thread = ((struct nest *)nest)->thread;

	thread->calls[thread->depth - 1].frame = frame;
	return 0;
}

static inline int nest_stray(void *nest, uint32_t index, uint64_t counter)
{
	(void)nest, (void)index, (void)counter;
	return 0;
}

static int nest_mend(void *nest, uint32_t index, uint64_t counter, enum spoor_call_end how);
static int nest_unwind(void *nest, uint32_t frame, uint64_t counter);

static const struct spoor_nesting_policy policy = {
	.depth = nest_depth,
	.function = nest_function,
	.frame = nest_frame,
	.open = nest_open,
	.close = nest_close,
	.set_frame = nest_set_frame,
	.stray = nest_stray,
	.mend = nest_mend,
	.unwind = nest_unwind,
	.search_most = SEARCH_MAX,
	.unknown_frame_closes_all = true,
	.unstored = nest_unstored,
};

static __attribute__((noinline)) int nest_mend(void *nest, uint32_t index, uint64_t counter, enum spoor_call_end how)
{
	return spoor_nesting_mend(nest, &policy, index, counter, how);
}

static __attribute__((noinline)) int nest_unwind(void *nest, uint32_t frame, uint64_t counter)
{
	return spoor_nesting_unwind(nest, &policy, frame, counter);
}

/* Reads words [thread->position, end). A slice that is no longer written to may have holes. */
static void read_words(struct nest *nest, const uint64_t *first, uint32_t end, bool retired)
{
	struct watched_thread *thread = nest->thread;
	struct spoor_words words = { first + thread->position, first + end, thread->counter };
	struct spoor_slice_record record;

	while ((retired || spoor_words_is_stored(&words)) && spoor_words_next(&words, &record) > 0) {
		if (spoor_kind_is_plain(record.kind))
			spoor_nesting_take(nest, &policy, record.kind, record.index, words.counter);
		else if (record.kind == SPOOR_EVENT_EXTENDED && record.type == SPOOR_EXTENDED_GAP)
			forget(thread);
	}
	thread->counter = words.counter;
	thread->position = (uint32_t)(words.word - first);
}

/* Returns whether the thread still uses its last read slice. If so, the reader must not begin its next slice. */
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
	const uint64_t *words = spoor_pending_slice_words(pool, slice, &most);
	bool still;

	if (before.thread_serial != thread->serial || before.sequence < thread->sequence)
		return false;
	if (before.sequence != thread->sequence || !thread->counter) {
		if (thread->counter && is_in_place(thread, pool))
			return false;
		/* The slices between the two were overwritten. */
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
	read_words(&(struct nest){ thread, trigger, limit }, words, most, retired != 0);
	thread->ended = retired != 0 || thread->position == most;
	still = spoor_slice_is_unchanged(pool, slice, before.counter);
	after = *(volatile struct spoor_slice_info *)spoor_pool_info(pool, slice);
	if (!still || after.sequence != before.sequence || after.thread_serial != before.thread_serial) {
		/* The ring gave the slice to other events meanwhile. */
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
