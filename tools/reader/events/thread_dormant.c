/* SPDX-License-Identifier: MIT */
/* thread_dormant.c - finds the place among a thread's events at which functions were disabled. */
#include "format/slice_words.h"
#include "reader/events/thread_events.h"

/* Returns whether a record is an entry or exit of one of the functions. */
static bool concerns_functions(const struct spoor_slice_record *record, const struct disabling *disabled)
{
	return record->kind >= SPOOR_EVENT_ENTRY && record->kind <= SPOOR_EVENT_TAIL_EXIT &&
	       disabling_has(disabled, record->index);
}

/*
 * Finds the word at which functions become dormant: the word after their last event within the time
 * that the record gives.
 * @since: receives when they were disabled, or the counter of that last event
 *
 * Returns that word, or the end of the slice if that time does not end in it.
 */
static const uint64_t *find(const struct thread_events *events, const struct disabling *disabled, uint64_t *since)
{
	struct spoor_words words = { events->at.word, events->all_end, events->at.counter };
	const uint64_t *begin = words.word, *found = NULL;
	struct spoor_slice_record record;

	*since = disabled->asked;
	for (; spoor_words_next(&words, &record) > 0; begin = words.word) {
		if (words.counter >= disabled->asked && !found)
			found = begin;
		if (words.counter >= disabled->counter)
			return found;
		if (found && concerns_functions(&record, disabled)) {
			found = words.word;
			*since = words.counter;
		}
	}
	return events->all_end;
}

void thread_events_find_dormant(struct thread_events *events)
{
	const struct process *process = events->process;

	events->at.end = events->all_end;
	if (events->reports_dormant && events->dormant_reported < process->disabled_count)
		events->at.end = find(events, &process->disabled[events->dormant_reported], &events->dormant_since);
}

bool thread_events_dormant_is_due(const struct thread_events *events)
{
	struct process *process = events->process;

	/* Without an event, no call of these functions is open. */
	if (!events->reports_dormant || !events->at.counter || events->dormant_reported >= process->disabled_count)
		return false;
	return !events->feed ||
	       clock_ns(&process->clock, process->disabled[events->dormant_reported].counter) < events->fed_until_ns;
}

void thread_events_pass_dormant(struct thread_events *events, uint64_t counter)
{
	const struct process *process = events->process;
	size_t told = events->dormant_reported;

	while (events->reports_dormant && events->dormant_reported < process->disabled_count &&
	       process->disabled[events->dormant_reported].counter <= counter)
		events->dormant_reported++;
	if (events->dormant_reported != told)
		thread_events_find_dormant(events);
}

int thread_events_report_dormant(struct thread_events *events, struct event *event)
{
	bool is_there = events->at.word < events->all_end || events->feed || events->thread->seen_counter >= events->dormant_since;

	event->kind = EVENT_DORMANT;
	event->disabled = &events->process->disabled[events->dormant_reported++];
	/* The thread may have ended after its last event. */
	event->time_ns = clock_ns(&events->process->clock, is_there ? events->dormant_since : events->at.counter);
	thread_events_find_dormant(events);
	return 1;
}
