/* SPDX-License-Identifier: MIT */
/* call_stream.c - gives the calls of one thread one by one, on request. */
#include "walk/call_stream.h"

#include <stdlib.h>

#include "base/message.h"

static struct call_item *add(struct call_stream *stream, uint64_t time_ns)
{
	struct call_item *item;

	if (stream->count == stream->capacity) {
		size_t capacity = stream->capacity ? 2 * stream->capacity : 4;
		struct call_item *items = reallocarray(stream->items, capacity, sizeof(*items));

		if (!items) {
			message("out of memory for the calls");
			exit(SPOOR_EXIT_BAD_TRACE);
		}
		stream->items = items;
		stream->capacity = capacity;
	}
	if (time_ns > stream->last_ns)
		stream->last_ns = time_ns;
	item = &stream->items[stream->count++];
	item->time_ns = stream->last_ns;
	return item;
}

static void stream_enter(void *context, const struct call *call, size_t depth)
{
	struct call_item *item = add(context, call->begin_ns);

	item->what = CALL_ITEM_ENTER;
	item->depth = depth;
	item->call = *call;
	call_values_keep(call->arguments);
}

static void stream_leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	struct call_item *item = add(context, end_ns);

	item->what = CALL_ITEM_LEAVE;
	item->depth = depth;
	item->end_ns = end_ns;
	item->how = how;
	item->call = *call;
	call_values_keep(call->arguments);
	call_values_keep(call->result);
}

static void stream_other(void *context, const struct event *event, size_t depth)
{
	struct call_stream *stream = context;
	/* Uses the tree's time, because the event may carry its own. */
	struct call_item *item = add(stream, stream->tree.last_ns);

	item->what = CALL_ITEM_OTHER;
	item->depth = depth;
	item->event = *event;
}

void call_stream_begin(struct call_stream *stream, const struct thread_events *events, struct call_choice *libraries,
		       uint64_t least_ns, const struct condition *condition)
{
	*stream = (struct call_stream){
		.events = *events,
		.filter = { .libraries = libraries, .least_ns = least_ns, .condition = condition },
		.queue = { .context = stream, .enter = stream_enter, .leave = stream_leave, .other = stream_other },
	};
	stream->events.reports_dormant = stream->events.reports_values = true;
	stream->entrance = call_filter_thread(&stream->filter, &stream->queue);
	if (stream->events.range)
		stream->entrance = range_calls_thread(&stream->met, stream->entrance);
	call_tree_begin(&stream->tree, stream->events.functions, stream->events.range);
}

int call_stream_look(struct call_stream *stream, const struct call_item **item)
{
	if (stream->first == stream->count)
		stream->first = stream->count = 0;
	while (!stream->count && !stream->ended) {
		struct event event;
		int more = thread_events_next(&stream->events, &event), behind = 0;

		if (more > 0)
			behind = call_tree_take(&stream->tree, &event, stream->entrance);
		if (more < 0 || behind < 0)
			return more < 0 ? more : behind;
		if (more && !behind)
			continue;
		call_tree_end(&stream->tree, stream->entrance);
		stream->ended = true;
	}
	*item = &stream->items[stream->first];
	return stream->first < stream->count;
}

static void drop_values(const struct call_item *item)
{
	if (item->what == CALL_ITEM_OTHER)
		return;
	call_values_drop(item->call.arguments);
	call_values_drop(item->call.result);
}

void call_stream_emit(struct call_stream *stream, const struct call_sink *sink)
{
	const struct call_item *item = &stream->items[stream->first++];

	if (item->what == CALL_ITEM_ENTER)
		sink->enter(sink->context, &item->call, item->depth);
	else if (item->what == CALL_ITEM_LEAVE)
		sink->leave(sink->context, &item->call, item->depth, item->end_ns, item->how);
	else if (sink->other)
		sink->other(sink->context, &item->event, item->depth);
	drop_values(item);
}

void call_stream_end(struct call_stream *stream)
{
	for (; stream->first < stream->count; stream->first++)
		drop_values(&stream->items[stream->first]);
	thread_events_end(&stream->events);
	call_tree_free(&stream->tree);
	call_filter_free(&stream->filter);
	free(stream->items);
	stream->items = NULL;
}
