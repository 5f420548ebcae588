/* SPDX-License-Identifier: MIT */
/* call_tree.c - turns the events of one thread into calls that nest: the reader's policy for the shared rule
 * (format/nesting.h), and the walk. */
#include "reader/events/call_tree_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Opens a call without reporting it. Returns null if memory runs out. */
static inline __attribute__((always_inline)) struct call *push(struct call_tree *tree, uint32_t function, uint64_t time_ns)
{
	struct call *call;

	if (call_tree_make_room(tree, tree->depth + 1) || (tree->counting && call_tree_make_open(tree, function)))
		return NULL;
	call = &tree->calls[tree->depth];
	*call = (struct call){ .function = function, .begin_ns = time_ns, .marks = (uint32_t)tree->marks };
	if (tree->counting)
		tree->open[function]++;
	return call;
}

static int push_root(struct call_tree *tree, const struct call_sink *sink, const struct event *event)
{
	struct call *call = push(tree, event->function, event->time_ns);

	if (!call || (event->frame && call_tree_frame_opens(tree, event->frame)))
		return -ENOMEM;
	call->frame = event->frame;
	call->root = call->resumed = true;
	tree->roots++;
	sink->enter(sink->context, call, tree->depth++);
	return 0;
}

/* Reports the call that was just closed, with its values, and drops these. */
static __attribute__((noinline)) void pop_with_values(struct call_tree *tree, const struct call_sink *sink, uint64_t end_ns,
						      enum call_end how)
{
	struct call *call = &tree->calls[tree->depth];

	if (how == CALL_EXIT && tree->values && tree->values->is_result) {
		call->result = tree->values;
		call_values_set_function(tree->values, tree->functions, call->function);
		tree->values = NULL;
	}
	sink->leave(sink->context, call, tree->depth, end_ns, how);
	call_values_drop(call->arguments);
	call_values_drop(call->result);
	call->arguments = call->result = NULL;
}

void call_tree_pop(struct call_tree *tree, const struct call_sink *sink, uint64_t end_ns, enum call_end how)
{
	struct call *call = &tree->calls[--tree->depth];

	if (tree->counting)
		tree->open[call->function]--;
	if (__builtin_expect(tree->dormant != 0, 0))
		tree->dormant -= call->dormant;
	if (call->frame)
		--*map64_at(&tree->frames, call->frame);
	call->unreliable |= call->marks != (uint32_t)tree->marks;
	if (tree->depth)
		tree->calls[tree->depth - 1].inner_ns += call_duration(call, end_ns);
	if (__builtin_expect(tree->values || call->arguments, 0)) {
		pop_with_values(tree, sink, end_ns, how);
		return;
	}
	sink->leave(sink->context, call, tree->depth, end_ns, how);
}

/* The state for spoor_nesting_take: a tree, its sink, and the event. */
struct nest {
	struct call_tree *tree;
	const struct call_sink *sink;
	const struct event *event;
	bool has_values;	/* before the event; a constant, so that most events need no look */
};

static int mend(struct call_tree *tree, const struct call_sink *sink, const struct event *event, enum spoor_call_end how);
static int unwind(struct call_tree *tree, const struct call_sink *sink, const struct event *event);

static inline size_t nest_depth(const void *nest)
{
	return ((const struct nest *)nest)->tree->depth;
}

static inline uint32_t nest_function(const void *nest, size_t at)
{
	return ((const struct nest *)nest)->tree->calls[at].function;
}

static inline uint32_t nest_frame(const void *nest, size_t at)
{
	return ((const struct nest *)nest)->tree->calls[at].frame;
}

static inline int nest_open(void *nest, uint32_t function, uint64_t time_ns)
{
	struct call_tree *tree = ((struct nest *)nest)->tree;
	const struct call_sink *sink = ((struct nest *)nest)->sink;
	struct call *call = push(tree, function, time_ns);

	if (!call)
		return -ENOMEM;
	if (((const struct nest *)nest)->has_values && !tree->values->is_result) {
		call->arguments = tree->values;
		call_values_set_function(tree->values, tree->functions, function);
		tree->values = NULL;
	}
	sink->enter(sink->context, call, tree->depth++);
	return 0;
}

static inline void nest_close(void *nest, uint64_t time_ns, enum spoor_call_end how)
{
	struct call_tree *tree = ((struct nest *)nest)->tree;
	const struct call_sink *sink = ((struct nest *)nest)->sink;

	tree->repaired += how == SPOOR_CALL_LEFT;
	call_tree_pop(tree, sink, time_ns, (enum call_end)how);
	if (how <= SPOOR_CALL_TAIL && __builtin_expect(tree->dormant != 0, 0))
		call_tree_pop_dormant(tree, sink, time_ns);
}

