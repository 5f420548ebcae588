/* SPDX-License-Identifier: MIT */
/* thread_index.c - stores the places of each thread's slices in a few bytes each. */
#include "reader/events/thread_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Two LEB128 numbers of 64 bits. */
#define PLACE_BYTES_MAX 20

static uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static uint64_t unzigzag(uint64_t value)
{
	return value >> 1 ^ -(value & 1);
}

static uint8_t *leb_put(uint8_t *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*out++ = (uint8_t)(value | 0x80);
	*out++ = (uint8_t)value;
	return out;
}

static uint64_t leb_get(const uint8_t **in)
{
	uint64_t value = 0;
	unsigned int shift = 0;

	do
		value |= (uint64_t)(**in & 0x7f) << shift;
	while (shift += 7, *(*in)++ & 0x80);
	return value;
}

/*
 * Encodes a place as a LEB128 number: the difference from the previous place, times two. Odd numbers
 * have 1 added: the sequence number is not the next one, and a second LEB128 number with it follows.
 */
static int encode(struct thread_slices *thread, struct thread_place place)
{
	struct place_chunk *chunk = thread->last_chunk;
	uint64_t sequence = place.sequence - thread->last.sequence;
	uint8_t *out;

	if (!chunk || sizeof(chunk->bytes) - chunk->used < PLACE_BYTES_MAX) {
		chunk = malloc(sizeof(*chunk));
		if (!chunk)
			return -ENOMEM;
		chunk->next = NULL;
		chunk->used = 0;
		if (thread->last_chunk)
			thread->last_chunk->next = chunk;
		else
			thread->first_chunk = chunk;
		thread->last_chunk = chunk;
	}
	out = chunk->bytes + chunk->used;
	out = leb_put(out, zigzag(place.place - thread->last.place) << 1 | (sequence != 1));
	if (sequence != 1)
		out = leb_put(out, zigzag(sequence));
	chunk->used = (uint32_t)(out - chunk->bytes);
	thread->last = place;
	return 0;
}

static void free_chunks(struct thread_slices *thread)
{
	while (thread->first_chunk) {
		struct place_chunk *chunk = thread->first_chunk;

		thread->first_chunk = chunk->next;
		free(chunk);
	}
	thread->last_chunk = NULL;
}

/* Encodes the earliest place of the window. */
static int window_shift(struct thread_slices *thread)
{
	struct thread_place place = thread->window[0];

	thread->window_count--;
	memmove(thread->window, thread->window + 1, thread->window_count * sizeof(*thread->window));
	if (thread->first_chunk && place.sequence <= thread->last.sequence)
		thread->unordered = true;
	return encode(thread, place);
}

static int thread_add(struct thread_slices *thread, struct thread_place place)
{
	uint32_t at;

	if (thread->window_count == THREAD_WINDOW) {
		int error = window_shift(thread);

		if (error)
			return error;
	}
	/* Places with the same sequence number stay in the order in which they were added. */
	for (at = thread->window_count; at && thread->window[at - 1].sequence > place.sequence; at--)
		thread->window[at] = thread->window[at - 1];
	thread->window[at] = place;
	thread->window_count++;
	return 0;
}

static int grow_buckets(struct thread_index *index)
{
	size_t count = index->bucket_count ? 2 * index->bucket_count : 64;
	uint32_t *buckets = calloc(count, sizeof(*buckets));

	if (!buckets)
		return -ENOMEM;
	for (size_t i = 0; i < index->count; i++) {
		size_t at = index->threads[i]->serial * 2654435761u & (count - 1);

		while (buckets[at])
			at = (at + 1) & (count - 1);
		buckets[at] = (uint32_t)i + 1;
	}
	free(index->buckets);
	index->buckets = buckets;
	index->bucket_count = count;
	return 0;
}

static int find_thread(struct thread_index *index, const struct spoor_slice_info *info, struct thread_slices **thread)
{
	size_t at;

	if (index->latest && index->latest->serial == info->thread_serial) {
		*thread = index->latest;
		return 0;
	}
	if (2 * (index->count + 1) > index->bucket_count && grow_buckets(index))
		return -ENOMEM;
	at = info->thread_serial * 2654435761u & (index->bucket_count - 1);
	for (; index->buckets[at]; at = (at + 1) & (index->bucket_count - 1)) {
		*thread = index->threads[index->buckets[at] - 1];
		if ((*thread)->serial == info->thread_serial) {
			index->latest = *thread;
			return 0;
		}
	}
	if (index->count == index->capacity) {
		size_t capacity = index->capacity ? 2 * index->capacity : 16;
		struct thread_slices **threads = realloc(index->threads, capacity * sizeof(struct thread_slices *));

		if (!threads)
			return -ENOMEM;
		index->threads = threads;
		index->capacity = capacity;
	}
	*thread = calloc(1, sizeof(**thread));
	if (!*thread)
		return -ENOMEM;
	(*thread)->serial = info->thread_serial;
	(*thread)->thread_id = info->thread_id;
	(*thread)->first_counter = info->counter;
	index->threads[index->count++] = *thread;
	index->buckets[at] = (uint32_t)index->count;
	index->latest = *thread;
	return 0;
}

static void note_info(struct thread_slices *thread, const struct spoor_slice_info *info)
{
	if (info->counter < thread->first_counter)
		thread->first_counter = info->counter;
	if (info->counter > thread->last_counter)
		thread->last_counter = info->counter;
	if (info->lost > thread->lost)
		thread->lost = info->lost;
	if (info->ended_ns == SPOOR_SLICE_TAKEN && info->sequence >= thread->taken_before)
		thread->taken_before = info->sequence + 1;
}

