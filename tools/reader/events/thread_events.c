/* SPDX-License-Identifier: MIT */
/* thread_events.c - the events of one thread, slice by slice. */
#include "reader/events/thread_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/jobs.h"
#include "reader/events/root_calls.h"
#include "reader/files/slices_ahead.h"

void thread_events_begin(struct thread_events *events, struct process *process, struct functions *functions,
			 const struct thread_slices *thread)
{
	*events = (struct thread_events){
		.process = process, .functions = functions, .thread = thread, .roots = thread->roots,
	};
	thread_walk_begin(&events->walk, thread);
}

void thread_events_read_ahead(struct thread_events *events)
{
	if (jobs_are_worth(events->thread->file_words))
		events->ahead = slices_ahead_begin(events);
}

void thread_events_end(struct thread_events *events)
{
	slices_ahead_end(events->ahead);
	events->ahead = NULL;
	free(events->words);
	events->words = NULL;
	events->word = events->end = events->all_end = events->dated_end = NULL;
	events->capacity = 0;
}

/* A full counter. None that is real comes near the end of its range, where the
 * next word's difference would take it around. */
static void raise_counter(struct thread_events *events, uint64_t counter)
{
	if (counter > events->counter && counter <= INT64_MAX)
		events->counter = counter;
}

/* Whether there are roots to be told that were looked at until @counter: the last ones. */
static bool roots_are_due(struct thread_events *events, uint64_t counter)
{
	const struct thread_roots *last = NULL;

	for (; events->roots && events->roots->counter <= counter; events->roots = events->roots->next)
		last = events->roots;
	if (!last)
		return false;
	raise_counter(events, last->counter);
	if (!last->count)
		return false;
	/* They are what is open, whatever went dormant before. */
	thread_events_pass_dormant(events, last->counter);
	events->telling = last;
	events->roots_told = 0;
	return true;
}

/* Whether the first that a slice has to say is that the thread is recorded again: what it was in
 * comes after that. */
static bool begins_with_gap(const struct thread_events *events)
{
	const uint64_t *word = events->word;

	while (word < events->end && *word == SPOOR_NOP_WORD)
		word++;
	return word + 1 < events->end && *word == SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, 1, SPOOR_EXTENDED_GAP);
}

/* Takes what came of loading a slice. Return: whether there is anything to be told of it now. */
static bool take_slice(struct thread_events *events, uint64_t sequence, long count, const struct spoor_slice_info *info)
{
	if (!events->missing_slices)
		events->missing_since = events->counter;
	events->missing_slices += sequence - events->expected_sequence;
	events->expected_sequence = sequence + 1;
	if (count == -ESTALE) {		/* drained meanwhile, by a process that runs on */
		events->missing_slices++;
		return false;
	}
	if (count < 0) {
		events->unreadable = true;
		events->unreadable_slices++;
		return false;
	}
	events->word = events->words;
	events->end = events->all_end = events->words + count;
	events->slice_counter = info->counter;
	if (begins_with_gap(events) || !roots_are_due(events, info->counter))
		raise_counter(events, info->counter);
	thread_events_find_dormant(events);
	if (info->lost > events->lost_known)
		events->lost_known = info->lost;
	events->pending = events->telling || events->missing_slices || events->unreadable ||
			  events->lost_known > events->lost_told;
	if (events->dated_count && !events->telling && events->counter == info->counter)
		events->dated_end = events->words + events->dated_count;
	return true;
}

/* Goes on with what a feed has. Return: 1, 0 for nothing now, -ENOMEM. */
static int next_fed(struct thread_events *events)
{
	struct spoor_slice_info info;
	bool more = false;
	long count;

	while ((count = events->feed->take(events->feed->context, events, &info, &more)) != -EAGAIN) {
		if (count == -ENOMEM)
			return -ENOMEM;
		if (!more && take_slice(events, info.sequence, count, &info))
			return 1;
		if (more && count > 0) {
			events->word = events->words;
			events->all_end = events->words + count;
			thread_events_find_dormant(events);
			return 1;
		}
		more = false;
	}
	return 0;
}

/* Goes to the next slice that can be read. Return: 1, 0 at the end, -ENOMEM. */
static int next_slice(struct thread_events *events)
{
	struct spoor_slice_info info;
	struct thread_place place;
	long count;

	if (events->feed)
		return next_fed(events);
	while (thread_events_load_next(events, &place, &info, &count)) {
		if (count == -ENOMEM)
			return -ENOMEM;
		if (take_slice(events, place.sequence, count, &info))
			return 1;
	}
	/* What came behind its last slice; a thread without one has no place for it. */
	if (events->expected_sequence && events->thread->lost > events->lost_known)
		events->lost_known = events->thread->lost;
	roots_are_due(events, UINT64_MAX);
	events->pending = events->telling || events->unreadable || events->lost_known > events->lost_told;
	return events->pending;
}

