/* SPDX-License-Identifier: MIT */
/* thread_dormant.c - where among a thread's events functions went dormant. */
#include "format/slice_words.h"
#include "reader/events/thread_events.h"

/* Whether a word, or what it carries, is an entry or exit of one of the functions. */
static bool is_of(const uint64_t *word, uint32_t length, const struct disabling *disabled)
{
	uint32_t code = (uint32_t)(*word >> 32);

	if (length == 2 && (uint32_t)*word == SPOOR_EXTENDED_TIMED_EVENT)
		code = (uint32_t)word[2];
	else if (length)
		return false;
	return code >> SPOOR_INDEX_BITS >= SPOOR_EVENT_ENTRY && code >> SPOOR_INDEX_BITS <= SPOOR_EVENT_TAIL_EXIT &&
	       disabling_has(disabled, code & SPOOR_INDEX_MAX);
}

/*
 * Behind which words they are dormant: they became so after the last one of their own that is in the time in
 * question. Return: the end of the slice where that time does not end in it.
 * @since: when it was asked for, or that last one's counter
 */
static const uint64_t *find(const struct thread_events *events, const struct disabling *disabled, uint64_t *since)
{
	const uint64_t *word = events->word, *found = NULL;
	uint64_t counter = events->counter;

	*since = disabled->asked;
	while (word < events->all_end) {
		uint32_t length = *word >> 61 == SPOOR_EVENT_EXTENDED ? (uint32_t)(*word >> 32) & SPOOR_INDEX_MAX : 0;

		if (length >= (size_t)(events->all_end - word))
			break;
		/* Dated as thread_events_date does it. */
		spoor_slice_words_settled(word, 1 + length, &counter);
		if (counter >= disabled->asked && !found)
			found = word;
		if (counter >= disabled->counter)
			return found;
		if (found && is_of(word, length, disabled)) {
			found = word + 1 + length;
			*since = counter;
		}
		word += 1 + length;
	}
	return events->all_end;
}

void thread_events_find_dormant(struct thread_events *events)
{
	const struct process *process = events->process;

	events->end = events->all_end;
	if (events->tells_dormant && events->dormant_told < process->disabled_count)
		events->end = find(events, &process->disabled[events->dormant_told], &events->dormant_since);
}

bool thread_events_dormant_is_due(const struct thread_events *events)
{
	struct process *process = events->process;

	/* Without an event no call of theirs is open. */
	if (!events->tells_dormant || !events->counter || events->dormant_told >= process->disabled_count)
		return false;
	return !events->feed ||
	       clock_ns(&process->clock, process->disabled[events->dormant_told].counter) < events->fed_until_ns;
}

void thread_events_pass_dormant(struct thread_events *events, uint64_t counter)
{
	const struct process *process = events->process;
	size_t told = events->dormant_told;

	while (events->tells_dormant && events->dormant_told < process->disabled_count &&
	       process->disabled[events->dormant_told].counter <= counter)
		events->dormant_told++;
	if (events->dormant_told != told)
		thread_events_find_dormant(events);
}

int thread_events_tell_dormant(struct thread_events *events, struct event *event)
{
	bool is_there = events->word < events->all_end || events->feed || events->thread->seen_counter >= events->dormant_since;

	event->kind = EVENT_DORMANT;
	event->disabled = &events->process->disabled[events->dormant_told++];
	/* Behind its last event a thread may have ended. */
	event->time_ns = clock_ns(&events->process->clock, is_there ? events->dormant_since : events->counter);
	thread_events_find_dormant(events);
	return 1;
}
