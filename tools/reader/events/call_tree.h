/* SPDX-License-Identifier: MIT */
/*
 * call_tree.h - the events of one thread as calls that nest.
 *
 * Where the trace says that an exception or longjmp has arrived, all calls
 * within the one that it arrived in are closed; but not the named scopes right
 * within that, for they are its own.
 *
 * What does not fit is repaired, and marked as repaired:
 *   an exit of a function that is open further out closes those within it
 *     (they were left by an exception or longjmp that no function with sleds
 *     has noted);
 *   an exit of a function that is not open at all is told, and changes nothing
 *     (it was entered before tracing began, or its entry was lost);
 *   what is open where the thread may have run unrecorded is closed with the event
 *     before, and what was set aside is let go: no later exit is taken for that of
 *     such a call;
 *   what is open when its function is disabled (spoor ctl, --max-rate) is closed then, or
 *     with the last of the calls in it that are open: its exit is not in the trace;
 *   what is open at the end is closed there: when recording ended, where it is known that
 *     the thread was still there then, else with its last event.
 * What a thread was in when its calls began to be recorded is told as entered then.
 * Where a function changes stacks, all that is open on the one that it leaves is told as
 * set aside, and as entered again where it goes on: each stack's calls nest on their
 * own, and no time is theirs while another one runs.
 *
 * A tail exit closes its function; what that jumped to follows as its sibling.
 *
 * Where a part of the time is asked for, what is told is cut at its ends: a call that is open
 * where it begins is told as entered there (`early`), one that is open where it ends as left
 * there. The events before must be read nonetheless, for nothing else says what is open; of
 * those behind, only the first. An event that has a time of its own stands where the event
 * before it does.
 *
 * Invariants
 *   I1  every call is told by one enter and one leave, in the order of a walk
 *       through the tree; one that is set aside, by a pair for each of its pieces.
 *   I2  an event takes no longer the deeper the stack is, but for what it closes.
 *   I3  self time is never negative, and the self times of a call and all that
 *       is below it add up to its duration.
 *   I4  no call is told that begins or ends outside the part that is asked for.
 */
#ifndef SPOOR_READER_CALL_TREE_H
#define SPOOR_READER_CALL_TREE_H

#include "format/nesting.h"
#include "reader/events/set_aside_calls.h"
#include "reader/files/map64.h"
#include "reader/events/thread_events.h"

/* How a call ended, or stopped being told. */
enum call_end {
	CALL_EXIT = SPOOR_CALL_EXIT,
	CALL_TAIL = SPOOR_CALL_TAIL,
	CALL_UNWOUND = SPOOR_CALL_UNWOUND,
	CALL_SET_ASIDE = SPOOR_CALL_SET_ASIDE,
	CALL_LEFT = SPOOR_CALL_LEFT,
	CALL_UNRECORDED = SPOOR_CALL_UNRECORDED,
	CALL_UNFINISHED,	/* the trace ends within it */
	CALL_BEYOND,	/* the time that is asked for ends within it */
};

struct call {
	uint32_t function;
	uint32_t frame;		/* SPOOR_FRAME_BITS of where it is; 0: not known */
	uint32_t marks;		/* the tree's, when it was entered; their low half */
	bool dormant;		/* its exit will not be in the trace */
	bool unreliable;	/* events were lost while it was open */
	bool resumed;		/* told before, and set aside meanwhile; or a root */
	bool root;		/* it was open before it could be recorded: when it began is not known; or early */
	bool early;		/* it was open before the time that is asked for, and is told from there on */
	uint64_t begin_ns;
	uint64_t inner_ns;	/* durations of the calls directly below */
};

/* What was open on a stack when it was left. */
struct call_stack {
	uint64_t marks;		/* until then */
	size_t depth;
	struct call calls[];
};