/* The end of all slices. Return: 1 where there is one thing more to be told of the thread. */
static int tell_seen(struct thread_events *events, struct event *event)
{
	const struct thread_slices *thread = events->thread;
	uint64_t stopped = process_stopped(events->process);
	uint64_t seen = events->expected_sequence ? thread->seen_counter : events->process->present_counter;

	if (events->feed || !events->tells_dormant || events->seen_told || !seen ||
	    (events->expected_sequence && thread->seen_sequence + 1 != events->expected_sequence))
		return 0;
	events->seen_told = true;
	raise_counter(events, seen < stopped ? seen : stopped);
	event->kind = EVENT_SEEN;
	event->time_ns = clock_ns(&events->process->clock, events->counter);
	return 1;
}

static int lost(struct thread_events *events, struct event *event, uint32_t cause, uint64_t count)
{
	event->kind = EVENT_LOST;
	event->cause = cause;
	event->count = count;
	event->time_ns = clock_ns(&events->process->clock, events->counter);
	return 1;
}

static int tell_root(struct thread_events *events, struct event *event)
{
	const struct thread_roots *roots = events->telling;
	const struct spoor_root *root = &roots->list[events->roots_told];

	event->kind = EVENT_ROOT;
	event->count = events->roots_told++;
	event->frame = root->frame;
	event->function = functions_number(events->functions, root->index, roots->counter);
	event->time_ns = clock_ns(&events->process->clock, events->counter);
	if (events->roots_told == roots->count) {
		events->telling = NULL;
		raise_counter(events, events->slice_counter);
	}
	return event->function ? 1 : -ENOMEM;
}

/* What is to be told before the next event, unless that tells it. Return: 1 told, 0 nothing. */
static int tell_pending(struct thread_events *events, struct event *event)
{
	uint64_t count;

	if (events->telling)
		return tell_root(events, event);
	if (events->missing_slices) {
		count = events->missing_slices;
		events->missing_slices = 0;
		return lost(events, event,
			    process_was_ring(events->process, events->missing_since, events->counter) ?
				    EVENT_LOST_OVERWRITTEN : EVENT_LOST_SLICES, count);
	}
	if (events->unreadable) {
		events->unreadable = false;
		return lost(events, event, EVENT_LOST_UNREADABLE, 1);
	}
	/* The slice may begin with a word that says the same, with the cause. */
	if (events->word != events->end &&
	    *events->word == SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, 2, SPOOR_EXTENDED_LOST))
		return 0;
	events->pending = false;
	if (events->lost_known <= events->lost_told)
		return 0;
	count = events->lost_known - events->lost_told;
	events->lost_told = events->lost_known;
	return lost(events, event, EVENT_LOST_UNKNOWN, count);
}

static int plain_event(struct thread_events *events, struct event *event, uint32_t code)
{
	event->kind = code >> SPOOR_INDEX_BITS;
	if (event->kind >= EVENT_FRAME) {
		event->frame = code & SPOOR_INDEX_MAX;
		event->goes_on = event->kind == EVENT_SWITCH && code & SPOOR_SWITCH_GOES_ON;
		if (event->kind == EVENT_SWITCH)
			event->frame &= SPOOR_SWITCH_GOES_ON - 1;
		event->time_ns = clock_ns(&events->process->clock, events->counter);
		return 1;
	}
	event->function = functions_number(events->functions, code & SPOOR_INDEX_MAX, events->counter);
	event->time_ns = clock_ns(&events->process->clock, events->counter);
	return event->function ? 1 : -ENOMEM;
}

static int user_event(struct thread_events *events, struct event *event, const uint64_t *words, uint32_t length)
{
	struct spoor_user_event stored;

	spoor_user_unpack(words, length, &stored);
	raise_counter(events, stored.counter);
	event->user_type = stored.type;
	event->user_payload_1 = stored.payload_1;
	event->user_payload_2 = stored.payload_2;
	event->time_ns = clock_ns(&events->process->clock, events->counter);
	event->own_time = stored.steady_ns != 0;
	event->kind = EVENT_USER;
	if (stored.type != SPOOR_EVENT_ENTRY && stored.type != SPOOR_EVENT_EXIT) {
		if (event->own_time)
			event->time_ns = stored.steady_ns + events->process->shift_ns;
		return 1;
	}
	/* Version 0's types: what injected calls write. */
	event->kind = stored.type;
	event->function = stored.payload_2 == SPOOR_USER_SCOPE ?
				  functions_number_of_scope(events->functions, stored.payload_1) :
				  functions_number_of_id(events->functions, stored.payload_1);
	return event->function ? 1 : -ENOMEM;
}

