/* SPDX-License-Identifier: MIT */
/*
 * watched_thread.h - the open calls of one thread, as the trigger watch follows them.
 *
 * The drainer also runs in the traced process, so all memory is in this struct: of calls deeper than
 * WATCHED_DEPTH_MAX only the number is known.
 */
#ifndef SPOOR_WATCHED_THREAD_H
#define SPOOR_WATCHED_THREAD_H

#include <stdbool.h>

#include "drain/watched_values.h"
#include "format/trigger_format.h"

#define WATCHED_DEPTH_MAX 1024u
#define WATCHED_LATE_MAX 32u

struct watched_call {
	uint64_t since;
	uint32_t index;
	uint32_t frame;		/* bits of its address; 0: unknown */
	bool armed;		/* the trigger is for its function, and it was not reported yet */
	uint32_t comparisons;	/* of the trigger's condition that hold for its arguments */
};

struct watched_thread {
	uint32_t serial, thread_id;
	uint32_t look;		/* the last look at which the thread had a slice; 0: this entry is unused */
	uint32_t slice;		/* the slice that is read, */
	uint32_t looked, slices;	/* the last look that found new words, and in how many slices */
	uint64_t sequence;	/* the slice's number among the thread's */
	uint32_t position;	/* number of its words that were read */
	bool ended;		/* it has no more words */
	uint64_t counter;	/* the last word's time */
	uint32_t depth;		/* number of `calls` */
	uint32_t above;		/* number of open calls that are deeper than those */
	uint32_t armed;		/* number of `calls` that are armed */
	/* Calls that had ended when they were seen, and had taken too long, or whose values fulfil the condition. */
	uint32_t late_count;
	struct {
		uint64_t since, ended;	/* ended: 0: it was not seen ending */
		uint32_t index;
	} late[WATCHED_LATE_MAX];
	struct watched_call calls[WATCHED_DEPTH_MAX];
};

void watched_thread_begin(struct watched_thread *thread, uint32_t serial);

/*
 * watched_thread_read - reads the new words of one of the thread's slices. Slices come in their order.
 * @trigger: its ranges are sorted
 * @limit:   in counts
 * @values:  null: the trigger has no condition
 *
 * Return: whether there were new words.
 */
bool watched_thread_read(struct watched_thread *thread, struct spoor_pool *pool, uint32_t slice,
			 const struct spoor_trigger *trigger, uint64_t limit, struct watched_values *values);

/* Returns whether another call takes too long at @now, and which. @ended: out: 0 while the call is open */
bool watched_thread_next(struct watched_thread *thread, uint64_t now, uint64_t limit, uint32_t *index,
			 uint64_t *began, uint64_t *ended);

#endif
