/* SPDX-License-Identifier: MIT */
/*
 * run_effect.h - the effect of a run of slices on the open calls, computed without knowing which calls
 * are open before.
 *
 * When runs of one thread are walked at the same time, each run gets the calls that are open at its
 * beginning as soon as the effects of the earlier runs are known. Computing an effect takes a fifth of
 * the time of a walk.
 *
 * Only a run of entries, exits and frames that nest has a plain effect; nearly all runs of nearly all
 * traces are such runs. Other events make the effect not plain, because call_tree.h repairs them or
 * keeps account of them.
 *
 * Invariants
 *   I1  Applying a plain effect that fits changes a tree as a walk of the run's events does, but
 *       reports no calls.
 */
#ifndef SPOOR_READER_RUN_EFFECT_H
#define SPOOR_READER_RUN_EFFECT_H

#include "reader/events/call_tree.h"
#include "reader/files/loaded_slice.h"

struct run_exit {		/* of a call that was open before the run */
	uint32_t index;		/* dense index of the function */
	uint64_t end_ns;
};

struct run_call {
	uint32_t index, frame;
	uint64_t begin_ns, inner_ns;
};

/* Zeroed by the caller. Keeps its memory for the next run. */
struct run_effect {
	bool is_plain;
	struct run_exit *exits;	/* the innermost call first */
	size_t exit_count, exit_capacity;
	/* The calls that are open at the end. open[0] stands for the innermost call that was open before: only its
	 * frame and inner_ns are known. */
	struct run_call *open;
	size_t depth, capacity;	/* of `open`; depth is at least 1 */
	uint64_t last_ns;
};

/* Begins a run. Returns 0 or -ENOMEM. */
int run_effect_begin(struct run_effect *effect);

/* Adds the next slice of the run. Returns 0 or -ENOMEM. About 2 ns a word. */
int run_effect_add(struct run_effect *effect, const struct loaded_slice *slice);

/* Returns whether the effect is plain, its exits match the open calls, and no index stands for several functions. */
bool run_effect_fits(const struct run_effect *effect, const struct call_tree *tree, const struct functions *functions);

/* Applies an effect that fits. Returns 0 or -ENOMEM. */
int run_effect_apply(const struct run_effect *effect, struct call_tree *tree, struct functions *functions);

void run_effect_free(struct run_effect *effect);

#endif
