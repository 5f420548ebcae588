/* SPDX-License-Identifier: MIT */
/*
 * ordered_work.h - lets several threads work on units at the same time, and keeps the results in
 * order.
 *
 * All parallel reading of a trace uses this module: unpacking slices ahead, walking threads and ranges
 * of slices, and formatting output. A unit has at most four steps:
 *   claim    determines what the unit is; in order, one unit at a time
 *   prepare  does the work that depends on no other unit; in parallel
 *   turn     does the work that needs all earlier units; in order, one unit at a time
 *   finish   does the rest; in parallel
 * If the steps have a turn, any free thread takes it. If they have no turn, the owner, which is the
 * thread that began the work, takes the units with ordered_work_take.
 *
 * A unit occupies one of a few numbered slots from its claim until it is finished or the owner
 * releases it. The contents of a slot belong to the caller.
 *
 * Invariants
 *   I1  One thread at a time owns a slot. The next owner sees all that the previous owner did.
 *   I2  There are never more units than slots, however many units are to come.
 *
 * Only the owner may call functions marked with [O].
 */
#ifndef SPOOR_TOOLS_ORDERED_WORK_H
#define SPOOR_TOOLS_ORDERED_WORK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define ORDERED_WORK_SLOTS_MAX 16u
#define ORDERED_WORK_THREADS_MAX 15u	/* the owner is not counted */

/* @worker: 0 is the owner, the other numbers are the threads. Returns 0, or a negative errno, which ends all work. */
typedef int ordered_work_step(void *context, size_t slot, size_t worker);

struct ordered_work_steps {
	/* Called with the lock held. Returns whether there is one more unit. Null: the owner adds units. */
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
	ORDERED_WORK_TURN,		/* or the owner has taken the unit */
	ORDERED_WORK_FINISHING,
};

struct ordered_work {
	const struct ordered_work_steps *steps;
	void *context;
	size_t slot_count;
	/* A waiting thread goes on only when this many slots are ready for it, so that two threads of about the
	 * same speed do not wake each other for every slot. */
	size_t at_once;

	pthread_mutex_t lock;		/* protects the fields below */
	pthread_cond_t may_work, may_take;
	struct {
		enum ordered_work_state state;
		size_t number;		/* of the slot's unit */
	} slots[ORDERED_WORK_SLOTS_MAX];
	size_t claimed, turn;		/* the numbers of the next units */
	size_t idle;			/* waiting threads */
	bool owner_waits;
	bool ended;			/* no unit follows the claimed ones */
	bool stopped;
	int error;

	pthread_t threads[ORDERED_WORK_THREADS_MAX];
	size_t thread_count;
};

/* [O] @slot_count: at most ORDERED_WORK_SLOTS_MAX; @at_once: at least 1. Starts no thread. */
void ordered_work_begin(struct ordered_work *work, const struct ordered_work_steps *steps, void *context, size_t slot_count,
			size_t at_once);

/* [O] Starts up to @count threads. Returns the number of running threads. */
size_t ordered_work_start(struct ordered_work *work, size_t count);

/* [O] For steps with a turn: works along until all units have had their turn. */
void ordered_work_run(struct ordered_work *work);

/* [O] If the owner adds units: ordered_work_room returns an empty slot, or -1; ordered_work_add adds the unit in
 * it. @wake: the unit is worth waking another thread. */
long ordered_work_room(struct ordered_work *work);
void ordered_work_add(struct ordered_work *work, size_t slot, bool wake);

/*
 * [O] ordered_work_take - waits until the next unit in order is prepared.
 * @helps: the owner prepares units meanwhile
 *
 * Returns the unit's slot, which the owner keeps until ordered_work_release; -1 if no unit is left, or
 * after an error.
 */
long ordered_work_take(struct ordered_work *work, bool helps);
void ordered_work_release(struct ordered_work *work, size_t slot);

/* [O] Ends all threads after their current steps. Returns 0, or the first error of a step. */
int ordered_work_end(struct ordered_work *work);

#endif
