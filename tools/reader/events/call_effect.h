/* SPDX-License-Identifier: MIT */
/*
 * call_effect.h - what a stretch of a thread's events does to the calls that are open before it, found
 * without knowing these.
 *
 * For a thread whose stretches are walked at the same time: each needs what is open where it begins, and
 * has it when the effects of those before it have been added up, long before they have been walked. So
 * an effect is found in a fifth of the time that a walk takes.
 *
 * Only of entries, exits and frames that nest, as nearly all events of nearly all traces are. Anything
 * else is what call_tree.h repairs or takes account of, and makes the effect not plain.
 *
 * Invariants
 *   I1  a plain effect that fits leaves a tree as the walk of its events does, but for what is told.
 */
#ifndef SPOOR_READER_CALL_EFFECT_H
#define SPOOR_READER_CALL_EFFECT_H

#include "reader/events/call_tree.h"
#include "reader/files/loaded_slice.h"

struct effect_exit {		/* of a call that was open before */
	uint32_t index;		/* dense, of its function */
	uint64_t end_ns;
};

struct effect_call {
	uint32_t index, frame;
	uint64_t begin_ns, inner_ns;
};

/* Zeroed by the caller; it keeps its memory. */
struct call_effect {
	bool is_plain;
	struct effect_exit *exits;	/* the innermost first */
	size_t exit_count, exit_capacity;
	struct effect_call *open;	/* at the end; open[0] is the innermost of those before, but for its index and begin */
	size_t depth, capacity;		/* of the others */
	uint64_t last_ns;
};

/* A stretch begins. Return: 0 or -ENOMEM. */
int call_effect_begin(struct call_effect *effect);

/* Its next slice. Return: 0 or -ENOMEM. About 2 ns a word. */
int call_effect_add(struct call_effect *effect, const struct loaded_slice *slice);

/* Whether it is plain, its exits are those of the calls that are open, and no index means several functions. */
bool call_effect_fits(const struct call_effect *effect, const struct call_tree *tree, const struct functions *functions);

/* Has one that fits. Return: 0 or -ENOMEM. */
int call_effect_apply(const struct call_effect *effect, struct call_tree *tree, struct functions *functions);

void call_effect_free(struct call_effect *effect);

#endif
