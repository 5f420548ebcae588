/* SPDX-License-Identifier: MIT */
/*
 * merged.h - the walk over all threads of all processes of a trace at once, by time.
 *
 * Where two threads say the same time, the earlier of them in the other walk comes first. All
 * processes are open at once; a thread's memory is taken when its first event is due, and given
 * back behind its last. It is that of one slice and of its open calls.
 */
#ifndef SPOOR_TOOLS_WALK_MERGED_H
#define SPOOR_TOOLS_WALK_MERGED_H

#include "walk/walk.h"

/*
 * walk_merged - tells @sink all processes, all threads, then the calls of all of them.
 * @turn: told before the calls of another thread than before: its number, 0 being the first
 *        that thread_begin was told of
 *
 * The sink's process_end, thread_end and thread_events are not asked. Return: an enum spoor_exit.
 */
int walk_merged(const struct walk_choice *choice, const struct walk_sink *sink,
		void (*turn)(void *context, size_t thread));

#endif
