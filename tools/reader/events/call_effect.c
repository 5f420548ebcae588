/* SPDX-License-Identifier: MIT */
/* call_effect.c - what a stretch of events does to the calls that are open before it. */
#include "reader/events/call_effect.h"

#include <errno.h>
#include <stdlib.h>

static __attribute__((noinline)) int grow_open(struct call_effect *effect)
{
	size_t capacity = effect->capacity ? 2 * effect->capacity : 64;
	struct effect_call *open = reallocarray(effect->open, capacity, sizeof(*open));

	if (!open)
		return -ENOMEM;
	effect->open = open;
	effect->capacity = capacity;
	return 0;
}

/* Exits from what was open before. */
static __attribute__((noinline)) int add_exit(struct call_effect *effect, uint32_t index, uint64_t end_ns)
{
	if (effect->exit_count == effect->exit_capacity) {
		size_t capacity = effect->exit_capacity ? 2 * effect->exit_capacity : 64;
		struct effect_exit *exits = reallocarray(effect->exits, capacity, sizeof(*exits));

		if (!exits)
			return -ENOMEM;
		effect->exits = exits;
		effect->exit_capacity = capacity;
	}
	effect->exits[effect->exit_count++] = (struct effect_exit){ index, end_ns };
	effect->open[0] = (struct effect_call){ 0 };
	return 0;
}

int call_effect_begin(struct call_effect *effect)
{
	effect->is_plain = true;
	effect->depth = effect->exit_count = 0;
	effect->last_ns = 0;
	if (!effect->open && grow_open(effect))
		return -ENOMEM;
	effect->open[0] = (struct effect_call){ 0 };
	return 0;
}

int call_effect_add(struct call_effect *effect, const struct loaded_slice *slice)
{
	const uint64_t *word = slice->words, *const end = word + slice->dated_count;
	const uint32_t *date = slice->dates;
	struct effect_call *call = &effect->open[effect->depth];
	uint64_t time_ns = effect->last_ns;
	uint32_t differs = 0;

	for (; word < end; word++) {
		uint32_t code = (uint32_t)(*word >> 32), kind = code >> SPOOR_INDEX_BITS;
		uint32_t index = code & SPOOR_INDEX_MAX;

		time_ns = slice->dated_ns + *date++;
		if (kind == EVENT_ENTRY) {
			if (__builtin_expect(call == &effect->open[effect->capacity - 1], 0)) {
				effect->depth = (size_t)(call - effect->open);
				if (grow_open(effect))
					return -ENOMEM;
				call = &effect->open[effect->depth];
			}
			*++call = (struct effect_call){ .index = index, .begin_ns = time_ns };
		} else if (__builtin_expect(kind == EVENT_EXIT || kind == EVENT_TAIL_EXIT, 1)) {
			if (__builtin_expect(call == effect->open, 0)) {
				if (add_exit(effect, index, time_ns))
					return -ENOMEM;
				continue;
			}
			differs |= call->index ^ index;
			call[-1].inner_ns += time_ns - call->begin_ns;
			call--;
		} else if (kind == EVENT_FRAME) {
			call->frame = call->frame ? call->frame : index;
		} else {
			differs = 1;
			break;
		}
	}
	effect->depth = (size_t)(call - effect->open);
	effect->last_ns = time_ns;
	effect->is_plain &= !differs;
	return 0;
}

bool call_effect_fits(const struct call_effect *effect, const struct call_tree *tree, const struct functions *functions)
{
	if (!effect->is_plain || effect->exit_count > tree->depth)
		return false;
	for (size_t i = 0; i < effect->exit_count; i++)
		if (tree->calls[tree->depth - 1 - i].function != functions_known(functions, effect->exits[i].index))
			return false;
	for (size_t i = 1; i <= effect->depth; i++)
		if (!functions_is_alone(functions, effect->open[i].index))
			return false;
	return true;
}

/* The innermost call turns out to have this frame, if it has any. */
static int set_frame(struct call_tree *tree, uint32_t frame, uint64_t time_ns)
{
	struct event event = { .kind = EVENT_FRAME, .time_ns = time_ns, .frame = frame };

	return frame ? call_tree_take(tree, &event, &call_tree_nobody) : 0;
}

int call_effect_apply(const struct call_effect *effect, struct call_tree *tree, struct functions *functions)
{
	int error = 0;

	for (size_t i = 0; i < effect->exit_count; i++)
		call_tree_pop(tree, &call_tree_nobody, effect->exits[i].end_ns, CALL_EXIT);
	if (tree->depth) {
		error = set_frame(tree, effect->open[0].frame, effect->last_ns);
		tree->calls[tree->depth - 1].inner_ns += effect->open[0].inner_ns;
	}
	for (size_t i = 1; i <= effect->depth && !error; i++) {
		const struct effect_call *call = &effect->open[i];
		struct event entry = { .kind = EVENT_ENTRY, .time_ns = call->begin_ns };

		entry.function = functions_number(functions, call->index, 0);
		error = entry.function ? 0 : -ENOMEM;
		if (!error)
			error = call_tree_take(tree, &entry, &call_tree_nobody);
		if (!error)
			error = set_frame(tree, call->frame, call->begin_ns);
		if (!error)
			tree->calls[tree->depth - 1].inner_ns = call->inner_ns;
	}
	tree->last_ns = effect->last_ns;
	return error;
}

void call_effect_free(struct call_effect *effect)
{
	free(effect->exits);
	free(effect->open);
}
