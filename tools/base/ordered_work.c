/* SPDX-License-Identifier: MIT */
/* ordered_work.c - units of work that several threads do at the same time, and whose results are taken in order. */
#include "base/ordered_work.h"

#include "base/jobs.h"

#define NO_SLOT (-1L)

/* All functions before run_thread are called, and return, under the lock. */

static size_t count(const struct ordered_work *work, enum ordered_work_state state)
{
	size_t found = 0;

	for (size_t i = 0; i < work->slot_count; i++)
		found += work->slots[i].state == state;
	return found;
}

/* The slot in this state whose unit is the first. */
static long find_first(const struct ordered_work *work, enum ordered_work_state state)
{
	long first = NO_SLOT;

	for (size_t i = 0; i < work->slot_count; i++)
		if (work->slots[i].state == state && (first < 0 || work->slots[i].number < work->slots[first].number))
			first = (long)i;
	return first;
}

/* The slot of the unit whose turn comes next, if it is prepared. */
static long find_turn(const struct ordered_work *work)
{
	long slot = find_first(work, ORDERED_WORK_PREPARED);

	return slot >= 0 && work->slots[slot].number == work->turn ? slot : NO_SLOT;
}

/* Whether no unit will be prepared that is not now. */
static bool is_all_prepared(const struct ordered_work *work)
{
	return work->ended && !count(work, ORDERED_WORK_CLAIMED) && !count(work, ORDERED_WORK_PREPARING);
}

/* The slot that the owner can take. */
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

/* Does a step of a slot that is in @state meanwhile. */
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

/* Return: whether there was a unit to be prepared. */
static bool prepare_one(struct ordered_work *work, size_t worker)
{
	long slot = find_first(work, ORDERED_WORK_CLAIMED);

	if (slot < 0)
		slot = claim(work);
	if (slot < 0)
		return false;
	do_step(work, work->steps->prepare, (size_t)slot, worker, ORDERED_WORK_PREPARING);
	work->slots[slot].state = ORDERED_WORK_PREPARED;
	/* With a turn, this thread looks next whether it is the unit's. */
	if (!work->steps->turn)
		wake_owner(work);
	return true;
}

static void empty(struct ordered_work *work, size_t slot)
{
	work->slots[slot].state = ORDERED_WORK_EMPTY;
	/* Only a thread that claims units has use for it. */
	if (work->idle && work->steps->claim && !work->ended && count(work, ORDERED_WORK_EMPTY) >= work->at_once)
		pthread_cond_signal(&work->may_work);
}

/* Whether nothing is left to do but to finish. */
static bool is_done(const struct ordered_work *work)
{
	return work->ended && (!work->steps->turn || work->turn == work->claimed);
}

/* Return: whether it was a unit's turn, and is over. */
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
	/* The others wait for a turn that does not come any more. */
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
	/* Each looks itself up in the list. */
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
		/* Helping may have found that no unit is left. */
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
