/* SPDX-License-Identifier: MIT */
/*
 * merged.h - walks over all threads of all processes of a trace at once, by time.
 *
 * If two threads have the same time, the one that comes first in a walk thread by thread comes first.
 * All processes are open at once. A thread needs memory for one slice and its open calls, from its
 * first event to its last.
 */
#ifndef SPOOR_TOOLS_WALK_MERGED_H
#define SPOOR_TOOLS_WALK_MERGED_H

#include "walk/walk.h"

/*
 * walk_merged - reports all processes and threads to @sink, then the calls of all of them.
 * @turn: called when the next calls belong to another thread: its number, counted from 0 in the order
 *        of calls to thread_begin
 *
 * Does not call the sink's process_end, thread_end and thread_events. Returns an enum spoor_exit.
 */
int walk_merged(const struct walk_choice *choice, const struct walk_sink *sink,
		void (*turn)(void *context, size_t thread));

#endif
