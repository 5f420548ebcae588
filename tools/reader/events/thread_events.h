/* SPDX-License-Identifier: MIT */
/*
 * thread_events.h - the events of one thread, one after the other, dated and
 * with their functions' numbers.
 *
 * Slices are decoded one at a time into the same buffer, or a few ahead by another thread, which dates
 * their plain words as well: what it takes does not grow with the trace. About 10 ns an event.
 *
 * Invariants
 *   I1  times never run backwards within a thread, but for events whose time
 *       the program gave itself (`own_time`).
 *   I2  what is missing is an EVENT_LOST in its place, each loss once.
 *   I3  what was dated ahead has the times that it would have without: dates begin with the slice's
 *       own counter, and are taken only where that is where the events before have come to.
 */
#ifndef SPOOR_READER_THREAD_EVENTS_H
#define SPOOR_READER_THREAD_EVENTS_H

#include <errno.h>

#include "format/slice_words.h"
#include "reader/symbols/functions.h"
#include "reader/files/process.h"
#include "reader/events/time_range.h"

enum event_kind {
	EVENT_ENTRY = SPOOR_EVENT_ENTRY,
	EVENT_EXIT = SPOOR_EVENT_EXIT,
	EVENT_TAIL_EXIT = SPOOR_EVENT_TAIL_EXIT,
	EVENT_FRAME = SPOOR_EVENT_FRAME,	/* `frame` is that of the innermost open call, */
	EVENT_UNWIND = SPOOR_EVENT_UNWIND,	/* of the one that is the innermost from now on; 0: none is */
	EVENT_SWITCH = SPOOR_EVENT_SWITCH,	/* of one that leaves its stack, or `goes_on` there */
	EVENT_LOST,	/* `count` events, or what its `cause` says */
	EVENT_USER,	/* `user_...` */
	EVENT_TRACEPOINT,	/* `function` is what shows it, `tracepoint` its arguments */
	EVENT_DORMANT,	/* for call trees: calls of functions that are `disabled` and open will not be seen to end */
	EVENT_SEEN,	/* for call trees: the thread's last, where it was still there after all others */
	EVENT_ROOT,	/* a call that was open before; `count` others stand around it, and nothing else is open */
};

/* Causes beside enum spoor_loss_cause. */
enum event_lost_cause {
	EVENT_LOST_UNKNOWN = 0x100,	/* the runtime counted it and did not say where */
	EVENT_LOST_SLICES,		/* `count` slices are not in the trace */
	EVENT_LOST_UNREADABLE,		/* a slice is there and cannot be unpacked */
	EVENT_LOST_OVERWRITTEN,		/* `count` slices were given up for newer ones, as a ring does */
	EVENT_LOST_UNRECORDED,		/* the thread may have run in a mode that stores no events */
};

struct event {
	uint32_t kind;
	uint32_t function;	/* number, for entries, exits, roots and tracepoints */
	uint64_t time_ns;
	uint32_t frame;		/* SPOOR_FRAME_BITS */
	uint64_t count;
	uint32_t cause;
	uint32_t user_type, user_payload_2;
	uint64_t user_payload_1;
	const struct spoor_tracepoint_event *tracepoint;	/* until the next event, as is */
	const struct disabling *disabled;
	bool goes_on;
	bool own_time;		/* of EVENT_USER: set, or not */
};

struct thread_events;
struct slices_ahead;

/* Where slices come from that are not in the process's index yet. */
struct slice_feed {
	void *context;
	/*
	 * Puts the words of the next slice into @events->words, @info beside; or such as have come
	 * since of the one that it gave last, with @more set.
	 *
	 * Return: how many (>= 0), -EAGAIN where there are none for now, -EBADMSG, -ENOMEM.
	 */
	long (*take)(void *context, struct thread_events *events, struct spoor_slice_info *info, bool *more);
};

struct thread_events {
	struct process *process;
	struct functions *functions;
	const struct thread_slices *thread;
	const struct time_range *range;	/* for who reads them; null: all */
	const struct slice_feed *feed;	/* null: the process's index */
	uint64_t fed_until_ns;		/* when that has none: no event of before this will come */
	struct thread_walk walk;
	struct slices_ahead *ahead;	/* null: slices are read when they are come to */

	struct spoor_words at;		/* what is left of the slice; the counter of the event before */
	const uint64_t *all_end;	/* of the slice; `at.end` is where functions go dormant */
	bool tells_dormant;		/* to be set: EVENT_DORMANT and EVENT_SEEN are wanted */
	size_t dormant_told;		/* of the process's; the next one are so */
	uint64_t dormant_since;		/* ... since this counter */
	uint64_t *words;
	size_t capacity;

