/* SPDX-License-Identifier: MIT */
/* follow_thread.c - finds the next words of a thread, in the file or the pool. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drain/pending_slices.h"
#include "live/follow.h"
#include "format/slice_words.h"

int follow_places_add(struct follow_places *places, uint64_t sequence, uint64_t place)
{
	size_t at;

	if (places->first && places->first * 2 >= places->count) {
		places->count -= places->first;
		memmove(places->list, places->list + places->first, places->count * sizeof(*places->list));
		places->first = 0;
	}
	if (places->count == places->capacity) {
		size_t capacity = places->capacity ? 2 * places->capacity : 8;
		struct follow_place *list = reallocarray(places->list, capacity, sizeof(*list));

		if (!list)
			return -ENOMEM;
		places->list = list;
		places->capacity = capacity;
	}
	/* Most slices come in order. */
	for (at = places->count; at > places->first && places->list[at - 1].sequence > sequence; at--)
		places->list[at] = places->list[at - 1];
	places->list[at] = (struct follow_place){ sequence, place };
	places->count++;
	return 0;
}

/* Returns the first place that is not reported yet; null for none. */
static const struct follow_place *first_of(struct follow_places *places, uint64_t sequence)
{
	while (places->first < places->count && places->list[places->first].sequence < sequence)
		places->first++;
	return places->first < places->count ? &places->list[places->first] : NULL;
}

/* Removes the words that were already reported from @count words. The slice may have been cleared meanwhile. */
static long skip_reported(struct follow_thread *thread, long count, bool *more)
{
	struct thread_events *events = &thread->events;

	*more = thread->told != 0;
	if (thread->told && (count < (long)thread->told || events->words[thread->told - 1] != thread->last_word))
		return count;
	memmove(events->words, events->words + thread->told, (size_t)(count - thread->told) * sizeof(*events->words));
	return count - thread->told;
}

/* Takes a slice from the file, which is complete. */
static long take_from_file(struct follow_thread *thread, const struct follow_place *place, struct spoor_slice_info *info,
			   bool *more)
{
	long count = thread_events_load(&thread->events, place->place, info);

	info->sequence = place->sequence;
	*more = thread->told != 0;
	if (count >= 0) {
		count = skip_reported(thread, count, more);
	} else if (*more && count != -ENOMEM) {
		/* The beginning of the slice was reported from the pool. */
		thread->events.unreadable_slices++;
		count = 0;
	}
	thread->sequence = place->sequence + 1;
	thread->told = 0;
	return count;
}

/* Takes the words that a slice in the pool has so far. Returns the same as slice_feed's take. */
static long take_from_pool(struct follow_thread *thread, uint32_t slice, struct spoor_slice_info *info, bool *more)
{
	struct follow *follow = thread->follow;
	const struct spoor_slice_info *live = spoor_pool_info(follow->pool.pool, slice);
	uint32_t most, settled, holes, events;
	uint64_t counter;
	const uint64_t *words = spoor_pending_slice_words(follow->pool.pool, slice, &most);
	bool whole;
	long count;

	if (thread_events_room(&thread->events, SPOOR_SLICE_WORDS))
		return -ENOMEM;
	memcpy(info, live, sizeof(*info));
	counter = info->counter;
	settled = spoor_slice_words_settled(words, most, &counter);
	count = (long)spoor_slice_words_copy(thread->events.words, words, settled, &holes, &events);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	/* The slice was drained meanwhile and is in the file, or it was reused. */
	if (__atomic_load_n(&live->counter, __ATOMIC_RELAXED) != info->counter || live->sequence != info->sequence ||
	    live->thread_serial != thread->slices->serial || info->sequence != thread->sequence)
		return -EAGAIN;
	whole = info->words && settled >= (info->words < most ? info->words : most);
	if (!whole && count == (long)thread->told)
		return -EAGAIN;
	if (count) {
		uint64_t last = thread->events.words[count - 1];
		long all = count;

		count = skip_reported(thread, count, more);
		thread->told = (uint32_t)all;
		thread->last_word = last;
	}
	if (whole) {
		thread->sequence++;
		thread->told = 0;
	}
	return count;
}

