/* SPDX-License-Identifier: MIT */
/*
 * thread_arena.h - the array that holds the states of all threads that log. Only thread.c uses it;
 * thread.h has the interface for others.
 *
 * The kernel wipes the array in a forked child, so the child's first event finds cursor 0 and takes the
 * slow path, whatever code runs first in the child. Handlers of pthread_atfork would run too late.
 */
#ifndef SPOOR_THREAD_ARENA_H
#define SPOOR_THREAD_ARENA_H

#include <stdbool.h>

#include "event/event_path.h"

/* Returns 0 or a negative errno. */
int spoor_thread_arena_begin(void);

/* In a forked child: the first marks the fork as seen, and the second forgets the parent's threads. */
void spoor_thread_arena_after_fork(void);
void spoor_thread_arena_forget(void);

/* Tells if the caller runs in its own memory: false between vfork and exec. */
bool spoor_thread_arena_is_ours(void);

/* Resets each slot. The threads keep their slots. */
void spoor_thread_arena_expire(void);

/* Claims a free slot and stores the process ID in it. Returns null if there is none. Any thread. */
struct spoor_thread *spoor_thread_slot_claim(void);

/* Frees a slot that its thread has left, or whose thread has ended. */
void spoor_thread_slot_free(struct spoor_thread *thread);

/* Returns the next serial number for a thread of this process, from 1. */
uint32_t spoor_thread_serial(void);

#endif
