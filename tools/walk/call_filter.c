/* SPDX-License-Identifier: MIT */
/* call_filter.c - leaves out calls by library and duration. */
#include "walk/call_filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "walk/pattern_options.h"

enum { NOT_KNOWN, CHOSEN, LEFT_OUT };

static void no_memory(void)
{
	message("out of memory for the calls");
	exit(SPOOR_EXIT_BAD_TRACE);
}

static uint8_t match_library(struct library_choice *libraries, uint32_t function)
{
	if (function >= libraries->known_count) {
		uint32_t count = function < 128 ? 256 : 2 * function;
		uint8_t *known = realloc(libraries->known, count);

		if (!known)
			no_memory();
		memset(known + libraries->known_count, NOT_KNOWN, count - libraries->known_count);
		libraries->known = known;
		libraries->known_count = count;
	}
	return libraries->known[function] =
		       library_matches(libraries->functions, function, libraries->patterns) ? CHOSEN : LEFT_OUT;
}

static inline bool is_left_out(struct call_filter *filter, uint32_t function)
{
	struct library_choice *libraries = filter->libraries;
	uint8_t known;

	if (!libraries->patterns)
		return false;
	known = function < libraries->known_count ? libraries->known[function] : NOT_KNOWN;
	return (known == NOT_KNOWN ? match_library(libraries, function) : known) == LEFT_OUT;
}

static void report_open_calls(struct call_filter *filter)
{
	for (; filter->told < filter->depth; filter->told++)
		filter->sink->enter(filter->sink->context, &filter->stack[filter->told], filter->told);
}

/* Reports the calls around an event. */
static void report_place(const struct call_filter *filter)
{
	const struct call_sink *sink = filter->sink;

	for (size_t at = filter->told; sink->around && at < filter->depth; at++)
		sink->around(sink->context, &filter->stack[at], at);
}

static void filter_enter(void *context, const struct call *call, size_t depth)
{
	struct call_filter *filter = context;

	(void)depth;
	if (is_left_out(filter, call->function))
		return;
	if (filter->depth == filter->capacity) {
		size_t capacity = filter->capacity ? 2 * filter->capacity : 64;
		struct call *stack = reallocarray(filter->stack, capacity, sizeof(*stack));

		if (!stack)
			no_memory();
		filter->stack = stack;
		filter->capacity = capacity;
	}
	filter->stack[filter->depth++] = *call;
	if (!filter->least_ns)
		report_open_calls(filter);
}

static void filter_leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	struct call_filter *filter = context;
	struct call *kept;

	(void)depth;
	if (is_left_out(filter, call->function))
		return;
	kept = &filter->stack[filter->depth - 1];
	if (filter->told < filter->depth) {
		if (call_duration(kept, end_ns) < filter->least_ns) {
			filter->depth--;
			return;
		}
		report_open_calls(filter);
	}
	filter->told = --filter->depth;
	kept->unreliable = call->unreliable;
	kept->result = call->result;
	if (filter->depth)
		kept[-1].inner_ns += call_duration(kept, end_ns);
	filter->sink->leave(filter->sink->context, kept, filter->depth, end_ns, how);
}

static void filter_other(void *context, const struct event *event, size_t depth)
{
	struct call_filter *filter = context;

	(void)depth;
	if (event->kind <= EVENT_TAIL_EXIT && is_left_out(filter, event->function))
		return;
	if (filter->sink->other_has_no_place)
		report_place(filter);
	else
		report_open_calls(filter);
	filter->sink->other(filter->sink->context, event, filter->depth);
}

static bool filter_stop(void *context)
{
	struct call_filter *filter = context;

	return filter->sink->stop(filter->sink->context);
}

const struct call_sink *call_filter_thread(struct call_filter *filter, const struct call_sink *sink)
{
	if (!filter->libraries->patterns && !filter->least_ns)
		return sink;
	filter->sink = sink;
	filter->depth = filter->told = 0;
	filter->entrance = (struct call_sink){
		.context = filter, .enter = filter_enter, .leave = filter_leave,
		.other = sink->other ? filter_other : NULL, .stop = sink->stop ? filter_stop : NULL,
	};
	return &filter->entrance;
}

void call_filter_free(struct call_filter *filter)
{
	free(filter->stack);
	*filter = (struct call_filter){ 0 };
}

void library_choice_free(struct library_choice *libraries)
{
	free(libraries->known);
	libraries->known = NULL;
	libraries->known_count = 0;
}