int thread_index_thread(struct thread_index *index, uint32_t serial, uint32_t thread_id, uint64_t counter,
			struct thread_slices **thread)
{
	const struct spoor_slice_info info = { .counter = counter, .thread_serial = serial, .thread_id = thread_id };

	return find_thread(index, &info, thread);
}

/* The number of events in a block with @words words. */
static uint64_t events_of(const struct spoor_slice_info *info, uint64_t words)
{
	return info->flushed && info->flushed - 1 <= words ? info->flushed - 1 : words;
}

int thread_index_add_partial(struct thread_index *index, const struct spoor_slice_info *info, uint64_t words,
			     uint64_t place)
{
	struct thread_slices *thread;
	int error = find_thread(index, info, &thread);

	if (error)
		return error;
	note_info(thread, info);
	thread->has_partial = true;
	thread->partial = (struct thread_place){ info->sequence, place };
	thread->partial_words = words;
	thread->partial_events = events_of(info, words);
	return 0;
}

int thread_index_add(struct thread_index *index, const struct spoor_slice_info *info, uint64_t words,
		     uint64_t place)
{
	struct thread_slices *thread;
	int error = find_thread(index, info, &thread);

	if (error)
		return error;
	if (thread->has_partial && thread->partial.sequence == info->sequence)
		thread->has_partial = false;
	if (!(place & THREAD_PLACE_POOL)) {
		thread->words += words;
		thread->file_words += words;
		thread->events += events_of(info, words);
		thread->file_events += events_of(info, words);
		thread->holes += info->holes;
	}
	note_info(thread, info);
	return thread_add(thread, (struct thread_place){ info->sequence, place });
}

void thread_index_seen(struct thread_index *index, const struct spoor_slice_info *info, uint64_t counter)
{
	struct thread_slices *thread;

	if (find_thread(index, info, &thread))
		return;
	thread->seen_counter = counter;
	thread->seen_sequence = info->sequence;
}

int thread_index_add_lost(struct thread_index *index, uint32_t serial, uint32_t thread_id, uint64_t counter,
			  uint64_t events)
{
	struct thread_slices *thread;
	int error = thread_index_thread(index, serial, thread_id, counter, &thread);

	if (!error && events > thread->lost)
		thread->lost = events;
	return error;
}

static int compare_places(const void *left, const void *right)
{
	const struct thread_place *a = left, *b = right;

	if (a->sequence != b->sequence)
		return a->sequence < b->sequence ? -1 : 1;
	/* The events file comes before the pool, and earlier blocks before later ones. */
	return a->place < b->place ? -1 : a->place > b->place;
}

/* Decodes all places and sorts them. */
static int thread_sort(struct thread_slices *thread)
{
	struct thread_walk walk;
	struct thread_place *places, place;
	size_t count = 0;
	int error = 0;

	thread_walk_begin(&walk, thread);
	while (thread_walk_next(&walk, &place))
		count++;
	places = malloc(count * sizeof(*places));
	if (!places)
		return -ENOMEM;
	count = 0;
	thread_walk_begin(&walk, thread);
	while (thread_walk_next(&walk, &place))
		places[count++] = place;
	qsort(places, count, sizeof(*places), compare_places);
	free_chunks(thread);
	thread->last = (struct thread_place){ 0 };
	for (size_t i = 0; i < count && !error; i++)
		error = encode(thread, places[i]);
	free(places);
	return error;
}

static int compare_threads(const void *left, const void *right)
{
	const struct thread_slices *a = *(struct thread_slices *const *)left, *b = *(struct thread_slices *const *)right;

	return a->serial < b->serial ? -1 : a->serial > b->serial;
}

int thread_index_finish(struct thread_index *index)
{
	int error = 0;

	for (size_t i = 0; i < index->count && !error; i++) {
		struct thread_slices *thread = index->threads[i];
		struct thread_place place;
		struct thread_walk walk;

		if (thread->has_partial) {
			thread->words += thread->partial_words;
			thread->file_words += thread->partial_words;
			thread->events += thread->partial_events;
			thread->file_events += thread->partial_events;
			error = thread_add(thread, thread->partial);
		}
		while (thread->window_count && !error)
			error = window_shift(thread);
		if (!error && thread->unordered)
			error = thread_sort(thread);
		if (error)
			break;
		uint64_t expected = 0;
		thread_walk_begin(&walk, thread);
		while (thread_walk_next(&walk, &place)) {
			thread->gaps += place.sequence - expected;
			expected = place.sequence + 1;
			thread->slices++;
		}
	}
	if (index->count)
		qsort(index->threads, index->count, sizeof(struct thread_slices *), compare_threads);
	free(index->buckets);
	index->buckets = NULL;
	index->bucket_count = 0;
	index->latest = NULL;
	return error;
}

void thread_index_free(struct thread_index *index)
{
	for (size_t i = 0; i < index->count; i++) {
		free_chunks(index->threads[i]);
		free(index->threads[i]);
	}
	free(index->threads);
	free(index->buckets);
	*index = (struct thread_index){ 0 };
}

bool thread_walk_next(struct thread_walk *walk, struct thread_place *place)
{
	while (walk->chunk) {
		if (walk->position == walk->chunk->used) {
			walk->chunk = walk->chunk->next;
			walk->position = 0;
			continue;
		}
		const uint8_t *in = walk->chunk->bytes + walk->position;
		uint64_t value = leb_get(&in);
		bool again;

		place->place = walk->last.place + unzigzag(value >> 1);
		place->sequence = walk->last.sequence + (value & 1 ? unzigzag(leb_get(&in)) : 1);
		walk->position = (uint32_t)(in - walk->chunk->bytes);
		again = walk->begun && place->sequence == walk->last.sequence;
		walk->begun = true;
		walk->last = *place;
		if (!again)
			return true;
	}
	return false;
}
