/* SPDX-License-Identifier: MIT */
/* thread.h - the threads that log. */
#ifndef SPOOR_THREAD_H
#define SPOOR_THREAD_H

#include <stdbool.h>

#include "event/event_path.h"

/* Once, before anything is patched. Return: 0 or a negative errno. */
int spoor_threads_begin(void);

/*
 * spoor_threads_forked - whether this memory is a copy that a fork made, in which
 * nothing was begun anew. False in a vfork's child: its memory is the parent's.
 */
bool spoor_threads_forked(void);

/* Whether this is a child of a fork that called no handlers of ours: true once. */
bool spoor_threads_forked_unseen(void);

/* Right after a fork, in the child: its only thread is none that logs. The slot
 * that it points at may become another thread's. */
void spoor_threads_after_fork(void);

/* In a forked child: nobody of the parent's threads is here. */
void spoor_threads_forget(void);

/*
 * spoor_threads_expire - no thread that logs has what it had: its next event is as its
 * first one. Under the registry's lock, while no thread but the caller is in this library.
 */
void spoor_threads_expire(void);

/* Whether the calling thread is in spoor_attach: in an event, where any lock may be its own. */
bool spoor_is_attaching(void);

/* Names the calling thread, in every trace that it logs to. @name stays. */
void spoor_thread_name(const char *name);

/* The next event of every thread is preceded by a mark in the trace: it may have run
 * unrecorded. Under the registry's lock, before the slots lead to logging. */
void spoor_threads_gap(void);

/*
 * spoor_threads_turn - from its next event on, wherever that goes, each thread records,
 * counts, or does neither; what it was in the middle of comes before that.
 *
 * Away from recording: before slots lead elsewhere and sleds go to sleep. To recording:
 * once all slots lead to logging and all sleds are awake. Under the registry's lock.
 */
void spoor_threads_turn(enum spoor_recording recording);

/* Calls @each for every thread of this process that logs now. */
void spoor_threads_each(void (*each)(const struct spoor_thread *thread));

#endif
