/* SPDX-License-Identifier: MIT */
/* slice_run.c - loads a few successive slices of a thread, and computes their effect on the open calls. */
#include "reader/files/slice_run.h"

#include "reader/events/root_calls.h"

bool slice_run_claim(struct slice_run *run, struct thread_walk *places, size_t most)
{
	run->count = run->taken = 0;
	while (run->count < most && thread_walk_next(places, &run->slices[run->count].place))
		run->count++;
	return run->count;
}

/* Returns whether a slice contains nothing to report but dated words, and continues the previous slice. */
static bool is_plain(const struct loaded_slice *slice, const struct loaded_slice *before)
{
	if (slice->count <= 0 || slice->dated_count != (size_t)slice->count || slice->info.sequence != slice->place.sequence)
		return false;
	return !before || (slice->place.sequence == before->place.sequence + 1 && slice->info.lost == before->info.lost &&
			   slice->info.counter >= before->last_counter);
}

int slice_run_load(struct slice_run *run, struct thread_events *loader, struct clock *clock)
{
	struct run_effect *effect = &run->effect;
	int error = run_effect_begin(effect);

	for (size_t i = 0; i < run->count && !error; i++) {
		struct loaded_slice *slice = &run->slices[i];
		struct thread_place place = slice->place;

		loaded_slice_read(slice, loader, clock, &place);
		effect->is_plain &= is_plain(slice, i ? slice - 1 : NULL);
		if (effect->is_plain)
			error = run_effect_add(effect, slice);
	}
	return error;
}

bool slice_run_goes_on(const struct slice_run *run, const struct thread_events *events)
{
	const struct loaded_slice *first = &run->slices[0], *last = &run->slices[run->count - 1];

	return run->effect.is_plain && !events->missing_slices && !events->unreadable &&
	       first->place.sequence == events->expected_sequence && first->info.counter >= events->at.counter &&
	       first->info.lost <= events->lost_known && (!events->roots || events->roots->counter > last->info.counter);
}

void slice_run_pass(const struct slice_run *run, struct thread_events *events)
{
	const struct loaded_slice *last = &run->slices[run->count - 1];

	events->expected_sequence = last->place.sequence + 1;
	events->at.counter = last->last_counter;
}

static long take(void *context, struct thread_events *events, struct spoor_slice_info *info, bool *more)
{
	struct slice_run *run = context;
	struct loaded_slice *slice = &run->slices[run->taken];
	long count;

	(void)more;
	if (run->taken == run->count)
		return -EAGAIN;
	run->taken++;
	loaded_slice_give(slice, events);
	*info = slice->info;
	count = slice->count == SLICE_LEFT ? thread_events_load_place(events, &slice->place, info) : slice->count;
	info->sequence = slice->place.sequence;
	return count;
}

struct slice_feed slice_run_feed(struct slice_run *run)
{
	return (struct slice_feed){ run, take };
}

void slice_run_free(struct slice_run *run)
{
	for (size_t i = 0; i < SLICE_RUN_MAX; i++)
		loaded_slice_free(&run->slices[i]);
	run_effect_free(&run->effect);
}
