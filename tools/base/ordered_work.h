/* SPDX-License-Identifier: MIT */
/*
 * ordered_work.h - units of work that several threads do at the same time, and whose results are taken in order.
 *
 * All parallel reading of a trace goes through here: slices that are unpacked ahead, threads and ranges of slices that
 * are walked at the same time, and output that is formatted by several threads. A unit is at most in four steps:
 *   claim    what the unit is; in order, one at a time
 *   prepare  the work that depends on no other unit; at the same time as others'
 *   turn     what needs all units before it; in order, one at a time
 *   finish   the work that is left after that; at the same time as others'
 * Either the steps have a turn, and whichever thread is free takes it; or they have none, and the owner, the thread
 * that began the work, takes the units by ordered_work_take.
 *
 * A unit is in one of a few numbered slots from its claim until it is finished, or released by the owner. What is in a
 * slot is the caller's.
 *
 * Invariants
 *   I1  a slot belongs to one thread at a time. What that thread did in it, the next one sees.
 *   I2  no more units than slots exist at a time, however many are to come.
 *
 * [O] is for the owner alone.
 */
#ifndef SPOOR_TOOLS_ORDERED_WORK_H
#define SPOOR_TOOLS_ORDERED_WORK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define ORDERED_WORK_SLOTS_MAX 16u
#define ORDERED_WORK_THREADS_MAX 15u	/* besides the owner */

/* @worker: 0 is the owner, the others are the threads. Return: 0, or a negative errno, which ends all work. */
typedef int ordered_work_step(void *context, size_t slot, size_t worker);

struct ordered_work_steps {
	/* Called under the lock. Return: whether there is one more unit. Null: the owner adds units. */
	bool (*claim)(void *context, size_t slot);
	ordered_work_step *prepare;
	ordered_work_step *turn;	/* null: the owner takes units */
	ordered_work_step *finish;	/* null unless there is a turn */
};

enum ordered_work_state {
	ORDERED_WORK_EMPTY,
	ORDERED_WORK_CLAIMED,
	ORDERED_WORK_PREPARING,
	ORDERED_WORK_PREPARED,
	ORDERED_WORK_TURN,		/* or the owner has it */
	ORDERED_WORK_FINISHING,
};

struct ordered_work {
	const struct ordered_work_steps *steps;
	void *context;
	size_t slot_count;
	/* A thread that has waited goes on when so many slots are ready for it, so that two threads of about the same
	 * speed do not wake each other for every slot. */
	size_t at_once;

	pthread_mutex_t lock;		/* of what follows */
	pthread_cond_t may_work, may_take;
	struct {
		enum ordered_work_state state;
		size_t number;		/* of its unit */
	} slots[ORDERED_WORK_SLOTS_MAX];
	size_t claimed, turn;		/* numbers of the next units */
	size_t idle;			/* threads that wait */
	bool owner_waits;
	bool ended;			/* no unit follows the claimed ones */
	bool stopped;
	int error;

	pthread_t threads[ORDERED_WORK_THREADS_MAX];
	size_t thread_count;
};

/* [O] @slot_count: at most ORDERED_WORK_SLOTS_MAX; @at_once: 1 or more. No thread works yet. */
void ordered_work_begin(struct ordered_work *work, const struct ordered_work_steps *steps, void *context, size_t slot_count,
			size_t at_once);

/* [O] Starts up to @count threads. Return: how many run. */
size_t ordered_work_start(struct ordered_work *work, size_t count);

/* [O] Takes part, for steps that have a turn, until all units have had theirs. */
void ordered_work_run(struct ordered_work *work);

/* [O] Where the owner adds units: an empty slot, which may not be there, or -1; adds the unit in it. @wake: it is worth
 * another thread's time. */
long ordered_work_room(struct ordered_work *work);
void ordered_work_add(struct ordered_work *work, size_t slot, bool wake);

/*
 * [O] ordered_work_take - waits for the next unit in order to be prepared.
 * @helps: the owner prepares units meanwhile
 *
 * Return: its slot, which is the owner's until ordered_work_release; -1: no unit is left, or there was an error.
 */
long ordered_work_take(struct ordered_work *work, bool helps);
void ordered_work_release(struct ordered_work *work, size_t slot);

/* [O] Ends all threads after the steps that they are in. Return: 0, or the first error of a step. */
int ordered_work_end(struct ordered_work *work);

#endif