static inline int nest_set_frame(void *nest, uint32_t frame)
{
	struct call_tree *tree = ((struct nest *)nest)->tree;

	if (call_tree_frame_opens(tree, frame))
		return -ENOMEM;
	tree->calls[tree->depth - 1].frame = frame;
	return 0;
}

static inline int nest_stray(void *nest, uint32_t function, uint64_t time_ns)
{
	const struct nest *at = nest;

	(void)function, (void)time_ns;
	at->tree->orphans++;
	if (at->sink->other)
		at->sink->other(at->sink->context, at->event, at->tree->depth);
	return 0;
}

static inline int nest_mend(void *nest, uint32_t function, uint64_t time_ns, enum spoor_call_end how)
{
	const struct nest *at = nest;

	(void)function, (void)time_ns;
	return mend(at->tree, at->sink, at->event, how);
}

static inline int nest_unwind(void *nest, uint32_t frame, uint64_t time_ns)
{
	const struct nest *at = nest;

	(void)frame, (void)time_ns;
	return unwind(at->tree, at->sink, at->event);
}

static inline int nest_switch_stack(void *nest, uint32_t frame, uint64_t time_ns)
{
	const struct nest *at = nest;

	(void)frame, (void)time_ns;
	return call_tree_switch_stack(at->tree, at->sink, at->event);
}

/* After the first exit that does not fit, the tree counts the open calls of each function, so that later such
 * exits need no useless search. */
static inline int nest_may_have_function(void *nest, uint32_t function)
{
	struct call_tree *tree = ((struct nest *)nest)->tree;

	if (tree->depth && !tree->counting && call_tree_count_open(tree))
		return -ENOMEM;
	return function < tree->open_count && tree->open[function];
}

static inline bool nest_may_have_frame(const void *nest, uint32_t frame)
{
	return call_tree_has_frame(((const struct nest *)nest)->tree, frame);
}

/* When an exception arrives in a call, the call's own named scopes are still open; later events say where they
 * end. */
static inline bool nest_outlives_unwind(const void *nest, size_t at)
{
	const struct call_tree *tree = ((const struct nest *)nest)->tree;

	return tree->functions->list[tree->calls[at].function].is_scope;
}

/* The target of an unwind to an unknown frame was entered before tracing began, or is not traced. The unwind
 * closes no call, because it is unknown which calls it left. */
static const struct spoor_nesting_policy policy = {
	.depth = nest_depth,
	.function = nest_function,
	.frame = nest_frame,
	.open = nest_open,
	.close = nest_close,
	.set_frame = nest_set_frame,
	.stray = nest_stray,
	.mend = nest_mend,
	.unwind = nest_unwind,
	.switch_stack = nest_switch_stack,
	.search_most = SIZE_MAX,
	.may_have_function = nest_may_have_function,
	.may_have_frame = nest_may_have_frame,
	.outlives_unwind = nest_outlives_unwind,
};

static __attribute__((noinline)) int mend(struct call_tree *tree, const struct call_sink *sink, const struct event *event,
					  enum spoor_call_end how)
{
	struct nest nest = { tree, sink, event, .has_values = false };

	return spoor_nesting_mend(&nest, &policy, event->function, event->time_ns, how);
}

static __attribute__((noinline)) int unwind(struct call_tree *tree, const struct call_sink *sink, const struct event *event)
{
	struct nest nest = { tree, sink, event, .has_values = false };

	return spoor_nesting_unwind(&nest, &policy, event->frame, event->time_ns);
}

void call_tree_close_to(struct call_tree *tree, const struct call_sink *sink, size_t depth, uint64_t time_ns,
			enum spoor_call_end how)
{
	struct nest nest = { tree, sink, NULL, .has_values = false };

	spoor_nesting_close_to(&nest, &policy, depth, time_ns, how);
}

void call_tree_forget_open(struct call_tree *tree, const struct call_sink *sink, uint64_t last_ns)
{
	call_tree_close_to(tree, sink, 0, last_ns, SPOOR_CALL_UNRECORDED);
	set_aside_calls_forget(&tree->aside);
}

static void note(struct call_tree *tree, const struct call_sink *sink, const struct event *event, uint64_t last_ns)
{
	if (event->kind == EVENT_DORMANT) {
		/* In a damaged trace the record may be earlier than the last event. */
		if (tree->last_ns < last_ns)
			tree->last_ns = last_ns;
		call_tree_go_dormant(tree, sink, event->disabled, tree->last_ns);
		return;
	}
	if (event->kind == EVENT_SEEN) {
		if (!tree->depth)
			tree->last_ns = last_ns;
		return;
	}
	if (event->kind == EVENT_LOST && event->cause == EVENT_LOST_UNRECORDED) {
		tree->gaps++;
		call_tree_forget_open(tree, sink, last_ns);
	} else if (event->kind == EVENT_LOST) {
		tree->losses++;
		tree->marks++;
	} else if (event->kind == EVENT_USER && event->own_time) {
		tree->last_ns = last_ns;
	}
	if (sink->other)
		sink->other(sink->context, event, tree->depth);
}

