/* SPDX-License-Identifier: MIT */
/*
 * range_calls.h - whether a walk over a part of the time (--time) tells any call.
 *
 * It stands between a call tree and who is told its calls. Walks run in several threads, and one of them
 * that meets a call is enough.
 */
#ifndef SPOOR_TOOLS_RANGE_CALLS_H
#define SPOOR_TOOLS_RANGE_CALLS_H

#include "reader/events/call_tree.h"

struct range_calls {
	const struct call_sink *sink;	/* who is told */
	struct call_sink entrance;	/* what the tree tells */
};

/* The calls of another thread follow. Return: what is to be told all of them. */
const struct call_sink *range_calls_thread(struct range_calls *calls, const struct call_sink *sink);

/* For who is told events, and not the calls that they make up: they are not looked at. */
void range_calls_pass(void);

/*
 * range_calls_tell_none - after a walk: says where nothing was told since the last one.
 * @first_ns:  of the first event; UINT64_MAX: there is none
 * @origin_ns: zero of the times that are shown
 *
 * Return: whether it has said so.
 */
bool range_calls_tell_none(uint64_t first_ns, uint64_t origin_ns);

#endif
