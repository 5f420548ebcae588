/* SPDX-License-Identifier: MIT */
/*
 * call_filter.h - stands between a call tree and who is told its calls, and leaves some out.
 *
 * What is left is told as if the rest had not been recorded: depths and the times of the calls
 * directly below are those of what is left. Events that are no calls stay; a call that one of
 * them stands in is told however short it is, so that it has its place, unless the sink says that
 * it needs none, or asks only what is around it.
 *
 * Whether a call lasts long enough is known when it ends, or when a call below it does. Until
 * then it waits on a stack: what this takes grows with the depth, not with the calls.
 *
 * Invariants
 *   I1  told <= depth; stack[0..told) has been told, and is open there.
 *   I2  a call is told before all that is below it.
 */
#ifndef SPOOR_TOOLS_CALL_FILTER_H
#define SPOOR_TOOLS_CALL_FILTER_H

#include "reader/events/call_tree.h"

/* Which libraries of a process are chosen. */
struct library_choice {
	const char *patterns;		/* checked; null: all of them */
	struct functions *functions;
	uint8_t *known;			/* by function number: whether that is chosen, once it was asked for */
	uint32_t known_count;
};

struct call_filter {
	struct library_choice *libraries;
	uint64_t least_ns;		/* shorter calls are left out */

	const struct call_sink *sink;	/* who is told */
	struct call_sink entrance;	/* what the tree tells */
	struct call *stack;		/* open calls that are of the libraries */
	size_t depth, told, capacity;
};

/*
 * call_filter_thread - the calls of another thread follow.
 * @filter: zeroed the first time, but for what is to be left out
 *
 * Return: what is to be told all of them.
 */
const struct call_sink *call_filter_thread(struct call_filter *filter, const struct call_sink *sink);
void call_filter_free(struct call_filter *filter);

void library_choice_free(struct library_choice *libraries);

#endif
