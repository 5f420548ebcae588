/* SPDX-License-Identifier: MIT */
/*
 * call_tree.h - turns the events of one thread into calls that nest, and reports them to a sink.
 *
 * An unwind event says in which call an exception or longjmp has arrived. It closes all calls within
 * that call, except the call's own named scopes.
 *
 * The tree repairs events that do not fit, and marks the calls as repaired:
 *   An exit of a function that is open further out closes the calls within that function. (An
 *   exception or longjmp left them, and no function with sleds recorded it.)
 *   An exit of a function that is not open is reported and changes no call. (The function was entered
 *   before tracing began, or its entry was lost.)
 *   If the thread may have run unrecorded, the previous event closes all open calls, and stacks set
 *   aside are dropped: no later exit can match one of their calls.
 *   If an open call's function is disabled (spoor ctl, --max-rate), the call ends then, or with the
 *   last of the open calls within it, because its exit is not in the trace.
 *   Calls that are open at the end of the trace end there: when recording ended, if the thread was
 *   known to be there then; else with the thread's last event.
 * Roots are the calls in which a thread was when recording of its calls began. They are reported as
 * entered then.
 * When a function switches stacks, the tree reports the open calls of the old stack as set aside, and
 * as entered again when the stack resumes. The calls of each stack nest on their own, and no time is
 * counted for them while another stack runs.
 *
 * A tail exit closes its function; the function that it jumped to follows as a sibling.
 *
 * If a time range is requested, the reported calls are cut at its ends: a call that is open at the
 * beginning is reported as entered there (`early`), and one that is open at the end as left there. All
 * events before the range must be read nonetheless, to find the open calls; after the range, only the
 * first. An event that carries its own time has the place of the event before it.
 *
 * Invariants
 *   I1  Every call is reported by one enter and one leave, in the order of a walk through the tree; a
 *       call that was set aside, by one pair for each of its pieces.
 *   I2  The time to take an event does not depend on the depth, except for the calls that it closes.
 *   I3  Self times are never negative. The self times of a call and of all calls below it add up to
 *       its duration.
 *   I4  No reported call begins or ends outside the requested range.
 */
#ifndef SPOOR_READER_CALL_TREE_H
#define SPOOR_READER_CALL_TREE_H

#include "format/nesting.h"
#include "reader/events/set_aside_calls.h"
#include "reader/files/map64.h"
#include "reader/events/thread_events.h"

/* How a call ended, or why its report ended. */
enum call_end {
	CALL_EXIT = SPOOR_CALL_EXIT,
	CALL_TAIL = SPOOR_CALL_TAIL,
	CALL_UNWOUND = SPOOR_CALL_UNWOUND,
	CALL_SET_ASIDE = SPOOR_CALL_SET_ASIDE,
	CALL_LEFT = SPOOR_CALL_LEFT,
	CALL_UNRECORDED = SPOOR_CALL_UNRECORDED,
	CALL_UNFINISHED,	/* the trace ended within the call */
	CALL_BEYOND,	/* the requested time range ended within the call */
};

struct call {
	uint32_t function;
	uint32_t frame;		/* SPOOR_FRAME_BITS of its frame address; 0: unknown */
	uint32_t marks;		/* low half of the tree's marks when it was entered */
	bool dormant;		/* its exit is not in the trace */
	bool unreliable;	/* events were lost while it was open */
	bool resumed;		/* reported before and set aside meanwhile; or a root */
	bool root;		/* open before recording began, so its begin is unknown; or early */
	bool early;		/* open before the requested range; reported from there on */
	uint64_t begin_ns;
	uint64_t inner_ns;	/* durations of its direct callees */
	struct call_values *arguments;	/* null: they are not in the trace; owned by the tree */
	struct call_values *result;	/* set only when it is left */
};

/* The open calls of a stack that was left. */
struct call_stack {
	uint64_t marks;		/* when the stack was left */
	size_t depth;
	struct call calls[];
};