struct call_tree {
	struct call *calls;	/* the open ones, outermost first */
	size_t depth, capacity;
	uint32_t *open;		/* how many of each function are, once something did not fit */
	size_t open_count;
	bool counting;
	size_t dormant;		/* open calls that are */
	struct map64 frames;	/* how many have this frame, + 1 */
	struct call_aside aside;
	const struct functions *functions;	/* whose numbers the calls have */
	const struct time_range *range;	/* null: all */
	bool before_range;	/* still; nothing is told */
	uint64_t last_ns;	/* time of the last event */
	uint64_t marks;		/* of `losses`, those outside the range too */
	uint64_t repaired;	/* calls closed by CALL_LEFT */
	uint64_t orphans;	/* exits without an entry */
	uint64_t losses;	/* places where events are missing */
	uint64_t gaps;		/* places where nothing was recorded */
	uint64_t roots;		/* calls that were open before */
};

struct call_sink {
	void *context;
	/* @depth: of calls around it. */
	void (*enter)(void *context, const struct call *call, size_t depth);
	void (*leave)(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how);
	/* An exit without an entry (EVENT_EXIT, EVENT_TAIL_EXIT), EVENT_LOST, EVENT_USER. May be null. */
	void (*other)(void *context, const struct event *event, size_t depth);
	/* Asked between slices. May be null. */
	bool (*stop)(void *context);
	bool other_has_no_place;	/* no call is told for an event's sake */
	/*
	 * With that, and where an event is to be told: a call around it that has not been told, and may never be.
	 * Null: @other does not look at what is around an event.
	 */
	void (*around)(void *context, const struct call *call, size_t depth);
};

/*
 * call_tree_walk - tells @sink all calls of a thread, within @events->range.
 * @tree: zeroed by the caller the first time; keeps its memory for the next thread
 *
 * Return: 0, or a negative errno.
 */
int call_tree_walk(struct call_tree *tree, struct thread_events *events, const struct call_sink *sink);

/*
 * What a walk is made of, for who takes turns between threads, or between parts of a thread.
 *
 * call_tree_follow - the events that there are; returns as call_tree_walk.
 * call_tree_take - the next event of the thread. Return: 0, 1 where it and all that follow are
 * behind the range, or -ENOMEM. call_tree_end closes what is open then.
 */
void call_tree_begin(struct call_tree *tree, const struct functions *functions, const struct time_range *range);
int call_tree_follow(struct call_tree *tree, struct thread_events *events, const struct call_sink *sink);
int call_tree_take(struct call_tree *tree, const struct event *event, const struct call_sink *sink);
void call_tree_end(struct call_tree *tree, const struct call_sink *sink);
void call_tree_free(struct call_tree *tree);

/*
 * For who tells a thread's calls part by part, each as if its time had been asked for alone:
 * call_tree_pause tells what is open as left at @time_ns (CALL_BEYOND), call_tree_resume as entered
 * again there (`early`). A tree that has no range.
 */
void call_tree_pause(struct call_tree *tree, const struct call_sink *sink, uint64_t time_ns);
void call_tree_resume(struct call_tree *tree, const struct call_sink *sink, uint64_t time_ns);

/*
 * call_tree_take_over - @tree, which has just begun, goes on where @other is, outside of all ranges; what that
 * has set aside stays there.
 * @functions, @others: of the one and the other, who may have other numbers for the same functions
 *
 * Return: 0 or -ENOMEM.
 */
int call_tree_take_over(struct call_tree *tree, struct functions *functions, const struct call_tree *other,
			const struct functions *others);

/* Whom nothing is told. */
extern const struct call_sink call_tree_nobody;

/* Closes the innermost call. */
void call_tree_pop(struct call_tree *tree, const struct call_sink *sink, uint64_t end_ns, enum call_end how);

static inline uint64_t call_duration(const struct call *call, uint64_t end_ns)
{
	return end_ns > call->begin_ns ? end_ns - call->begin_ns : 0;
}

#endif
