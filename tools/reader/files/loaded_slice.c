/* SPDX-License-Identifier: MIT */
/* loaded_slice.c - reads, unpacks and dates a slice in another thread than the one that takes its events. */
#include "reader/files/loaded_slice.h"

#include <stdlib.h>

#include "reader/files/version0.h"

/* Exchanges the words' buffers of @events and @slice. */
static void swap_words(struct thread_events *events, struct loaded_slice *slice)
{
	uint64_t *words = events->words;
	size_t capacity = events->capacity;

	events->words = slice->words;
	events->capacity = slice->capacity;
	slice->words = words;
	slice->capacity = capacity;
}

/* Dates the plain words at the beginning of the slice: their times depend on no other slice. */
static void date_plain_words(struct loaded_slice *slice, struct clock *clock)
{
	size_t count = slice->count > 0 ? (size_t)slice->count : 0, at = 0;
	uint64_t counter = slice->info.counter, dated_ns;
	struct spoor_slice_record record;
	struct clock_stretch stretch;
	struct spoor_words words;
	uint32_t *dates;

	slice->dated_count = 0;
	if (count > slice->dates_capacity) {
		free(slice->dates);
		slice->dates = malloc(count * sizeof(*slice->dates));
		slice->dates_capacity = slice->dates ? count : 0;
	}
	if (count > slice->dates_capacity || counter > INT64_MAX)
		return;
	words = (struct spoor_words){ slice->words, slice->words + count, counter };
	dates = slice->dates;
	dated_ns = clock_ns(clock, counter);
	stretch = clock_stretch_at(clock, counter);
	while (spoor_words_next_plain(&words, &record)) {
		uint64_t since_ns = clock_stretch_ns(&stretch, clock, words.counter) - dated_ns;

		if (since_ns > UINT32_MAX)
			break;
		dates[at++] = (uint32_t)since_ns;
		counter = words.counter;
	}
	slice->dated_ns = dated_ns;
	slice->dated_count = at;
	slice->last_counter = counter;
}

void loaded_slice_read(struct loaded_slice *slice, struct thread_events *loader, struct clock *clock,
		       const struct thread_place *place)
{
	slice->place = *place;
	slice->count = SLICE_LEFT;
	if (!(place->place & (THREAD_PLACE_POOL | THREAD_PLACE_VERSION0)))
		slice->count = thread_events_load(loader, place->place, &slice->info);
	swap_words(loader, slice);
	date_plain_words(slice, clock);
}

void loaded_slice_give(struct loaded_slice *slice, struct thread_events *events)
{
	events->dates = slice->dates;
	events->dated_count = slice->dated_count;
	events->dated_ns = slice->dated_ns;
	events->dated_counter = slice->last_counter;
	swap_words(events, slice);
}

void loaded_slice_free(struct loaded_slice *slice)
{
	free(slice->words);
	free(slice->dates);
}
