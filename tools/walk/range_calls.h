/* SPDX-License-Identifier: MIT */
/*
 * range_calls.h - notes whether a walk over a time range (--time) reports any call.
 *
 * Looks at the calls that a call tree passes to its sink. Walks run in several threads; a call in any
 * of them is enough.
 */
#ifndef SPOOR_TOOLS_RANGE_CALLS_H
#define SPOOR_TOOLS_RANGE_CALLS_H

#include "reader/events/call_tree.h"

struct range_calls {
	const struct call_sink *sink;	/* the sink that receives the calls */
	struct call_sink entrance;	/* the sink that the tree calls */
};

/* Begins the calls of another thread. Returns the sink to pass to the call tree. */
const struct call_sink *range_calls_thread(struct range_calls *calls, const struct call_sink *sink);

/* For commands that read events instead of calls: assumes that there are calls. */
void range_calls_pass(void);

/*
 * After a walk: range_calls_met_none returns whether no call was reported since the last walk, and
 * range_calls_tell_none says so.
 * @begin_ns: when the first call begins, since the trace began; UINT64_MAX: there is no call
 * @end_ns:   when the last one ends
 */
bool range_calls_met_none(void);
void range_calls_tell_none(uint64_t begin_ns, uint64_t end_ns);

#endif