static int tracepoint_event(struct thread_events *events, struct event *event, const uint64_t *words, uint32_t length)
{
	spoor_tracepoint_unpack(words, length, &events->tracepoint);
	raise_counter(events, events->tracepoint.counter);
	event->kind = EVENT_TRACEPOINT;
	event->tracepoint = &events->tracepoint;
	event->function = functions_number_of_tracepoint(events->functions, events->tracepoint.number);
	event->time_ns = clock_ns(&events->process->clock, events->counter);
	return event->function ? 1 : -ENOMEM;
}

/* One extended record. Return: 1 an event, 0 none came of it, -ENOMEM. */
static int extended(struct thread_events *events, struct event *event)
{
	uint64_t word = *events->word++;
	uint32_t type = (uint32_t)word, length = (uint32_t)(word >> 32) & SPOOR_INDEX_MAX;
	const uint64_t *words = events->word;

	if (length > (size_t)(events->end - words)) {
		events->unknown_words++;
		events->word = events->end;
		return 0;
	}
	events->word += length;
	if (type == SPOOR_EXTENDED_NOP)
		return 0;
	if (type == SPOOR_EXTENDED_LOST && length >= 2) {
		events->lost_told += words[0];
		if (events->lost_told >= events->lost_known)
			events->pending = events->missing_slices || events->unreadable;
		return lost(events, event, (uint32_t)words[1], words[0]);
	}
	if (type == SPOOR_EXTENDED_GAP && length >= 1) {
		raise_counter(events, words[0]);
		events->pending |= roots_are_due(events, words[0]);
		return lost(events, event, EVENT_LOST_UNRECORDED, 0);
	}
	if (type == SPOOR_EXTENDED_USER && length >= SPOOR_USER_WORDS)
		return user_event(events, event, words, length);
	if (type == SPOOR_EXTENDED_TRACEPOINT && length >= SPOOR_TRACEPOINT_WORDS)
		return tracepoint_event(events, event, words, length);
	if ((type == SPOOR_EXTENDED_TIME && length >= 1) || (type == SPOOR_EXTENDED_TIMED_EVENT && length >= 2)) {
		raise_counter(events, words[0]);
		if (type == SPOOR_EXTENDED_TIME)
			return 0;
		uint32_t kind = (uint32_t)words[1] >> SPOOR_INDEX_BITS;
		if (kind >= SPOOR_EVENT_ENTRY && kind <= SPOOR_EVENT_SWITCH)
			return plain_event(events, event, (uint32_t)words[1]);
	}
	events->unknown_words += 1 + length;
	return 0;
}

/* Makes `counter` that of the word before the next one, if dates have taken its place. */
static void settle(struct thread_events *events)
{
	if (events->word == events->dated_end) {
		events->counter = events->dated_counter;
		events->settled = events->word;
	}
	for (; events->settled < events->word; events->settled++)
		thread_events_date(events, *events->settled);
	if (events->word >= events->dated_end)
		events->dated_end = NULL;
}

static int next_slow(struct thread_events *events, struct event *event)
{
	for (;;) {
		int result;

		if (events->word == events->end && events->end != events->all_end && !events->pending)
			return thread_events_tell_dormant(events, event);
		if (events->word == events->end && !events->pending) {
			result = next_slice(events);
			if (result < 0)
				return result;
			if (!result)
				return thread_events_dormant_is_due(events) ? thread_events_tell_dormant(events, event) :
									      tell_seen(events, event);
		}
		if (events->pending && (result = tell_pending(events, event)) != 0)
			return result;
		if (events->word == events->end)
			continue;

		uint32_t code = (uint32_t)(*events->word >> 32), kind = code >> SPOOR_INDEX_BITS;

		if (kind == SPOOR_EVENT_EXTENDED) {
			result = extended(events, event);
			if (result)
				return result;
		} else if (kind >= SPOOR_EVENT_ENTRY && kind <= SPOOR_EVENT_SWITCH) {
			thread_events_date(events, *events->word++);
			return plain_event(events, event, code);
		} else {
			events->unknown_words++;
			events->word++;
		}
	}
}

int thread_events_next_slow(struct thread_events *events, struct event *event)
{
	int result;

	if (events->dated_end)
		settle(events);
	result = next_slow(events, event);
	events->settled = events->word;
	return result;
}
