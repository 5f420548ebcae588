/* SPDX-License-Identifier: MIT */
/*
 * parts.h - walks the threads of a process in parts at the same time.
 *
 * For sinks that compute sums (walk_sink.part_begin). A part (part.h) consists of successive threads.
 * So the results of the parts, added in order, are equal to the results of one walk, in the same order.
 */
#ifndef SPOOR_TOOLS_WALK_PARTS_H
#define SPOOR_TOOLS_WALK_PARTS_H

#include "walk/walk.h"

/*
 * walk_parts - walks @count threads of @process, in parts if that is faster.
 *
 * Returns 0 or a negative errno; -ENOTSUP: did nothing, because walking one thread after the other is
 * better.
 */
int walk_parts(struct walk *walk, const struct walk_sink *sink, struct walk_process *process,
	       const struct thread_slices *const *threads, size_t count);

#endif
