/* SPDX-License-Identifier: MIT */
/* slices_ahead.c - slices are unpacked and dated before they are asked for. */
#include "slices_ahead.h"

#include <stdlib.h>

#include "handover.h"
#include "version0.h"

#define SLOTS 8u

struct slot {
	struct thread_place place;
	struct spoor_slice_info info;
	long count;
	uint64_t *words;
	size_t capacity;
	uint32_t *dates;
	size_t dates_capacity, dated_count;
	uint64_t dated_ns;
};

struct slices_ahead {
	struct handover handover;
	pthread_t thread;
	struct thread_events loader;	/* that thread's, */
	struct clock clock;		/* ... for it looks at its own part of the time */
	bool holds_slot;		/* whoever takes the slices: the last one's dates are in use */
	struct slot slots[SLOTS];
};

/* Gives @events other room. */
static void swap_words(struct thread_events *events, struct slot *slot)
{
	uint64_t *words = events->words;
	size_t capacity = events->capacity;

	events->words = slot->words;
	events->capacity = slot->capacity;
	slot->words = words;
	slot->capacity = capacity;
}

/* Dates what needs nothing but its own words for it, as if the thread had come to the slice's counter before. */
static void date(struct slices_ahead *ahead, struct slot *slot)
{
	uint64_t counter = slot->info.counter;
	size_t count = slot->count > 0 ? (size_t)slot->count : 0, at;

	slot->dated_count = 0;
	if (count > slot->dates_capacity) {
		free(slot->dates);
		slot->dates = malloc(count * sizeof(*slot->dates));
		slot->dates_capacity = slot->dates ? count : 0;
	}
	if (count > slot->dates_capacity || counter > INT64_MAX)
		return;
	slot->dated_ns = clock_ns(&ahead->clock, counter);
	for (at = 0; at < count; at++) {
		uint32_t kind = (uint32_t)(slot->words[at] >> (32 + SPOOR_INDEX_BITS));
		uint64_t since_ns;

		if (kind < SPOOR_EVENT_ENTRY || kind > SPOOR_EVENT_SWITCH)
			break;
		counter = thread_events_dated(counter, slot->words[at]);
		since_ns = clock_ns(&ahead->clock, counter) - slot->dated_ns;
		if (since_ns > UINT32_MAX)
			break;
		slot->dates[at] = (uint32_t)since_ns;
	}
	slot->dated_count = at;
}

static void *load_all(void *context)
{
	struct slices_ahead *ahead = context;
	struct thread_place place;
	long number;

	while (thread_walk_next(&ahead->loader.walk, &place) && (number = handover_fill(&ahead->handover)) >= 0) {
		struct slot *slot = &ahead->slots[number];

		slot->place = place;
		slot->count = SLICE_LEFT;
		if (!(place.place & (THREAD_PLACE_POOL | THREAD_PLACE_VERSION0)))
			slot->count = thread_events_load(&ahead->loader, place.place, &slot->info);
		swap_words(&ahead->loader, slot);
		date(ahead, slot);
		handover_filled(&ahead->handover);
	}
	handover_fill_end(&ahead->handover);
	return NULL;
}

struct slices_ahead *slices_ahead_begin(const struct thread_events *events)
{
	struct slices_ahead *ahead = calloc(1, sizeof(*ahead));

	if (!ahead)
		return NULL;
	thread_events_begin(&ahead->loader, events->process, events->functions, events->thread);
	ahead->clock = events->process->clock;	/* its parts do not change any more */
	handover_begin(&ahead->handover, SLOTS);
	if (!pthread_create(&ahead->thread, NULL, load_all, ahead))
		return ahead;
	handover_free(&ahead->handover);
	free(ahead);
	return NULL;
}

bool slices_ahead_take(struct slices_ahead *ahead, struct thread_events *events, struct thread_place *place,
		       struct spoor_slice_info *info, long *count)
{
	struct slot *slot;
	long number;

	if (ahead->holds_slot)
		handover_taken(&ahead->handover);
	number = handover_take(&ahead->handover);
	ahead->holds_slot = number >= 0;
	if (number < 0)
		return false;
	slot = &ahead->slots[number];
	*place = slot->place;
	*info = slot->info;
	*count = slot->count;
	events->dates = slot->dates;
	events->dated_count = slot->dated_count;
	events->dated_ns = slot->dated_ns;
	swap_words(events, slot);
	return true;
}

void slices_ahead_end(struct slices_ahead *ahead)
{
	if (!ahead)
		return;
	handover_stop(&ahead->handover);
	pthread_join(ahead->thread, NULL);
	handover_free(&ahead->handover);
	for (size_t i = 0; i < SLOTS; i++) {
		free(ahead->slots[i].words);
		free(ahead->slots[i].dates);
	}
	thread_events_end(&ahead->loader);
	free(ahead);
}
