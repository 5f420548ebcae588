/* SPDX-License-Identifier: MIT */
/* slices_ahead.c - slices are unpacked and dated before they are asked for. */
#include "reader/files/slices_ahead.h"

#include <stdlib.h>

#include "reader/files/handover.h"
#include "base/jobs.h"
#include "reader/files/loaded_slice.h"

#define SLOTS 8u

struct slices_ahead {
	struct handover handover;
	pthread_t thread;
	struct thread_events loader;	/* that thread's, */
	struct clock clock;		/* ... for it looks at its own part of the time */
	bool holds_slot;		/* whoever takes the slices: the last one's dates are in use */
	struct loaded_slice slots[SLOTS];
};

static void *load_all(void *context)
{
	struct slices_ahead *ahead = context;
	struct thread_place place;
	long number;

	while (thread_walk_next(&ahead->loader.walk, &place) && (number = handover_fill(&ahead->handover)) >= 0) {
		loaded_slice_read(&ahead->slots[number], &ahead->loader, &ahead->clock, &place);
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
	if (!jobs_thread_begin(&ahead->thread, load_all, ahead))
		return ahead;
	handover_free(&ahead->handover);
	free(ahead);
	return NULL;
}

bool slices_ahead_take(struct slices_ahead *ahead, struct thread_events *events, struct thread_place *place,
		       struct spoor_slice_info *info, long *count)
{
	struct loaded_slice *slot;
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
	loaded_slice_give(slot, events);
	return true;
}

void slices_ahead_end(struct slices_ahead *ahead)
{
	if (!ahead)
		return;
	handover_stop(&ahead->handover);
	pthread_join(ahead->thread, NULL);
	handover_free(&ahead->handover);
	for (size_t i = 0; i < SLOTS; i++)
		loaded_slice_free(&ahead->slots[i]);
	thread_events_end(&ahead->loader);
	free(ahead);
}