	/* Of the slice's words those before `dated_end` are dated; null: none is, or they are all behind. */
	const uint64_t *dated_end;
	const uint64_t *settled;	/* `at.counter` is that of the word before this one, or it is `at.word` */
	const uint32_t *dates;		/* of each, since `dated_ns` */
	size_t dated_count;		/* as they were loaded */
	uint64_t dated_ns;
	uint64_t dated_counter;		/* of the last one */

	uint64_t expected_sequence;
	uint64_t lost_told;		/* of the thread's lost events, those told so far */
	uint64_t lost_known;		/* as its slices say */
	uint64_t missing_slices;	/* to be told, */
	uint64_t missing_since;		/* the counter before them */
	const struct thread_roots *roots;	/* those to come, */
	const struct thread_roots *telling;	/* ... and those that are being told */
	uint32_t roots_told;
	uint64_t slice_counter;		/* the slice's own, which comes after them */
	bool unreadable;		/* to be told */
	bool seen_told;
	bool pending;			/* something is to be told before the next event */
	struct spoor_tracepoint_event tracepoint;	/* the last one */
	uint64_t unknown_words;		/* of kinds that this reader does not know */
	uint64_t unreadable_slices;
};

void thread_events_begin(struct thread_events *events, struct process *process, struct functions *functions,
			 const struct thread_slices *thread);
void thread_events_end(struct thread_events *events);

/*
 * thread_events_read_ahead - where it is worth it, another thread unpacks the slices to come (slices_ahead.h).
 *
 * Until thread_events_end nobody else may read the process's events file.
 */
void thread_events_read_ahead(struct thread_events *events);

/* For a slice_feed: room for so many words; those of the block at @offset, and of a place, as it returns them, -ESTALE
 * where the place has another slice. */
int thread_events_room(struct thread_events *events, size_t words);
long thread_events_load(struct thread_events *events, uint64_t offset, struct spoor_slice_info *info);
long thread_events_load_place(struct thread_events *events, const struct thread_place *place,
			      struct spoor_slice_info *info);

/* thread_load.c's: loads the next slice that there is. @count: words (>= 0), -EBADMSG, -ENOMEM; -ESTALE: it
 * is gone. Return: whether there is one more. */
bool thread_events_load_next(struct thread_events *events, struct thread_place *place, struct spoor_slice_info *info,
			     long *count);

/* thread_dormant.c's: puts `end` where functions went dormant in the slice; whether one did behind all events that there
 * are; passes over those until @counter; tells the next one, and goes on. Returns as thread_events_next. */
void thread_events_find_dormant(struct thread_events *events);
bool thread_events_dormant_is_due(const struct thread_events *events);
void thread_events_pass_dormant(struct thread_events *events, uint64_t counter);
int thread_events_tell_dormant(struct thread_events *events, struct event *event);

/* Everything but plain entries and exits. Return: as thread_events_next. */
int thread_events_next_slow(struct thread_events *events, struct event *event);

/*
 * thread_events_next - the next event.
 *
 * Return: 1, 0 at the end (of a feed: for now), -ENOMEM, or a negative errno of reading.
 */
static inline int thread_events_next(struct thread_events *events, struct event *event)
{
	uint64_t word;

	if (__builtin_expect(events->at.word == events->at.end || events->pending, 0))
		return thread_events_next_slow(events, event);
	word = *events->at.word;
	event->kind = spoor_word_kind(word);
	if (__builtin_expect(event->kind - SPOOR_EVENT_ENTRY > SPOOR_EVENT_TAIL_EXIT - SPOOR_EVENT_ENTRY, 0))
		return thread_events_next_slow(events, event);
	if (events->dated_end) {
		event->function = functions_known(events->functions, spoor_word_index(word));
		if (__builtin_expect(events->at.word >= events->dated_end || !event->function, 0))
			return thread_events_next_slow(events, event);
		event->time_ns = events->dated_ns + events->dates[events->at.word++ - events->words];
		return 1;
	}
	events->at.word++;
	events->at.counter = spoor_word_date(events->at.counter, word);
	event->function = functions_number(events->functions, spoor_word_index(word), events->at.counter);
	event->time_ns = clock_ns(&events->process->clock, events->at.counter);
	return __builtin_expect(event->function != 0, 1) ? 1 : -ENOMEM;
}

#endif
