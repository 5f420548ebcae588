/* SPDX-License-Identifier: MIT */
/* thread_events.c - reads the events of one thread, slice by slice. */
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
	events->at.word = events->at.end = events->all_end = events->dated_end = NULL;
	events->capacity = 0;
}

static void raise_counter(struct thread_events *events, uint64_t counter)
{
	events->at.counter = spoor_word_raise(events->at.counter, counter);
}

/* Returns whether there are roots to report that were taken up to @counter, and selects the latest ones. */
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
	/* Roots are the open calls, whatever was disabled before. */
	thread_events_pass_dormant(events, last->counter);
	events->telling = last;
	events->roots_reported = 0;
	return true;
}

/* Returns whether the slice begins with the end of a gap. The roots come after that. */
static bool begins_with_gap(const struct thread_events *events)
{
	const uint64_t *word = events->at.word;

	while (word < events->at.end && *word == SPOOR_NOP_WORD)
		word++;
	return word + 1 < events->at.end && *word == SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, 1, SPOOR_EXTENDED_GAP);
}

/* Begins to read a loaded slice, or notes its error. Returns whether it has anything to report now. */
static bool take_slice(struct thread_events *events, uint64_t sequence, long count, const struct spoor_slice_info *info)
{
	if (!events->missing_slices)
		events->missing_since = events->at.counter;
	events->missing_slices += sequence - events->expected_sequence;
	events->expected_sequence = sequence + 1;
	if (count == -ESTALE) {		/* the process is running, and its slice was drained meanwhile */
		events->missing_slices++;
		return false;
	}
	if (count < 0) {
		events->unreadable = true;
		events->unreadable_slices++;
		return false;
	}
	events->at.word = events->words;
	events->at.end = events->all_end = events->words + count;
	events->slice_counter = info->counter;
	if (begins_with_gap(events) || !roots_are_due(events, info->counter))
		raise_counter(events, info->counter);
	thread_events_find_dormant(events);
	if (info->lost > events->lost_known)
		events->lost_known = info->lost;
	events->pending = events->telling || events->missing_slices || events->unreadable ||
			  events->lost_known > events->lost_reported;
	if (events->dated_count && !events->telling && events->at.counter == info->counter)
		events->dated_end = events->words + events->dated_count;
	return true;
}

/* Continues with the words of a feed. Returns 1, 0 if there are none for now, or -ENOMEM. */
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
			events->at.word = events->words;
			events->all_end = events->words + count;
			thread_events_find_dormant(events);
			return 1;
		}
		more = false;
	}
	return 0;
}

/* Goes to the next readable slice. Returns 1, 0 at the end, or -ENOMEM. */
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
	/* Losses after the thread's last slice. A thread without slices has no place for them. */
	if (events->expected_sequence && events->thread->lost > events->lost_known)
		events->lost_known = events->thread->lost;
	roots_are_due(events, UINT64_MAX);
	events->pending = events->telling || events->unreadable || events->lost_known > events->lost_reported;
	return events->pending;
}

/* Returns when the thread was last known to be there after its last slice; 0: it is not known. */
static uint64_t seen_last(const struct thread_events *events)
{
	const struct thread_slices *thread = events->thread;
	const struct process *process = events->process;

	if (!events->expected_sequence)
		return process->present_counter;
	if (thread->seen_counter && thread->seen_sequence + 1 == events->expected_sequence)
		return thread->seen_counter;
	if (thread->taken_before != events->expected_sequence)
		return 0;
	return process->present_counter ? process->present_counter : process->pool_counter;
}

/* After all slices: returns 1 if EVENT_SEEN is still to be reported. */
static int report_seen(struct thread_events *events, struct event *event)
{
	uint64_t stopped = process_stopped(events->process), seen = seen_last(events);

	if (events->feed || !events->reports_dormant || events->seen_reported || !seen)
		return 0;
	events->seen_reported = true;
	raise_counter(events, seen < stopped ? seen : stopped);
	event->kind = EVENT_SEEN;
	event->time_ns = clock_ns(&events->process->clock, events->at.counter);
	return 1;
}

