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
 * range_calls_tell_none - after a walk: prints a message if no call was reported since the last walk.
 * @first_ns:  time of the first event; UINT64_MAX: there is none
 * @origin_ns: zero of the shown times
 *
 * Returns whether it printed the message.
 */
bool range_calls_tell_none(uint64_t first_ns, uint64_t origin_ns);

#endif