static __attribute__((noinline)) int take_with_values(struct call_tree *tree, const struct event *event,
						      const struct call_sink *sink);

/* Inlined into the loop of a walk: calling the function would take a tenth of the time of a report. */
static inline __attribute__((always_inline)) int take(struct call_tree *tree, const struct event *event,
						       const struct call_sink *sink)
{
	struct nest nest = { tree, sink, event, .has_values = false };
	uint64_t last_ns = tree->last_ns;

	tree->last_ns = event->time_ns;
	if (__builtin_expect(tree->values != NULL, 0))
		return take_with_values(tree, event, sink);
	if (event->kind <= EVENT_TAIL_EXIT)
		return spoor_nesting_take(&nest, &policy, event->kind, event->function, event->time_ns);
	if (event->kind <= EVENT_SWITCH)
		return spoor_nesting_take(&nest, &policy, event->kind, event->frame, event->time_ns);
	if (event->kind == EVENT_VALUES) {
		tree->values = event->values;
		return 0;
	}
	if (event->kind == EVENT_ROOT) {
		if (event->count == 0)
			call_tree_forget_open(tree, sink, last_ns);
		return push_root(tree, sink, event);
	}
	note(tree, sink, event, last_ns);
	return 0;
}

/* An entry or exit takes the values before it. In a damaged trace another event may follow them. */
static int take_with_values(struct call_tree *tree, const struct event *event, const struct call_sink *sink)
{
	struct nest nest = { tree, sink, event, .has_values = true };
	int error = 0;

	if (event->kind <= EVENT_TAIL_EXIT)
		error = spoor_nesting_take(&nest, &policy, event->kind, event->function, event->time_ns);
	call_values_drop(tree->values);
	tree->values = NULL;
	return event->kind <= EVENT_TAIL_EXIT ? error : take(tree, event, sink);
}

__attribute__((noinline)) int call_tree_take_one(struct call_tree *tree, const struct event *event, const struct call_sink *sink)
{
	return take(tree, event, sink);
}

void call_tree_begin(struct call_tree *tree, const struct functions *functions, const struct time_range *range)
{
	/* An earlier walk that was stopped left open calls. */
	while (tree->depth--) {
		if (tree->counting)
			tree->open[tree->calls[tree->depth].function] = 0;
		call_values_drop(tree->calls[tree->depth].arguments);
	}
	call_values_drop(tree->values);
	tree->values = NULL;
	tree->depth = 0;
	tree->dormant = 0;
	tree->counting = false;
	map64_free(&tree->frames);
	set_aside_calls_forget(&tree->aside);
	call_tree_forget_counts(tree);
	tree->last_ns = 0;
	tree->marks = 0;
	tree->functions = functions;
	tree->range = range;
	tree->before_range = range;
}

void call_tree_end(struct call_tree *tree, const struct call_sink *sink)
{
	/* The range begins after the thread's last event. */
	if (tree->before_range) {
		sink = &call_sink_ignoring;
		call_tree_forget_counts(tree);
	}
	while (tree->depth)
		call_tree_pop(tree, sink, tree->last_ns, CALL_UNFINISHED);
}

int call_tree_follow(struct call_tree *tree, struct thread_events *events, const struct call_sink *sink)
{
	struct event event;
	int more, error = 0;

	events->reports_dormant = events->reports_values = true;
	while ((more = thread_events_next(events, &event)) > 0) {
		error = __builtin_expect(tree->range != NULL, 0) ? call_tree_take_in_range(tree, &event, sink) :
								   take(tree, &event, sink);
		if (error < 0)
			return error;
		if (error)
			break;
		if (events->at.word == events->at.end && sink->stop && sink->stop(sink->context))
			break;
	}
	return more < 0 ? more : 0;
}

int call_tree_walk(struct call_tree *tree, struct thread_events *events, const struct call_sink *sink)
{
	int error;

	call_tree_begin(tree, events->functions, events->range);
	error = call_tree_follow(tree, events, sink);
	if (!error)
		call_tree_end(tree, sink);
	return error;
}

void call_tree_free(struct call_tree *tree)
{
	while (tree->depth)
		call_values_drop(tree->calls[--tree->depth].arguments);
	call_values_drop(tree->values);
	call_aside_free(&tree->aside);
	map64_free(&tree->frames);
	free(tree->open);
	free(tree->calls);
	*tree = (struct call_tree){ 0 };
}