static int lost(struct thread_events *events, struct event *event, uint32_t cause, uint64_t count)
{
	event->kind = EVENT_LOST;
	event->cause = cause;
	event->count = count;
	event->time_ns = clock_ns(&events->process->clock, events->at.counter);
	return 1;
}

static int report_root(struct thread_events *events, struct event *event)
{
	const struct thread_roots *roots = events->telling;
	const struct spoor_root *root = &roots->list[events->roots_reported];

	event->kind = EVENT_ROOT;
	event->count = events->roots_reported++;
	event->frame = root->frame;
	event->function = functions_number(events->functions, root->index, roots->counter);
	event->time_ns = clock_ns(&events->process->clock, events->at.counter);
	if (events->roots_reported == roots->count) {
		events->telling = NULL;
		raise_counter(events, events->slice_counter);
	}
	return event->function ? 1 : -ENOMEM;
}

/* Reports what precedes the next event, unless that event says it itself. Returns 1 with an event, or 0. */
static int report_pending(struct thread_events *events, struct event *event)
{
	uint64_t count;

	if (events->telling)
		return report_root(events, event);
	if (events->missing_slices) {
		count = events->missing_slices;
		events->missing_slices = 0;
		return lost(events, event,
			    process_was_ring(events->process, events->missing_since, events->at.counter) ?
				    EVENT_LOST_OVERWRITTEN : EVENT_LOST_SLICES, count);
	}
	if (events->unreadable) {
		events->unreadable = false;
		return lost(events, event, EVENT_LOST_UNREADABLE, 1);
	}
	/* The slice may begin with a word that reports the same loss with its cause. */
	if (events->at.word != events->at.end &&
	    *events->at.word == SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, 2, SPOOR_EXTENDED_LOST))
		return 0;
	events->pending = false;
	if (events->lost_known <= events->lost_reported)
		return 0;
	count = events->lost_known - events->lost_reported;
	events->lost_reported = events->lost_known;
	return lost(events, event, EVENT_LOST_UNKNOWN, count);
}

static int plain_event(struct thread_events *events, struct event *event, const struct spoor_slice_record *record)
{
	event->kind = record->kind;
	if (event->kind >= EVENT_FRAME) {
		event->frame = record->index;
		event->goes_on = event->kind == EVENT_SWITCH && record->index & SPOOR_SWITCH_GOES_ON;
		if (event->kind == EVENT_SWITCH)
			event->frame &= SPOOR_SWITCH_GOES_ON - 1;
		event->time_ns = clock_ns(&events->process->clock, events->at.counter);
		return 1;
	}
	event->function = functions_number(events->functions, record->index, events->at.counter);
	event->time_ns = clock_ns(&events->process->clock, events->at.counter);
	return event->function ? 1 : -ENOMEM;
}

static int user_event(struct thread_events *events, struct event *event, const struct spoor_slice_record *record)
{
	struct spoor_user_event stored;

	spoor_user_unpack(record->payload, record->length, &stored);
	event->user_type = stored.type;
	event->user_payload_1 = stored.payload_1;
	event->user_payload_2 = stored.payload_2;
	event->time_ns = clock_ns(&events->process->clock, events->at.counter);
	event->own_time = stored.steady_ns != 0;
	event->kind = EVENT_USER;
	if (stored.type != SPOOR_EVENT_ENTRY && stored.type != SPOOR_EVENT_EXIT) {
		if (event->own_time)
			event->time_ns = stored.steady_ns + events->process->shift_ns;
		return 1;
	}
	/* Types of version 0, which injected calls write. */
	event->kind = stored.type;
	event->function = stored.payload_2 == SPOOR_USER_SCOPE ?
				  functions_number_of_scope(events->functions, stored.payload_1) :
				  functions_number_of_id(events->functions, stored.payload_1);
	return event->function ? 1 : -ENOMEM;
}

