/* SPDX-License-Identifier: MIT */
/*
 * thread_events.h - reads the events of one thread in order, with times and function numbers.
 *
 * Slices are decoded one at a time into the same buffer, or a few ahead by another thread, which also
 * dates their plain words. The memory does not grow with the trace. About 10 ns an event.
 *
 * Invariants
 *   I1  Times never decrease within a thread, except for events whose time the program set itself
 *       (`own_time`).
 *   I2  An EVENT_LOST reports each loss once, in its place.
 *   I3  Dates from another thread are the same as without it: they begin with the slice's own counter,
 *       and are used only if the previous events have reached exactly that counter.
 */
#ifndef SPOOR_READER_THREAD_EVENTS_H
#define SPOOR_READER_THREAD_EVENTS_H

#include <errno.h>

#include "format/slice_words.h"
#include "reader/events/call_values.h"
#include "reader/symbols/functions.h"
#include "reader/files/process.h"
#include "reader/events/time_range.h"

enum event_kind {
	EVENT_ENTRY = SPOOR_EVENT_ENTRY,
	EVENT_EXIT = SPOOR_EVENT_EXIT,
	EVENT_TAIL_EXIT = SPOOR_EVENT_TAIL_EXIT,
	EVENT_FRAME = SPOOR_EVENT_FRAME,	/* `frame` belongs to the innermost open call */
	EVENT_UNWIND = SPOOR_EVENT_UNWIND,	/* `frame` belongs to the new innermost call; 0: none */
	EVENT_SWITCH = SPOOR_EVENT_SWITCH,	/* `frame` leaves its stack, or `goes_on` there */
	EVENT_LOST,	/* `count` events, or as its `cause` says */
	EVENT_USER,	/* `user_...` */
	EVENT_TRACEPOINT,	/* `function` stands for it, `tracepoint` has the arguments */
	EVENT_DORMANT,	/* for call trees: open calls of functions in `disabled` will have no exit */
	EVENT_SEEN,	/* for call trees: the thread was still there after all other events */
	EVENT_VALUES,	/* for call trees: `values` belong to the next event */
	EVENT_ROOT,	/* a call that was open before; `count` others are around it, and no other call is open */
};

/* Causes in addition to enum spoor_loss_cause. */
enum event_lost_cause {
	EVENT_LOST_UNKNOWN = 0x100,	/* the runtime counted the loss without its place */
	EVENT_LOST_SLICES,		/* `count` slices are not in the trace */
	EVENT_LOST_UNREADABLE,		/* a slice is there and cannot be unpacked */
	EVENT_LOST_OVERWRITTEN,		/* newer slices replaced `count` older ones in a ring */
	EVENT_LOST_UNRECORDED,		/* the thread may have run in a mode that stores no events */
};

struct event {
	uint32_t kind;
	uint32_t function;	/* number; of entries, exits, roots and tracepoints */
	uint64_t time_ns;
	uint32_t frame;		/* SPOOR_FRAME_BITS */
	uint64_t count;
	uint32_t cause;
	uint32_t user_type, user_payload_2;
	uint64_t user_payload_1;
	const struct spoor_tracepoint_event *tracepoint;	/* valid until the next event, like */
	const struct disabling *disabled;
	struct call_values *values;	/* the one who takes the event owns them */
	bool goes_on;
	bool own_time;		/* of EVENT_USER: the program set the time */
};

struct thread_events;
struct slices_ahead;

/* A source of slices that the process's index does not have yet. */
struct slice_feed {
	void *context;
	/*
	 * Stores the words of the next slice in @events->words, and the slice's facts in @info. If @more is set
	 * afterwards, the words continue the slice of the previous call.
	 *
	 * Returns the number of words (>= 0), -EAGAIN if there are none for now, -EBADMSG, or -ENOMEM.
	 */
	long (*take)(void *context, struct thread_events *events, struct spoor_slice_info *info, bool *more);
};

