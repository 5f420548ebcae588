/* SPDX-License-Identifier: MIT */
/* ordered_work.c - lets several threads work on units at the same time, and keeps the results in order. */
#include "base/ordered_work.h"

#include "base/jobs.h"

#define NO_SLOT (-1L)

/* The functions before run_thread are called with the lock held, and return with it held. */

static size_t count(const struct ordered_work *work, enum ordered_work_state state)
{
	size_t found = 0;

	for (size_t i = 0; i < work->slot_count; i++)
		found += work->slots[i].state == state;
	return found;
}

/* Returns the slot in this state with the earliest unit, or -1. */
static long find_first(const struct ordered_work *work, enum ordered_work_state state)
{
	long first = NO_SLOT;

	for (size_t i = 0; i < work->slot_count; i++)
		if (work->slots[i].state == state && (first < 0 || work->slots[i].number < work->slots[first].number))
			first = (long)i;
	return first;
}

/* Returns the slot of the unit whose turn is next, or -1 if it is not prepared. */
static long find_turn(const struct ordered_work *work)
{
	long slot = find_first(work, ORDERED_WORK_PREPARED);

	return slot >= 0 && work->slots[slot].number == work->turn ? slot : NO_SLOT;
}

/* Returns whether no unit is left to prepare. */
static bool is_all_prepared(const struct ordered_work *work)
{
	return work->ended && !count(work, ORDERED_WORK_CLAIMED) && !count(work, ORDERED_WORK_PREPARING);
}

/* Returns the slot that the owner can take, or -1. */
static long find_takeable(const struct ordered_work *work, bool has_waited)
{
	if (has_waited && work->at_once > 1 && count(work, ORDERED_WORK_PREPARED) < work->at_once && !is_all_prepared(work))
		return NO_SLOT;
	return find_turn(work);
}

static void wake_owner(struct ordered_work *work)
{
	if (work->owner_waits && (work->error || is_all_prepared(work) || find_takeable(work, true) >= 0))
		pthread_cond_signal(&work->may_take);
}

static void wake_all(struct ordered_work *work)
{
	wake_owner(work);
	if (work->idle)
		pthread_cond_broadcast(&work->may_work);
}

static void note_error(struct ordered_work *work, int error)
{
	if (error && !work->error)
		work->error = error;
}

/* Runs a step of a slot without the lock. The slot is in @state meanwhile. */
static void do_step(struct ordered_work *work, ordered_work_step *step, size_t slot, size_t worker,
		    enum ordered_work_state state)
{
	int error;

	work->slots[slot].state = state;
	pthread_mutex_unlock(&work->lock);
	error = step(work->context, slot, worker);
	pthread_mutex_lock(&work->lock);
	note_error(work, error);
}

static long claim(struct ordered_work *work)
{
	long slot;

	if (!work->steps->claim || work->ended)
		return NO_SLOT;
	for (slot = 0; (size_t)slot < work->slot_count && work->slots[slot].state != ORDERED_WORK_EMPTY; slot++)
		;
	if ((size_t)slot == work->slot_count)
		return NO_SLOT;
	if (!work->steps->claim(work->context, (size_t)slot)) {
		work->ended = true;
		wake_all(work);
		return NO_SLOT;
	}
	work->slots[slot].number = work->claimed++;
	return slot;
}

/* Returns whether there was a unit to prepare. */
static bool prepare_one(struct ordered_work *work, size_t worker)
{
	long slot = find_first(work, ORDERED_WORK_CLAIMED);

	if (slot < 0)
		slot = claim(work);
	if (slot < 0)
		return false;
	do_step(work, work->steps->prepare, (size_t)slot, worker, ORDERED_WORK_PREPARING);
	work->slots[slot].state = ORDERED_WORK_PREPARED;
	/* If the steps have a turn, this thread itself checks next whether it is the unit's turn. */
	if (!work->steps->turn)
		wake_owner(work);
	return true;
}

static void empty(struct ordered_work *work, size_t slot)
{
	work->slots[slot].state = ORDERED_WORK_EMPTY;
	/* Only a thread that claims units can use an empty slot. */
	if (work->idle && work->steps->claim && !work->ended && count(work, ORDERED_WORK_EMPTY) >= work->at_once)
		pthread_cond_signal(&work->may_work);
}

/* Returns whether only finish steps are left. */
static bool is_done(const struct ordered_work *work)
{
	return work->ended && (!work->steps->turn || work->turn == work->claimed);
}