static int tracepoint_event(struct thread_events *events, struct event *event, const struct spoor_slice_record *record)
{
	spoor_tracepoint_unpack(record->payload, record->length, &events->tracepoint);
	event->kind = EVENT_TRACEPOINT;
	event->tracepoint = &events->tracepoint;
	event->function = functions_number_of_tracepoint(events->functions, events->tracepoint.number);
	event->time_ns = clock_ns(&events->process->clock, events->at.counter);
	return event->function ? 1 : -ENOMEM;
}

static int values_event(struct thread_events *events, struct event *event, const struct spoor_slice_record *record)
{
	int error;

	if (!events->reports_values)
		return 0;
	error = call_values_read(events->process, record->payload, record->length, &event->values);
	if (error || !event->values)
		return error;
	event->kind = EVENT_VALUES;
	event->time_ns = clock_ns(&events->process->clock, events->at.counter);
	return 1;
}

/* Handles one extended record. Returns 1 with an event, 0 without one, or -ENOMEM. */
static int read_extended(struct thread_events *events, struct event *event, const struct spoor_slice_record *record)
{
	switch (record->type) {
	case SPOOR_EXTENDED_NOP:
	case SPOOR_EXTENDED_TIME:
		return 0;
	case SPOOR_EXTENDED_LOST:
		events->lost_reported += record->payload[0];
		if (events->lost_reported >= events->lost_known)
			events->pending = events->missing_slices || events->unreadable;
		return lost(events, event, (uint32_t)record->payload[1], record->payload[0]);
	case SPOOR_EXTENDED_GAP:
		events->pending |= roots_are_due(events, record->payload[0]);
		return lost(events, event, EVENT_LOST_UNRECORDED, 0);
	case SPOOR_EXTENDED_USER:
		return user_event(events, event, record);
	case SPOOR_EXTENDED_TRACEPOINT:
		return tracepoint_event(events, event, record);
	case SPOOR_EXTENDED_VALUES:
		return values_event(events, event, record);
	default:
		events->unknown_words += 1 + record->length;
		return 0;
	}
}

/* Handles the next record of the slice. Returns the same as extended. */
static int next_record(struct thread_events *events, struct event *event)
{
	struct spoor_slice_record record;

	if (spoor_words_next(&events->at, &record) < 0) {
		events->unknown_words++;
		events->at.word = events->at.end;
		return 0;
	}
	if (spoor_kind_is_plain(record.kind))
		return plain_event(events, event, &record);
	if (record.kind == SPOOR_EVENT_EXTENDED)
		return read_extended(events, event, &record);
	events->unknown_words++;
	return 0;
}

/* After dated words: sets `at.counter` to the counter of the word before the next one. */
static void settle_counter(struct thread_events *events)
{
	if (events->at.word == events->dated_end) {
		events->at.counter = events->dated_counter;
		events->settled = events->at.word;
	}
	for (; events->settled < events->at.word; events->settled++)
		events->at.counter = spoor_word_date(events->at.counter, *events->settled);
	if (events->at.word >= events->dated_end)
		events->dated_end = NULL;
}

static int next_slow(struct thread_events *events, struct event *event)
{
	for (;;) {
		int result;

		if (events->at.word == events->at.end && events->at.end != events->all_end && !events->pending)
			return thread_events_report_dormant(events, event);
		if (events->at.word == events->at.end && !events->pending) {
			result = next_slice(events);
			if (result < 0)
				return result;
			if (!result)
				return thread_events_dormant_is_due(events) ? thread_events_report_dormant(events, event) :
									      report_seen(events, event);
		}
		if (events->pending && (result = report_pending(events, event)) != 0)
			return result;
		if (events->at.word == events->at.end)
			continue;
		result = next_record(events, event);
		if (result)
			return result;
	}
}

int thread_events_next_slow(struct thread_events *events, struct event *event)
{
	int result;

	if (events->dated_end)
		settle_counter(events);
	result = next_slow(events, event);
	events->settled = events->at.word;
	return result;
}
