/* SPDX-License-Identifier: MIT */
/* thread.h - the threads that log. */
#ifndef SPOOR_THREAD_H
#define SPOOR_THREAD_H

#include <stdbool.h>

#include "event/event_path.h"

/*
 * What code above the event path does in the life of a thread. The thread itself calls all of them, in this order, with
 * signals blocked but for @ending; what they log is lost.
 */
struct spoor_thread_observer {
	/* Whether the thread may not log now, since it holds a lock that the others take. */
	bool (*is_kept_out)(void);

	/* An event has led here: for the first time in this process (@is_first), or since something waits for the
	 * thread. Return: 0, or 1 where it cannot log. */
	int (*enters)(bool is_first);

	/* It has a slot, and is to catch up with what all threads were asked for. */
	void (*catches_up)(struct spoor_thread *thread);

	/* It logs from here on. */
	void (*logs)(const struct spoor_thread *thread);

	/* It is about to end: its events still are logged. */
	void (*ending)(void);

	/* It is about to give its slot back. @name: the kernel's; null where it is the process's */
	void (*leaves)(const struct spoor_thread *thread, const char *name);

	/* Its last slice is with the drainer. */
	void (*left)(const struct spoor_thread *thread);

	/* Whether or not it has logged. @is_main: the process goes on until its last thread ends */
	void (*ended)(bool is_main);
};

/* Once, before anything is patched. @observer stays. Return: 0 or a negative errno. */
int spoor_threads_begin(const struct spoor_thread_observer *observer);

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
