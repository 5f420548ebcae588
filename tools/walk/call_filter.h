/* SPDX-License-Identifier: MIT */
/*
 * call_filter.h - passes only the selected calls of a call tree to a sink.
 *
 * The sink receives the remaining calls as if the omitted calls had not been recorded: depths, and the times
 * of direct callees, count the remaining calls only. Other events pass. A call that contains such an
 * event is reported even if it is short, so that the event has its place, unless the sink needs no
 * places or needs only the calls around the event.
 *
 * The filter knows that a call is long enough when the call, or a call below it, ends. Until then the
 * call waits on a stack, so the memory grows with the depth and not with the number of calls.
 *
 * A condition on arguments is known when the call begins. With a condition on the result, the sink receives a
 * call when it ends, alone and without callees.
 *
 * Invariants
 *   I1  told <= depth. The calls in stack[0..told) were reported and are still open in the sink.
 *   I2  A call is reported before all calls below it.
 *   I3  While roots is 0 and the user chose functions, no call is on the stack.
 */
#ifndef SPOOR_TOOLS_CALL_FILTER_H
#define SPOOR_TOOLS_CALL_FILTER_H

#include "reader/events/call_tree.h"
#include "reader/types/condition.h"

/* The calls of a process that the user chose by name. */
struct call_choice {
	const char *libraries;		/* checked patterns; null: all libraries */
	const char *roots;		/* the same for functions: their calls and the calls below them; null: all */
	struct functions *functions;
	uint8_t *known;			/* by function number: bits, once it was looked up; 0: not yet */
	uint32_t known_count;
};

struct call_filter {
	struct call_choice *libraries;
	uint64_t least_ns;		/* shorter calls are left out */
	const struct condition *condition;	/* on the values of calls; null: none */
	bool *omitted;			/* by the depth in the tree: the condition does not hold */
	size_t omitted_room;

	const struct call_sink *sink;	/* the sink that receives the remaining calls */
	struct call_sink entrance;	/* the sink that the tree calls */
	struct call *stack;		/* open calls of the chosen libraries */
	size_t depth, told, capacity;
	size_t roots;			/* open calls of functions that `libraries->roots` chose */
};

/*
 * call_filter_thread - begins the calls of another thread.
 * @filter: zeroed the first time, except for the choice
 *
 * Returns the sink to pass to the call tree.
 */
const struct call_sink *call_filter_thread(struct call_filter *filter, const struct call_sink *sink);
void call_filter_free(struct call_filter *filter);

void call_choice_free(struct call_choice *choice);

#endif
