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
	struct watched_values *values;	/* null: the trigger has no condition */
	/* The record of values of the next event, or of the event that is being taken; null: none. */
	const uint64_t *record;
	uint32_t record_words, record_function;
};

static void note_late(struct watched_thread *thread, const struct watched_call *call, uint64_t ended)
{
	if (thread->late_count == WATCHED_LATE_MAX)
		return;
	thread->late[thread->late_count].since = call->since;
	thread->late[thread->late_count].ended = ended;
	thread->late[thread->late_count++].index = call->index;
}

/* Looks at the arguments of a call of the trigger's functions that begins. */
static void look_at_arguments(struct nest *nest, struct watched_call *call)
{
	if (nest->record && nest->record_function == call->index)
		call->comparisons = watched_values_compare(nest->values, nest->record, nest->record_words);
	if (nest->values->condition.uses_result)
		return;
	if (nest->record && watched_values_hold(nest->values, call->comparisons))
		note_late(nest->thread, call, 0);
	call->armed = false;
}

/* Looks at the result of a call that ends. */
static void look_at_result(const struct nest *nest, const struct watched_call *call, uint64_t counter)
{
	uint32_t comparisons = call->comparisons;

	if (!nest->record || nest->record_function != call->index)
		return;
	comparisons |= watched_values_compare(nest->values, nest->record, nest->record_words);
	if (watched_values_hold(nest->values, comparisons))
		note_late(nest->thread, call, counter);
}

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
		(struct watched_call){ counter, index, 0, is_watched(((struct nest *)nest)->trigger, index), 0 };
	if (thread->calls[thread->depth].armed && ((struct nest *)nest)->values)
		look_at_arguments(nest, &thread->calls[thread->depth]);
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
	if (((struct nest *)nest)->values)
		look_at_result(nest, call, counter);
	else if (counter - call->since >= ((struct nest *)nest)->limit)
		note_late(thread, call, counter);
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
		if (spoor_kind_is_plain(record.kind)) {
			nest->record_function = record.index;
			spoor_nesting_take(nest, &policy, record.kind, record.index, words.counter);
			nest->record = NULL;
		} else if (nest->values && record.kind == SPOOR_EVENT_EXTENDED && record.type == SPOOR_EXTENDED_VALUES) {
			nest->record = record.payload;
			nest->record_words = record.length;
		} else if (record.kind == SPOOR_EVENT_EXTENDED && record.type == SPOOR_EXTENDED_GAP)
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
			 const struct spoor_trigger *trigger, uint64_t limit, struct watched_values *values)
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
	read_words(&(struct nest){ .thread = thread, .trigger = trigger, .limit = limit, .values = values }, words, most, retired != 0);
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
		*index = thread->late[0].index;
		*began = thread->late[0].since;
		*ended = thread->late[0].ended;
		memmove(&thread->late[0], &thread->late[1], --thread->late_count * sizeof(thread->late[0]));
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
