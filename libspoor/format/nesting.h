/* SPDX-License-Identifier: MIT */
/*
 * nesting.h - the rule by which the events of a thread open and close calls.
 *
 * The reader, the drainer's trigger watch and live following store different data for an open call, in
 * different memory. Each describes its data by a policy, a constant table of functions. All functions
 * here are inlined into the caller together with the functions of the policy, so a policy costs nothing
 * at run time.
 *
 * The rule
 *   R1  An entry opens a call inside the innermost call.
 *   R2  An exit closes the innermost call if it is a call of the same function. Otherwise the exit
 *       closes the innermost call of its function, after all calls inside that call. An exit without
 *       such a call is stray and closes no call.
 *   R3  A frame belongs to the innermost call, unless that call has a frame.
 *   R4  An unwind closes the calls inside the call with its frame. Frame 0 closes all calls.
 *   R5  The policy handles switches of stacks, and all other kinds of events.
 */
#ifndef SPOOR_NESTING_H
#define SPOOR_NESTING_H

#include <stdbool.h>
#include <stddef.h>

#include "format/trace_format.h"

/* How a call ended. */
enum spoor_call_end {
	SPOOR_CALL_EXIT,
	SPOOR_CALL_TAIL,		/* it ended by a jump to another function */
	SPOOR_CALL_UNWOUND,		/* an exception or longjmp ended it */
	SPOOR_CALL_SET_ASIDE,		/* another stack runs now; the call may continue later */
	SPOOR_CALL_LEFT,		/* repaired: an outer function returned */
	SPOOR_CALL_UNRECORDED,		/* it was open when recording stopped, so its end is unknown */
};

/*
 * The caller owns @nest. Calls are numbered from 0, the outermost. Times are in the caller's unit:
 * counts or nanoseconds. Functions that return int return 0 or a negative errno, which
 * spoor_nesting_take returns.
 */
struct spoor_nesting_policy {
	size_t (*depth)(const void *nest);
	uint32_t (*function)(const void *nest, size_t at);
	uint32_t (*frame)(const void *nest, size_t at);	/* 0: unknown */

	int (*open)(void *nest, uint32_t function, uint64_t time);
	void (*close)(void *nest, uint64_t time, enum spoor_call_end how);	/* closes the innermost call */
	int (*set_frame)(void *nest, uint32_t frame);	/* of the innermost call, which has no frame */
	int (*stray)(void *nest, uint32_t function, uint64_t time);	/* an exit that closes no call */
	/* The rare cases, which the caller keeps out of line: they call spoor_nesting_mend and
	 * spoor_nesting_unwind. */
	int (*mend)(void *nest, uint32_t function, uint64_t time, enum spoor_call_end how);
	int (*unwind)(void *nest, uint32_t frame, uint64_t time);
	int (*switch_stack)(void *nest, uint32_t frame, uint64_t time);	/* null: ignored */

	size_t search_most;	/* the search for the call that an exit closes looks at this many inner calls */
	int (*may_have_function)(void *nest, uint32_t function);	/* 1: search for a call; null: always */
	bool (*may_have_frame)(const void *nest, uint32_t frame);	/* null: search always */
	bool (*outlives_unwind)(const void *nest, size_t at);	/* directly inside the frame; null: none */
	bool unknown_frame_closes_all;	/* an unwind to an unknown frame closes all calls; otherwise it is ignored */

	/* For a nest of limited depth: the number of open calls that had no room. Null: the depth is unlimited. */
	uint32_t *(*unstored)(void *nest);
};

#define SPOOR_NESTING_INLINE static inline __attribute__((always_inline))

/* Closes the innermost calls until @depth are open. */
SPOOR_NESTING_INLINE void spoor_nesting_close_to(void *nest, const struct spoor_nesting_policy *policy, size_t depth,
						 uint64_t time, enum spoor_call_end how)
{
	while (policy->depth(nest) > depth)
		policy->close(nest, time, how);
}