struct call_tree {
	struct call *calls;	/* the open calls, outermost first */
	size_t depth, capacity;
	uint32_t *open;		/* open calls by function; null until an event did not fit */
	size_t open_count;
	bool counting;
	size_t dormant;		/* number of open calls with `dormant` set */
	struct call_values *values;	/* of the next event; null: none */
	struct map64 frames;	/* number of open calls by frame, + 1 */
	struct set_aside_calls aside;
	const struct functions *functions;	/* the calls' function numbers belong to it */
	const struct time_range *range;	/* null: all */
	bool before_range;	/* the range has not begun: no call is reported */
	uint64_t last_ns;	/* time of the last event */
	uint64_t marks;		/* count `losses`, also outside the range */
	uint64_t repaired;	/* calls closed by CALL_LEFT */
	uint64_t orphans;	/* exits without an entry */
	uint64_t losses;	/* places where events are missing */
	uint64_t gaps;		/* places where recording was off */
	uint64_t roots;		/* calls that were open before recording */
};

struct call_sink {
	void *context;
	/* @depth: number of calls around it */
	void (*enter)(void *context, const struct call *call, size_t depth);
	void (*leave)(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how);
	/* Receives exits without an entry (EVENT_EXIT, EVENT_TAIL_EXIT), EVENT_LOST and EVENT_USER. May be null. */
	void (*other)(void *context, const struct event *event, size_t depth);
	/* Called between slices; true ends the walk. May be null. */
	bool (*stop)(void *context);
	bool other_has_no_place;	/* an event alone is no reason to report the calls around it */
	/*
	 * If other_has_no_place is set: receives, before such an event, each call around it that has not been
	 * reported and may never be. Null: @other does not need them.
	 */
	void (*around)(void *context, const struct call *call, size_t depth);
};

/*
 * call_tree_walk - reports all calls of a thread within @events->range to @sink.
 * @tree: zeroed by the caller the first time; keeps its memory for the next thread
 *
 * Returns 0, or a negative errno.
 */
int call_tree_walk(struct call_tree *tree, struct thread_events *events, const struct call_sink *sink);

/*
 * The steps of a walk, for callers that take turns between threads, or between parts of a thread.
 *
 * call_tree_follow - takes all available events; returns the same as call_tree_walk.
 * call_tree_take - takes the next event of the thread. Returns 0, -ENOMEM, or 1 if this event and all
 * later ones are after the range.
 * call_tree_end - closes the calls that are open then.
 */
void call_tree_begin(struct call_tree *tree, const struct functions *functions, const struct time_range *range);
int call_tree_follow(struct call_tree *tree, struct thread_events *events, const struct call_sink *sink);
int call_tree_take(struct call_tree *tree, const struct event *event, const struct call_sink *sink);
void call_tree_end(struct call_tree *tree, const struct call_sink *sink);
void call_tree_free(struct call_tree *tree);

/*
 * For callers that report a thread's calls in parts, each as if it was the requested range:
 * call_tree_pause reports the open calls as left at @time_ns (CALL_BEYOND), call_tree_resume as
 * entered again there (`early`). The tree must have no range.
 */
void call_tree_pause(struct call_tree *tree, const struct call_sink *sink, uint64_t time_ns);
void call_tree_resume(struct call_tree *tree, const struct call_sink *sink, uint64_t time_ns);

/*
 * call_tree_take_over - lets @tree, which has just begun, continue from the state of @other. Neither
 * has a range. Stacks set aside stay with @other.
 * @functions, @others: the functions of the two trees, which may number them differently
 *
 * Returns 0 or -ENOMEM.
 */
int call_tree_take_over(struct call_tree *tree, struct functions *functions, const struct call_tree *other,
			const struct functions *others);

/* A sink that ignores all calls. */
extern const struct call_sink call_sink_ignoring;

/* Closes the innermost call. */
void call_tree_pop(struct call_tree *tree, const struct call_sink *sink, uint64_t end_ns, enum call_end how);

static inline uint64_t call_duration(const struct call *call, uint64_t end_ns)
{
	return end_ns > call->begin_ns ? end_ns - call->begin_ns : 0;
}

#endif
