/* SPDX-License-Identifier: MIT */
/*
 * nesting.h - the one rule by which the events of a thread open and close calls.
 *
 * The reader, the drainer's trigger watch and live following keep different things for an open call, in different
 * memory. Each describes that by a policy, a constant table of functions. All functions here are inlined into the
 * caller, with the policy's functions in them, so a policy costs nothing at run time.
 *
 * The rule
 *   R1  an entry opens a call inside the innermost one.
 *   R2  an exit closes the innermost call if that is of the same function. Otherwise it closes the innermost call of
 *       its function, after all calls inside that; an exit without such a call is stray, and closes none.
 *   R3  a frame is the innermost call's, unless that has one.
 *   R4  an unwind closes the calls inside the one that has its frame. Frame 0 closes all calls.
 *   R5  a switch of stacks, and everything that is no event of this kind, is the policy's own.
 */
#ifndef SPOOR_NESTING_H
#define SPOOR_NESTING_H

#include <stdbool.h>
#include <stddef.h>

#include "format/trace_format.h"

/* How a call ended. */
enum spoor_call_end {
	SPOOR_CALL_EXIT,
	SPOOR_CALL_TAIL,		/* by a jump to another function */
	SPOOR_CALL_UNWOUND,		/* by an exception or longjmp */
	SPOOR_CALL_SET_ASIDE,		/* another stack runs now, and this call may go on later */
	SPOOR_CALL_LEFT,		/* repaired: a function further out returned */
	SPOOR_CALL_UNRECORDED,		/* it was open when recording stopped, so its end is unknown */
};

/*
 * @nest is the caller's. Calls are numbered from 0, the outermost. Times are the caller's: counts, or nanoseconds.
 * Functions that return int return 0 or a negative errno, which spoor_nesting_take returns.
 */
struct spoor_nesting_policy {
	size_t (*depth)(const void *nest);
	uint32_t (*function)(const void *nest, size_t at);
	uint32_t (*frame)(const void *nest, size_t at);	/* 0: unknown */

	int (*open)(void *nest, uint32_t function, uint64_t time);
	void (*close)(void *nest, uint64_t time, enum spoor_call_end how);	/* the innermost call */
	int (*set_frame)(void *nest, uint32_t frame);	/* of the innermost call, which has none */
	int (*stray)(void *nest, uint32_t function, uint64_t time);	/* an exit that closes no call */
	/* Where the caller puts the rare cases, out of the way of the common ones: spoor_nesting_mend, _unwind. */
	int (*mend)(void *nest, uint32_t function, uint64_t time, enum spoor_call_end how);
	int (*unwind)(void *nest, uint32_t frame, uint64_t time);
	int (*switch_stack)(void *nest, uint32_t frame, uint64_t time);	/* null: ignored */

	size_t search_most;	/* so many calls, from the innermost one on, are searched for one that an exit closes */
	int (*may_have_function)(void *nest, uint32_t function);	/* 1: it is worth a search; null: always */
	bool (*may_have_frame)(const void *nest, uint32_t frame);	/* null: always */
	bool (*outlives_unwind)(const void *nest, size_t at);	/* of calls directly inside; null: none does */
	bool unknown_frame_closes_all;	/* no call may be open that is not; otherwise such an unwind is ignored */

	/* For a nest of limited depth: how many calls are open above the last one that had room. Null: no limit. */
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

/* How many calls are open up to the innermost one that has @frame; 0: none has it. */
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

/* R2 for an exit that is not the innermost call's. */
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

/* An event, where calls above have no room. Return: whether it is theirs alone. */
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
 * @kind:  enum spoor_event_kind; others than entry to switch change nothing
 * @value: the event's function; of a frame, unwind or switch its frame
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