/* Returns whether the follower stops waiting for the missing slice. */
static bool is_given_up(struct follow_thread *thread)
{
	const struct follow *follow = thread->follow;

	if (follow->last || !thread->begun || (follow->pool.pool && follow->pool.pool->ring))
		return true;
	if (!thread->missing_since_ns)
		thread->missing_since_ns = follow->look_ns;
	return follow->look_ns - thread->missing_since_ns > FOLLOW_PATIENCE_NS;
}

static long take(void *context, struct thread_events *events, struct spoor_slice_info *info, bool *more)
{
	struct follow_thread *thread = context;

	*more = false;
	events->fed_until_ns = thread->follow->complete_ns;
	for (;;) {
		const struct follow_place *in_file = first_of(&thread->file, thread->sequence);
		const struct follow_place *in_pool = first_of(&thread->pool, thread->sequence);
		bool file_first = in_file && (!in_pool || in_file->sequence <= in_pool->sequence);
		const struct follow_place *next = file_first ? in_file : in_pool;
		long count;

		if (!next) {
			/* Frees memory, because many threads have ended or are waiting. */
			thread_events_end(events);
			return -EAGAIN;
		}
		if (next->sequence != thread->sequence) {
			if (!is_given_up(thread)) {
				events->fed_until_ns = 0;
				return -EAGAIN;
			}
			thread->sequence = next->sequence;
			thread->told = 0;
		}
		thread->begun = true;
		thread->missing_since_ns = 0;
		if (file_first)
			return take_from_file(thread, in_file, info, more);
		count = take_from_pool(thread, (uint32_t)in_pool->place, info, more);
		/* Goes on if the whole slice was reported and is known to be complete. */
		if (count || thread->sequence == in_pool->sequence)
			return count ? count : -EAGAIN;
	}
}

int follow_thread(struct follow *follow, const struct spoor_slice_info *info, struct follow_thread **result)
{
	uint32_t *at = map64_at(&follow->thread_at, info->thread_serial);
	struct follow_thread *thread;
	int error;

	if (!at)
		return -ENOMEM;
	if (*at) {
		*result = follow->threads[*at - 1];
		return 0;
	}
	if (follow->thread_count == follow->thread_capacity) {
		size_t capacity = follow->thread_capacity ? 2 * follow->thread_capacity : 16;
		struct follow_thread **threads = reallocarray(follow->threads, capacity, sizeof(struct follow_thread *));

		if (!threads)
			return -ENOMEM;
		follow->threads = threads;
		follow->thread_capacity = capacity;
	}
	thread = calloc(1, sizeof(*thread));
	error = thread ? thread_index_thread(&follow->process.threads, info->thread_serial, info->thread_id, info->counter,
					     &thread->slices) : -ENOMEM;
	if (error) {
		free(thread);
		return error;
	}
	thread->follow = follow;
	thread->feed = (struct slice_feed){ thread, take };
	thread_events_begin(&thread->events, &follow->process, &follow->functions, thread->slices);
	thread->events.feed = &thread->feed;
	thread->events.reports_dormant = thread->events.reports_values = true;
	thread->filter.libraries = &follow->libraries;
	call_tree_begin(&thread->tree, &follow->functions, NULL);
	follow->threads[follow->thread_count++] = thread;
	*at = (uint32_t)follow->thread_count;
	*result = thread;
	return 0;
}

void follow_thread_free(struct follow_thread *thread)
{
	thread_events_end(&thread->events);
	call_tree_free(&thread->tree);
	call_filter_free(&thread->filter);
	free(thread->file.list);
	free(thread->pool.list);
	free(thread);
}

int follow_peek(struct follow_thread *thread, const struct event **event)
{
	if (!thread->has_next) {
		int more = thread_events_next(&thread->events, &thread->next);

		if (more <= 0)
			return more;
		thread->has_next = true;
	}
	*event = &thread->next;
	/* An event with its own time has no place in the order of time. */
	return (thread->next.kind == EVENT_USER && thread->next.own_time) || thread->next.time_ns < thread->follow->until_ns;
}
