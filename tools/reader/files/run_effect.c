/* SPDX-License-Identifier: MIT */
/* run_effect.c - finds and applies the effect of a run of slices, by the shared rule (format/nesting.h). */
#include <errno.h>
#include <stdlib.h>

#include "reader/files/run_effect.h"

#define NO_FUNCTION UINT32_MAX	/* open[0]'s value: not a dense index */

static const struct run_call before = { .index = NO_FUNCTION };

static __attribute__((noinline)) int grow_open(struct run_effect *effect)
{
	size_t capacity = effect->capacity ? 2 * effect->capacity : 64;
	struct run_call *open = reallocarray(effect->open, capacity, sizeof(*open));

	if (!open)
		return -ENOMEM;
	effect->open = open;
	effect->capacity = capacity;
	return 0;
}

/* Adds an exit of a call that was open before the run. */
static __attribute__((noinline)) int add_exit(struct run_effect *effect, uint32_t index, uint64_t end_ns)
{
	if (effect->exit_count == effect->exit_capacity) {
		size_t capacity = effect->exit_capacity ? 2 * effect->exit_capacity : 64;
		struct run_exit *exits = reallocarray(effect->exits, capacity, sizeof(*exits));

		if (!exits)
			return -ENOMEM;
		effect->exits = exits;
		effect->exit_capacity = capacity;
	}
	effect->exits[effect->exit_count++] = (struct run_exit){ index, end_ns };
	effect->open[0] = before;
	return 0;
}

/* The state for spoor_nesting_take; `call` is the innermost call. */
struct nest {
	struct run_effect *effect;
	struct run_call *call, *first, *last;
};

static inline size_t nest_depth(const void *nest)
{
	return (size_t)(((const struct nest *)nest)->call - ((const struct nest *)nest)->first) + 1;
}

static inline uint32_t nest_function(const void *nest, size_t at)
{
	return ((const struct nest *)nest)->first[at].index;
}

static inline uint32_t nest_frame(const void *nest, size_t at)
{
	return ((const struct nest *)nest)->first[at].frame;
}

static inline int nest_open(void *nest, uint32_t index, uint64_t time_ns)
{
	struct nest *at = nest;

	if (__builtin_expect(at->call == at->last, 0)) {
		size_t depth = nest_depth(nest);

		if (grow_open(at->effect))
			return -ENOMEM;
		at->first = at->effect->open;
		at->last = at->first + at->effect->capacity - 1;
		at->call = at->first + depth - 1;
	}
	*++at->call = (struct run_call){ .index = index, .begin_ns = time_ns };
	return 0;
}

static inline void nest_close(void *nest, uint64_t time_ns, enum spoor_call_end how)
{
	struct nest *at = nest;

	(void)how;
	at->call[-1].inner_ns += time_ns - at->call->begin_ns;
	at->call--;
}

static inline int nest_set_frame(void *nest, uint32_t frame)
{
	((struct nest *)nest)->call->frame = frame;
	return 0;
}

static inline int nest_mend(void *nest, uint32_t index, uint64_t time_ns, enum spoor_call_end how)
{
	const struct nest *at = nest;

	(void)how;
	return at->call == at->first ? add_exit(at->effect, index, time_ns) : -ENOTSUP;
}

/* An unwind or switch: the calls that it concerns are unknown without the calls that were open before the run. */
static inline int nest_other(void *nest, uint32_t frame, uint64_t time_ns)
{
	(void)nest, (void)frame, (void)time_ns;
	return -ENOTSUP;
}

static const struct spoor_nesting_policy policy = {
	.depth = nest_depth,
	.function = nest_function,
	.frame = nest_frame,
	.open = nest_open,
	.close = nest_close,
	.set_frame = nest_set_frame,
	.mend = nest_mend,
	.unwind = nest_other,
	.switch_stack = nest_other,
};

int run_effect_begin(struct run_effect *effect)
{
	effect->is_plain = true;
	effect->exit_count = 0;
	effect->depth = 1;
	effect->last_ns = 0;
	if (!effect->open && grow_open(effect))
		return -ENOMEM;
	effect->open[0] = before;
	return 0;
}

int run_effect_add(struct run_effect *effect, const struct loaded_slice *slice)
{
	const uint64_t *word = slice->words, *const end = word + slice->dated_count;
	const uint32_t *date = slice->dates;
	struct nest nest = {
		effect, &effect->open[effect->depth - 1], effect->open, &effect->open[effect->capacity - 1],
	};
	uint64_t time_ns = effect->last_ns;
	int error = 0;

	for (; word < end && !error; word++) {
		time_ns = slice->dated_ns + *date++;
		error = spoor_nesting_take(&nest, &policy, spoor_word_kind(*word), spoor_word_index(*word), time_ns);
	}
	effect->depth = nest_depth(&nest);
	effect->last_ns = time_ns;
	effect->is_plain &= !error;
	return error == -ENOMEM ? error : 0;
}

bool run_effect_fits(const struct run_effect *effect, const struct call_tree *tree, const struct functions *functions)
{
	if (!effect->is_plain || effect->exit_count > tree->depth)
		return false;
	for (size_t i = 0; i < effect->exit_count; i++)
		if (tree->calls[tree->depth - 1 - i].function != functions_known(functions, effect->exits[i].index))
			return false;
	for (size_t i = 1; i < effect->depth; i++)
		if (!functions_is_alone(functions, effect->open[i].index))
			return false;
	return true;
}

/* Gives the innermost call this frame, if the call has no frame. */
static int set_frame(struct call_tree *tree, uint32_t frame, uint64_t time_ns)
{
	struct event event = { .kind = EVENT_FRAME, .time_ns = time_ns, .frame = frame };

	return frame ? call_tree_take(tree, &event, &call_sink_ignoring) : 0;
}

int run_effect_apply(const struct run_effect *effect, struct call_tree *tree, struct functions *functions)
{
	int error = 0;

	for (size_t i = 0; i < effect->exit_count; i++)
		call_tree_pop(tree, &call_sink_ignoring, effect->exits[i].end_ns, CALL_EXIT);
	if (tree->depth) {
		error = set_frame(tree, effect->open[0].frame, effect->last_ns);
		tree->calls[tree->depth - 1].inner_ns += effect->open[0].inner_ns;
	}
	for (size_t i = 1; i < effect->depth && !error; i++) {
		const struct run_call *call = &effect->open[i];
		struct event entry = { .kind = EVENT_ENTRY, .time_ns = call->begin_ns };

		entry.function = functions_number(functions, call->index, 0);
		error = entry.function ? 0 : -ENOMEM;
		if (!error)
			error = call_tree_take(tree, &entry, &call_sink_ignoring);
		if (!error)
			error = set_frame(tree, call->frame, call->begin_ns);
		if (!error)
			tree->calls[tree->depth - 1].inner_ns = call->inner_ns;
	}
	tree->last_ns = effect->last_ns;
	return error;
}

void run_effect_free(struct run_effect *effect)
{
	free(effect->exits);
	free(effect->open);
}
