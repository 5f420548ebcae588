/* SPDX-License-Identifier: MIT */
/* range_calls.c - notes whether a walk over a time range (--time) reports any call. */
#include "walk/range_calls.h"

#include <inttypes.h>

#include "base/message.h"

static bool call_met;

static void note_call(void)
{
	/* Other threads share the cache line, so write it once only. */
	if (!__atomic_load_n(&call_met, __ATOMIC_RELAXED))
		__atomic_store_n(&call_met, true, __ATOMIC_RELAXED);
}

static void range_enter(void *context, const struct call *call, size_t depth)
{
	const struct call_sink *sink = ((struct range_calls *)context)->sink;

	note_call();
	sink->enter(sink->context, call, depth);
}

static void range_leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	const struct call_sink *sink = ((struct range_calls *)context)->sink;

	sink->leave(sink->context, call, depth, end_ns, how);
}

static void range_other(void *context, const struct event *event, size_t depth)
{
	const struct call_sink *sink = ((struct range_calls *)context)->sink;

	sink->other(sink->context, event, depth);
}

static bool range_stop(void *context)
{
	const struct call_sink *sink = ((struct range_calls *)context)->sink;

	return sink->stop(sink->context);
}

const struct call_sink *range_calls_thread(struct range_calls *calls, const struct call_sink *sink)
{
	calls->sink = sink;
	calls->entrance = (struct call_sink){
		.context = calls, .enter = range_enter, .leave = range_leave,
		.other = sink->other ? range_other : NULL, .stop = sink->stop ? range_stop : NULL,
	};
	return &calls->entrance;
}

void range_calls_pass(void)
{
	note_call();
}

bool range_calls_met_none(void)
{
	return !__atomic_exchange_n(&call_met, false, __ATOMIC_RELAXED);
}

void range_calls_tell_none(uint64_t begin_ns, uint64_t end_ns)
{
	if (begin_ns == UINT64_MAX)
		message("--time: the trace has no call in this range, and no other call");
	else
		message("--time: the trace has no call in this range: its calls are from %" PRIu64 ".%03" PRIu64 " ms to %" PRIu64
			".%03" PRIu64 " ms", begin_ns / 1000000, begin_ns / 1000 % 1000, end_ns / 1000000, end_ns / 1000 % 1000);
}