/* Runs the turn of the next unit. Returns whether there was one. */
static bool take_turn(struct ordered_work *work, size_t worker)
{
	long slot = find_turn(work);

	if (!work->steps->turn || slot < 0)
		return false;
	do_step(work, work->steps->turn, (size_t)slot, worker, ORDERED_WORK_TURN);
	work->turn++;
	work->slots[slot].state = ORDERED_WORK_FINISHING;
	if (is_done(work))
		wake_all(work);
	else if (work->idle && find_turn(work) >= 0)
		pthread_cond_signal(&work->may_work);
	if (work->steps->finish && !work->error)
		do_step(work, work->steps->finish, (size_t)slot, worker, ORDERED_WORK_FINISHING);
	empty(work, (size_t)slot);
	return true;
}

static void work_on(struct ordered_work *work, size_t worker)
{
	bool has_waited = false;

	while (!work->stopped && !work->error) {
		bool has_room = !has_waited || work->at_once == 1 || count(work, ORDERED_WORK_EMPTY) >= work->at_once;

		if (take_turn(work, worker) || (has_room && prepare_one(work, worker))) {
			has_waited = false;
			continue;
		}
		if (is_done(work))
			break;
		work->idle++;
		pthread_cond_wait(&work->may_work, &work->lock);
		work->idle--;
		has_waited = true;
	}
	/* Other threads wait for a turn that will not come. */
	if (work->error)
		wake_all(work);
}

static void *run_thread(void *context)
{
	struct ordered_work *work = context;
	size_t worker = 0;

	pthread_mutex_lock(&work->lock);
	while (!pthread_equal(work->threads[worker], pthread_self()))
		worker++;
	work_on(work, worker + 1);
	pthread_mutex_unlock(&work->lock);
	return NULL;
}

void ordered_work_begin(struct ordered_work *work, const struct ordered_work_steps *steps, void *context, size_t slot_count,
			size_t at_once)
{
	*work = (struct ordered_work){
		.steps = steps, .context = context, .slot_count = slot_count, .at_once = at_once,
	};
	pthread_mutex_init(&work->lock, NULL);
	pthread_cond_init(&work->may_work, NULL);
	pthread_cond_init(&work->may_take, NULL);
}

size_t ordered_work_start(struct ordered_work *work, size_t most)
{
	/* Each new thread searches the list for itself. */
	pthread_mutex_lock(&work->lock);
	while (work->thread_count < most && work->thread_count < ORDERED_WORK_THREADS_MAX &&
	       !jobs_thread_begin(&work->threads[work->thread_count], run_thread, work))
		work->thread_count++;
	pthread_mutex_unlock(&work->lock);
	return work->thread_count;
}

void ordered_work_run(struct ordered_work *work)
{
	pthread_mutex_lock(&work->lock);
	work_on(work, 0);
	pthread_mutex_unlock(&work->lock);
}

long ordered_work_room(struct ordered_work *work)
{
	long slot;

	pthread_mutex_lock(&work->lock);
	slot = find_first(work, ORDERED_WORK_EMPTY);
	pthread_mutex_unlock(&work->lock);
	return slot;
}

void ordered_work_add(struct ordered_work *work, size_t slot, bool wake)
{
	pthread_mutex_lock(&work->lock);
	work->slots[slot].state = ORDERED_WORK_CLAIMED;
	work->slots[slot].number = work->claimed++;
	if (wake && work->idle)
		pthread_cond_signal(&work->may_work);
	pthread_mutex_unlock(&work->lock);
}

long ordered_work_take(struct ordered_work *work, bool helps)
{
	bool has_waited = false;
	long slot = NO_SLOT;

	pthread_mutex_lock(&work->lock);
	while (!work->error) {
		slot = find_takeable(work, has_waited);
		if (slot >= 0 || (work->turn == work->claimed && (work->ended || !work->steps->claim)))
			break;
		if (helps && prepare_one(work, 0))
			continue;
		/* While it helped, the owner may have found that no unit is left. */
		if (work->turn == work->claimed && work->ended)
			break;
		work->owner_waits = true;
		pthread_cond_wait(&work->may_take, &work->lock);
		work->owner_waits = false;
		has_waited = true;
	}
	if (work->error)
		slot = NO_SLOT;
	if (slot >= 0)
		work->slots[slot].state = ORDERED_WORK_TURN;
	pthread_mutex_unlock(&work->lock);
	return slot;
}

void ordered_work_release(struct ordered_work *work, size_t slot)
{
	pthread_mutex_lock(&work->lock);
	work->turn++;
	empty(work, slot);
	pthread_mutex_unlock(&work->lock);
}

int ordered_work_end(struct ordered_work *work)
{
	pthread_mutex_lock(&work->lock);
	work->stopped = true;
	pthread_cond_broadcast(&work->may_work);
	pthread_mutex_unlock(&work->lock);
	for (size_t i = 0; i < work->thread_count; i++)
		pthread_join(work->threads[i], NULL);
	pthread_cond_destroy(&work->may_take);
	pthread_cond_destroy(&work->may_work);
	pthread_mutex_destroy(&work->lock);
	return work->error;
}
