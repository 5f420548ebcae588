/* SPDX-License-Identifier: MIT */
/* open_calls.h - the calls that are open in one thread, as the words of its slices tell. */
#ifndef SPOOR_WATCH_CALLS_H
#define SPOOR_WATCH_CALLS_H

#include <stdbool.h>

#include "mode/trigger.h"

#define WATCHED_DEPTH_MAX 1024u
#define WATCHED_LATE_MAX 8u

struct watched_call {
	uint64_t since;
	uint32_t index;
	uint32_t frame;		/* bits of its address; 0: not known */
	bool armed;		/* it is watched, and nobody was told of it */
};

struct watched_thread {
	uint32_t serial, thread_id;
	uint32_t look;		/* the last one at which it had a slice; 0: this is nobody's */
	uint32_t slice;		/* the one that is read, */
	uint32_t looked, slices;	/* when there was last anything new, and in how many slices */
	uint64_t sequence;	/* which is this one of the thread's; */
	uint32_t position;	/* so many words of it are; */
	bool ended;		/* it has no more */
	uint64_t counter;	/* the last word's time */
	uint32_t depth;		/* of `calls`, but for the deepest ones, */
	uint32_t above;		/* of which there are so many */
	uint32_t armed;
	/* Calls that were over when they were seen, and had been too long. */
	uint32_t late_count;
	struct {
		uint64_t since, ended;
		uint32_t index;
	} late[WATCHED_LATE_MAX];
	struct watched_call calls[WATCHED_DEPTH_MAX];
};

void watched_thread_begin(struct watched_thread *thread, uint32_t serial);

/*
 * watched_thread_read - reads on in a slice of the thread's. They are to come in their order.
 * @trigger: ranges in order
 * @limit:   in counts
 *
 * Return: whether anything was new.
 */
bool watched_thread_read(struct watched_thread *thread, struct spoor_pool *pool, uint32_t slice,
			 const struct spoor_trigger *trigger, uint64_t limit);

/* Return: whether there is one more call that is too long at @now; @ended is 0 while it is open. */
bool watched_thread_next(struct watched_thread *thread, uint64_t now, uint64_t limit, uint32_t *index,
			 uint64_t *began, uint64_t *ended);

#endif
