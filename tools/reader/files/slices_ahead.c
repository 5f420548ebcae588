/* SPDX-License-Identifier: MIT */
/* slices_ahead.c - unpacks and dates slices in another thread before their events are read. */
#include "reader/files/slices_ahead.h"

#include <stdlib.h>

#include "base/ordered_work.h"

#define SLOTS 8u

struct slices_ahead {
	struct ordered_work order;
	struct thread_events loader;	/* used by the other thread only, */
	struct clock clock;		/* ... like this, because it is at another time */
	long held;			/* the slot whose dates are in use; -1: none */
	struct loaded_slice slots[SLOTS];
};

static bool claim(void *context, size_t slot)
{
	struct slices_ahead *ahead = context;

	return thread_walk_next(&ahead->loader.walk, &ahead->slots[slot].place);
}

static int load(void *context, size_t slot, size_t worker)
{
	struct slices_ahead *ahead = context;
	struct thread_place place = ahead->slots[slot].place;

	(void)worker;
	loaded_slice_read(&ahead->slots[slot], &ahead->loader, &ahead->clock, &place);
	return 0;
}

static const struct ordered_work_steps steps = { .claim = claim, .prepare = load };

struct slices_ahead *slices_ahead_begin(const struct thread_events *events)
{
	struct slices_ahead *ahead = calloc(1, sizeof(*ahead));

	if (!ahead)
		return NULL;
	ahead->held = -1;
	thread_events_begin(&ahead->loader, events->process, events->functions, events->thread);
	ahead->clock = events->process->clock;	/* its segments no longer change */
	ordered_work_begin(&ahead->order, &steps, ahead, SLOTS, SLOTS / 2);
	if (ordered_work_start(&ahead->order, 1))
		return ahead;
	slices_ahead_end(ahead);
	return NULL;
}

bool slices_ahead_take(struct slices_ahead *ahead, struct thread_events *events, struct thread_place *place,
		       struct spoor_slice_info *info, long *count)
{
	struct loaded_slice *slice;

	if (ahead->held >= 0)
		ordered_work_release(&ahead->order, (size_t)ahead->held);
	ahead->held = ordered_work_take(&ahead->order, false);
	if (ahead->held < 0)
		return false;
	slice = &ahead->slots[ahead->held];
	*place = slice->place;
	*info = slice->info;
	*count = slice->count;
	loaded_slice_give(slice, events);
	return true;
}

void slices_ahead_end(struct slices_ahead *ahead)
{
	if (!ahead)
		return;
	ordered_work_end(&ahead->order);
	for (size_t i = 0; i < SLOTS; i++)
		loaded_slice_free(&ahead->slots[i]);
	thread_events_end(&ahead->loader);
	free(ahead);
}
