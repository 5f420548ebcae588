/* SPDX-License-Identifier: MIT */
/*
 * part.h - a part of a walk that another thread can do at the same time.
 *
 * Each part has its own buffers, functions, tree and sink (walk_sink.part_begin). While parts exist,
 * no thread changes the data that they share: the process, its symbols, the walk.
 *
 * Invariants
 *   I1  Functions that parts have found get the process's numbers in the order of the calls to
 *       walk_part_number. In the order of one walk, they get the numbers that one walk would give.
 */
#ifndef SPOOR_TOOLS_WALK_PART_H
#define SPOOR_TOOLS_WALK_PART_H

#include "walk/walk.h"

/* Each part needs buffers, and room for the sums of its sink. */
#define WALK_PARTS_MAX 16u

struct walk_part {
	struct walk walk;
	struct walk_sink sink;
	struct walk_process process;
	uint32_t *numbers;		/* the current process's number of each of the part's functions */
	uint32_t numbered, room;	/* ... up to this one */
};

/* Returns the greatest useful number of parts for @words; 1 if the sink does not support parts, or if parts would
 * not be faster. */
size_t walk_parts_count(const struct walk_sink *sink, const struct walk_process *process, uint64_t words);

/* Returns 0 or a negative errno. Call walk_part_end in both cases. */
int walk_part_begin(struct walk_part *part, const struct walk *walk, const struct walk_sink *sink,
		    const struct walk_process *process);

/* Adds the functions of the part, up to its number @last, to @functions. Returns 0 or -ENOMEM. */
int walk_part_number(struct walk_part *part, struct functions *functions, uint32_t last);

/*
 * Adds the results of the part to @sink, unless another part failed with @error, and frees the part.
 *
 * Returns @error, or -ENOMEM.
 */
int walk_part_end(struct walk_part *part, const struct walk_sink *sink, struct functions *functions, int error);

#endif
