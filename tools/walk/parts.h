/* SPDX-License-Identifier: MIT */
/*
 * parts.h - the threads of a process in parts that are walked at the same time.
 *
 * For sinks that add up (walk_sink.part_begin). A part (part.h) is some threads that follow each other, so
 * that what the parts have, added in their order, is what one walk would have come to, and in the same order.
 */
#ifndef SPOOR_TOOLS_WALK_PARTS_H
#define SPOOR_TOOLS_WALK_PARTS_H

#include "walk/walk.h"

/*
 * walk_parts - walks @count threads of @process, in parts where that is worth it.
 *
 * Return: 0 or a negative errno; -ENOTSUP: nothing was done, one thread after the other is better.
 */
int walk_parts(struct walk *walk, const struct walk_sink *sink, struct walk_process *process,
	       const struct thread_slices *const *threads, size_t count);

#endif
