/* SPDX-License-Identifier: MIT */
/* call_filter.c - leaves out calls by library, function and duration. */
#include "walk/call_filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "walk/pattern_options.h"

enum { KNOWN = 1, LEFT_OUT = 2, ROOT = 4 };

static void no_memory(void)
{
	message("out of memory for the calls");
	exit(SPOOR_EXIT_BAD_TRACE);
}

static uint8_t look_up(struct call_choice *choice, uint32_t function)
{
	uint8_t bits = KNOWN;

	if (function >= choice->known_count) {
		uint32_t count = function < 128 ? 256 : 2 * function;
		uint8_t *known = realloc(choice->known, count);

		if (!known)
			no_memory();
		memset(known + choice->known_count, 0, count - choice->known_count);
		choice->known = known;
		choice->known_count = count;
	}
	if (choice->libraries && !library_matches(choice->functions, function, choice->libraries))
		bits |= LEFT_OUT;
	if (choice->roots && function_matches(choice->functions, function, choice->roots))
		bits |= ROOT;
	else if (choice->roots && function_is_excluded(choice->functions, function, choice->roots))
		bits |= LEFT_OUT;
	return choice->known[function] = bits;
}

static inline uint8_t bits_of(struct call_filter *filter, uint32_t function)
{
	struct call_choice *choice = filter->libraries;
	uint8_t known;

	if (!choice->libraries && !choice->roots)
		return KNOWN;
	known = function < choice->known_count ? choice->known[function] : 0;
	return known ? known : look_up(choice, function);
}

/* Returns whether the current place lies outside all calls of the chosen functions. */
static inline bool is_outside(const struct call_filter *filter)
{
	return filter->libraries->roots && !filter->roots;
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

/* Looks at the arguments of a call that begins. Returns whether the call is left out. */
static bool is_omitted(struct call_filter *filter, const struct call *call, size_t depth)
{
	if (depth >= filter->omitted_room) {
		size_t room = 2 * depth + 64;
		bool *omitted = realloc(filter->omitted, room);

		if (!omitted)
			no_memory();
		filter->omitted = omitted;
		filter->omitted_room = room;
	}
	/* A call whose result decides waits for its end. */
	filter->omitted[depth] = condition_uses_result(filter->condition) ||
				 !condition_holds(filter->condition, call->arguments, NULL);
	return filter->omitted[depth];
}

/* Reports a call whose result fulfils the condition. */
static void report_alone(struct call_filter *filter, const struct call *call, uint64_t end_ns, enum call_end how)
{
	struct call alone = *call;

	if (!condition_uses_result(filter->condition) || call_duration(call, end_ns) < filter->least_ns ||
	    !condition_holds(filter->condition, call->arguments, call->result))
		return;
	alone.inner_ns = 0;
	filter->sink->enter(filter->sink->context, &alone, 0);
	filter->sink->leave(filter->sink->context, &alone, 0, end_ns, how);
}

static void filter_enter(void *context, const struct call *call, size_t depth)
{
	struct call_filter *filter = context;
	uint8_t bits = bits_of(filter, call->function);

	filter->roots += bits & ROOT ? 1 : 0;
	if (bits & LEFT_OUT || is_outside(filter) || (filter->condition && is_omitted(filter, call, depth)))
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
	uint8_t bits = bits_of(filter, call->function);
	bool outside = is_outside(filter);
	struct call *kept;

	filter->roots -= bits & ROOT ? 1 : 0;
	if (bits & LEFT_OUT || outside)
		return;
	if (filter->condition && filter->omitted[depth]) {
		report_alone(filter, call, end_ns, how);
		return;
	}
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
	if (event->kind <= EVENT_TAIL_EXIT && (bits_of(filter, event->function) & LEFT_OUT || filter->condition))
		return;
	/* Losses concern all functions, other events only the calls around them. */
	if (event->kind != EVENT_LOST && is_outside(filter))
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
	if (!filter->libraries->libraries && !filter->libraries->roots && !filter->least_ns && !filter->condition)
		return sink;
	filter->sink = sink;
	filter->depth = filter->told = filter->roots = 0;
	filter->entrance = (struct call_sink){
		.context = filter, .enter = filter_enter, .leave = filter_leave,
		.other = sink->other ? filter_other : NULL, .stop = sink->stop ? filter_stop : NULL,
	};
	return &filter->entrance;
}

void call_filter_free(struct call_filter *filter)
{
	free(filter->stack);
	free(filter->omitted);
	*filter = (struct call_filter){ 0 };
}

void call_choice_free(struct call_choice *choice)
{
	free(choice->known);
	choice->known = NULL;
	choice->known_count = 0;
}
