/* SPDX-License-Identifier: MIT */
/* thread.h - the threads that log. */
#ifndef SPOOR_THREAD_H
#define SPOOR_THREAD_H

#include <stdbool.h>

#include "event/event_path.h"

/*
 * The callbacks by which code above the event path follows the life of a thread. The thread itself calls
 * all of them, in this order, with signals blocked except in @ending. Events in a callback are lost.
 */
struct spoor_thread_observer {
	/* Tells if the thread must not log now, because it holds a lock that the other callbacks take. */
	bool (*is_kept_out)(void);

	/* An event has led here: the thread's first one (@is_first), or one while a request waits for the
	 * thread. Returns 0, or 1 if the thread cannot log. */
	int (*enters)(bool is_first);

	/* The thread has a slot, and must carry out requests that all threads got. */
	void (*catches_up)(struct spoor_thread *thread);

	/* The thread logs from here on. */
	void (*logs)(const struct spoor_thread *thread);

	/* The thread is about to end; its events are still logged. */
	void (*ending)(void);

	/* The thread is about to free its slot. @name: the kernel's; null if it equals the process's */
	void (*leaves)(const struct spoor_thread *thread, const char *name);

	/* The drainer has the thread's last slice. */
	void (*left)(const struct spoor_thread *thread);

	/* The thread ends, whether or not it has logged. @is_main: other threads may continue the process */
	void (*ended)(bool is_main);
};

/* Call once, before a sled is patched. @observer must stay valid. Returns 0 or a negative errno. */
int spoor_threads_begin(const struct spoor_thread_observer *observer);

/*
 * spoor_threads_forked - whether this memory is a copy that a fork made, in which the runtime has not
 * started again. False in the child of a vfork, which uses the parent's memory.
 */
bool spoor_threads_forked(void);

/* Returns true once in the child of a fork that did not call the runtime's fork handlers. */
bool spoor_threads_forked_unseen(void);

/* Call in the child right after a fork: detaches its only thread, whose slot another thread may get. */
void spoor_threads_after_fork(void);

/* Call in a forked child: forgets all threads of the parent. */
void spoor_threads_forget(void);

/*
 * spoor_threads_expire - makes all threads that log attach again at their next event. Under the
 * registry's lock, while no other thread is in this library.
 */
void spoor_threads_expire(void);

/* Tells if the calling thread is in spoor_attach: inside an event, where it may hold any lock. */
bool spoor_is_attaching(void);

/* Makes each thread store a gap mark before its next event, because it may have run unrecorded. Under the
 * registry's lock, before the slots lead to logging. */
void spoor_threads_gap(void);

/*
 * spoor_threads_turn - sets whether each thread records, counts, or does neither, from its next event
 * on. A thread first records its open calls if that was requested.
 *
 * Call it under the registry's lock: to stop recording, before slots change and sleds are disabled; to
 * start recording, after all slots lead to logging and all sleds are awake.
 */
void spoor_threads_turn(enum spoor_recording recording);

/* Calls @each for every thread of this process that logs now. */
void spoor_threads_for_each(void (*each)(const struct spoor_thread *thread));

#endif
