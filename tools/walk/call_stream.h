/* SPDX-License-Identifier: MIT */
/*
 * call_stream.h - gives the calls of one thread one by one, on request, for callers that take turns
 * between threads.
 *
 * The calls come from a call tree through a filter. One event may close or open many calls, so items
 * wait in a queue that grows with the depth and not with the number of events.
 *
 * Invariants
 *   I1  The times of items never decrease.
 */
#ifndef SPOOR_TOOLS_CALL_STREAM_H
#define SPOOR_TOOLS_CALL_STREAM_H

#include "walk/call_filter.h"
#include "walk/range_calls.h"
#include "reader/events/thread_events.h"

struct call_item {
	enum { CALL_ITEM_ENTER, CALL_ITEM_LEAVE, CALL_ITEM_OTHER } what;
	enum call_end how;
	uint64_t time_ns;	/* its place among the items of other threads */
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
	struct call_sink queue;		/* the sink that the filter calls */
	const struct call_sink *entrance;	/* the sink that the tree calls */
	struct call_item *items;	/* the items in [first, count) wait */
	size_t first, count, capacity;
	uint64_t last_ns;
	bool ended;
};

/*
 * call_stream_begin - begins a stream.
 * @events: begun; the stream owns it from then on
 * @libraries, @least_ns: as in struct call_filter
 */
void call_stream_begin(struct call_stream *stream, const struct thread_events *events, struct call_choice *libraries,
		       uint64_t least_ns, const struct condition *condition);

/*
 * call_stream_look - gives the next item, which stays the next one until call_stream_emit.
 *
 * Returns 1, 0 at the end, or a negative errno.
 */
int call_stream_look(struct call_stream *stream, const struct call_item **item);

/* Reports the item from call_stream_look. */
void call_stream_emit(struct call_stream *stream, const struct call_sink *sink);
void call_stream_end(struct call_stream *stream);

#endif