struct thread_events {
	struct process *process;
	struct functions *functions;
	const struct thread_slices *thread;
	const struct time_range *range;	/* the requested range, for the consumer; null: all */
	const struct slice_feed *feed;	/* null: the process's index */
	uint64_t fed_until_ns;		/* if the feed is empty: no event before this time will come */
	struct thread_walk walk;
	struct slices_ahead *ahead;	/* null: slices are loaded when they are needed */

	struct spoor_words at;		/* the rest of the slice; the counter of the previous event */
	const uint64_t *all_end;	/* of the slice; `at.end` is where functions become dormant */
	bool reports_dormant;		/* set by the caller: it wants EVENT_DORMANT and EVENT_SEEN */
	bool reports_values;		/* set by the caller: it wants EVENT_VALUES */
	size_t dormant_reported;		/* number of the process's records that were reported */
	uint64_t dormant_since;		/* ... the next one takes effect at this counter */
	uint64_t *words;
	size_t capacity;

	/* The words before `dated_end` have dates. Null: no word has, or all such words were read. */
	const uint64_t *dated_end;
	const uint64_t *settled;	/* `at.counter` belongs to the word before this one or before `at.word` */
	const uint32_t *dates;		/* of each word, since `dated_ns` */
	size_t dated_count;		/* number of words that were loaded with dates */
	uint64_t dated_ns;
	uint64_t dated_counter;		/* of the last dated word */

	uint64_t expected_sequence;
	uint64_t lost_reported;		/* lost events of the thread that were reported */
	uint64_t lost_known;		/* lost events of the thread, according to its slices */
	uint64_t missing_slices;	/* not reported yet */
	uint64_t missing_since;		/* the counter before the missing slices */
	const struct thread_roots *roots;	/* the roots that are still to come */
	const struct thread_roots *telling;	/* ... and the roots being reported now */
	uint32_t roots_reported;
	uint64_t slice_counter;		/* the slice's own, which counts after the roots */
	bool unreadable;		/* an unreadable slice is to be reported */
	bool seen_reported;
	bool pending;			/* something is to be reported before the next event */
	struct spoor_tracepoint_event tracepoint;	/* the latest one */
	uint64_t unknown_words;		/* words of kinds that this reader does not know */
	uint64_t unreadable_slices;
};

void thread_events_begin(struct thread_events *events, struct process *process, struct functions *functions,
			 const struct thread_slices *thread);
void thread_events_end(struct thread_events *events);

/*
 * thread_events_read_ahead - lets another thread unpack the next slices (slices_ahead.h), if the
 * thread has enough of them.
 *
 * Until thread_events_end no other reader may use the process's events file.
 */
void thread_events_read_ahead(struct thread_events *events);

/* For a slice_feed: thread_events_room makes room for @words words; the others load the block at @offset, or a
 * place, and return the number of words or an error, -ESTALE if the place holds another slice. */
int thread_events_room(struct thread_events *events, size_t words);
long thread_events_load(struct thread_events *events, uint64_t offset, struct spoor_slice_info *info);
long thread_events_load_place(struct thread_events *events, const struct thread_place *place,
			      struct spoor_slice_info *info);

/* In thread_load.c. Loads the next slice. @count: words (>= 0), -EBADMSG, -ENOMEM, or -ESTALE if the slice is
 * gone. Returns whether there was one. */
bool thread_events_load_next(struct thread_events *events, struct thread_place *place, struct spoor_slice_info *info,
			     long *count);

/* In thread_dormant.c, in this order: sets `at.end` to where functions become dormant in the slice; returns
 * whether that is after all available events; skips the records up to @counter; reports the next record, and goes
 * on. The last one returns the same as thread_events_next. */
void thread_events_find_dormant(struct thread_events *events);
bool thread_events_dormant_is_due(const struct thread_events *events);
void thread_events_pass_dormant(struct thread_events *events, uint64_t counter);
int thread_events_report_dormant(struct thread_events *events, struct event *event);

/* Handles all words but plain entries and exits. Returns the same as thread_events_next. */
int thread_events_next_slow(struct thread_events *events, struct event *event);

/*
 * thread_events_next - reads the next event.
 *
 * Returns 1, 0 at the end (of a feed: for now), -ENOMEM, or the negative errno of a read.
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