/* Returns the number of open calls up to the innermost call with @frame; 0: no call has it. */
SPOOR_NESTING_INLINE size_t spoor_nesting_depth_of_frame(const void *nest, const struct spoor_nesting_policy *policy,
							 uint32_t frame)
{
	size_t at = policy->depth(nest);

	if (policy->may_have_frame && !policy->may_have_frame(nest, frame))
		return 0;
	while (at && policy->frame(nest, at - 1) != frame)
		at--;
	return at;
}

/* R2, for an exit of another function than the innermost call's. */
SPOOR_NESTING_INLINE int spoor_nesting_mend(void *nest, const struct spoor_nesting_policy *policy, uint32_t function,
					    uint64_t time, enum spoor_call_end how)
{
	size_t at = policy->depth(nest), least = at > policy->search_most ? at - policy->search_most : 0;

	if (policy->may_have_function) {
		int may = policy->may_have_function(nest, function);

		if (may < 0)
			return may;
		at = may ? at : least;
	}
	while (at > least && policy->function(nest, at - 1) != function)
		at--;
	if (at == least)
		return policy->stray(nest, function, time);
	spoor_nesting_close_to(nest, policy, at, time, SPOOR_CALL_LEFT);
	policy->close(nest, time, how);
	return 0;
}

/* R4. */
SPOOR_NESTING_INLINE int spoor_nesting_unwind(void *nest, const struct spoor_nesting_policy *policy, uint32_t frame,
					      uint64_t time)
{
	size_t at = frame ? spoor_nesting_depth_of_frame(nest, policy, frame) : 0;

	if (frame && !at && !policy->unknown_frame_closes_all)
		return 0;
	while (policy->outlives_unwind && at < policy->depth(nest) && policy->outlives_unwind(nest, at))
		at++;
	spoor_nesting_close_to(nest, policy, at, time, SPOOR_CALL_UNWOUND);
	return 0;
}

/* Takes an event while calls without room are open. Returns whether the event belongs to them. */
SPOOR_NESTING_INLINE bool spoor_nesting_is_unstored(uint32_t *unstored, uint32_t kind)
{
	if (!*unstored)
		return false;
	if (kind == SPOOR_EVENT_EXIT || kind == SPOOR_EVENT_TAIL_EXIT)
		--*unstored;
	else if (kind == SPOOR_EVENT_UNWIND)
		*unstored = 0;
	return kind != SPOOR_EVENT_UNWIND;
}

/*
 * spoor_nesting_take - takes the next event.
 * @kind:  enum spoor_event_kind; kinds other than entry to switch change nothing
 * @value: the event's function; for a frame, unwind or switch its frame
 */
SPOOR_NESTING_INLINE int spoor_nesting_take(void *nest, const struct spoor_nesting_policy *policy, uint32_t kind,
					    uint32_t value, uint64_t time)
{
	size_t depth;

	if (kind == SPOOR_EVENT_ENTRY)
		return policy->open(nest, value, time);
	if (policy->unstored && spoor_nesting_is_unstored(policy->unstored(nest), kind))
		return 0;
	depth = policy->depth(nest);
	if (kind == SPOOR_EVENT_FRAME)
		return depth && value && !policy->frame(nest, depth - 1) ? policy->set_frame(nest, value) : 0;
	if (kind == SPOOR_EVENT_UNWIND)
		return policy->unwind(nest, value, time);
	if (kind == SPOOR_EVENT_SWITCH)
		return policy->switch_stack ? policy->switch_stack(nest, value, time) : 0;
	if (kind != SPOOR_EVENT_EXIT && kind != SPOOR_EVENT_TAIL_EXIT)
		return 0;
	if (!depth || policy->function(nest, depth - 1) != value)
		return policy->mend(nest, value, time, kind == SPOOR_EVENT_EXIT ? SPOOR_CALL_EXIT : SPOOR_CALL_TAIL);
	policy->close(nest, time, kind == SPOOR_EVENT_EXIT ? SPOOR_CALL_EXIT : SPOOR_CALL_TAIL);
	return 0;
}

#endif
