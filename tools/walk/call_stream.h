/* SPDX-License-Identifier: MIT */
/*
 * call_stream.h - the calls of one thread, each taken when it is asked for.
 *
 * What a call tree tells through a filter, item by item, for who takes turns between threads.
 * An event may close or open many calls; what waits grows with the depth, not with the events.
 *
 * Invariants
 *   I1  the times of items never run backwards.
 */
#ifndef SPOOR_TOOLS_CALL_STREAM_H
#define SPOOR_TOOLS_CALL_STREAM_H

#include "walk/call_filter.h"
#include "walk/range_calls.h"
#include "reader/events/thread_events.h"

struct call_item {
	enum { CALL_ITEM_ENTER, CALL_ITEM_LEAVE, CALL_ITEM_OTHER } what;
	enum call_end how;
	uint64_t time_ns;	/* where it stands among others */
	uint64_t end_ns;
	size_t depth;
	union {
		struct call call;
		struct event event;
	};
};

struct call_stream {
	struct thread_events events;
	struct call_tree tree;
	struct call_filter filter;
	struct range_calls met;
	struct call_sink queue;		/* what the filter tells */
	const struct call_sink *entrance;	/* what the tree tells */
	struct call_item *items;	/* [first, count) wait */
	size_t first, count, capacity;
	uint64_t last_ns;
	bool ended;
};

/*
 * call_stream_begin - @events: begun, the stream's from now on
 * @libraries, @least_ns: as in struct call_filter
 */
void call_stream_begin(struct call_stream *stream, const struct thread_events *events, struct library_choice *libraries,
		       uint64_t least_ns);

/*
 * call_stream_look - the next item, which stays the next until it is told.
 *
 * Return: 1, 0 where there is none left, or a negative errno.
 */
int call_stream_look(struct call_stream *stream, const struct call_item **item);

/* Tells the item that was looked at. */
void call_stream_tell(struct call_stream *stream, const struct call_sink *sink);
void call_stream_end(struct call_stream *stream);

#endif
