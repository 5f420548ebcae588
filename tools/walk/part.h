/* SPDX-License-Identifier: MIT */
/*
 * part.h - a part of what a walk does, which another thread can do meanwhile.
 *
 * It has buffers, functions, a tree and a sink of its own (walk_sink.part_begin). While there are parts nobody
 * writes what they share: the process, its symbols, the walk.
 *
 * Invariants
 *   I1  functions that parts have met get the process's numbers in the order in which walk_part_number is
 *       told of them: where that is the order of one walk, its numbers.
 */
#ifndef SPOOR_TOOLS_WALK_PART_H
#define SPOOR_TOOLS_WALK_PART_H

#include "walk/walk.h"

/* Each has buffers, and what its sink adds up. */
#define WALK_PARTS_MAX 16u

struct walk_part {
	struct walk walk;
	struct walk_sink sink;
	struct walk_process process;
	uint32_t *numbers;		/* what the process at hand calls each of its functions, */
	uint32_t numbered, room;	/* ... of those up to this one */
};

/* How many parts of @words there are to be, at most: 1 where the sink knows none, or it is not worth it. */
size_t walk_parts_count(const struct walk_sink *sink, const struct walk_process *process, uint64_t words);

/* Return: 0 or a negative errno; then too walk_part_end is to be called. */
int walk_part_begin(struct walk_part *part, const struct walk *walk, const struct walk_sink *sink,
		    const struct walk_process *process);

/* Has @functions know what the part has met, up to its number @last. Return: 0 or -ENOMEM. */
int walk_part_number(struct walk_part *part, struct functions *functions, uint32_t last);

/*
 * Adds what the part has to @sink, unless @error is that of another one; frees it.
 *
 * Return: @error, or -ENOMEM.
 */
int walk_part_end(struct walk_part *part, const struct walk_sink *sink, struct functions *functions, int error);

#endif
