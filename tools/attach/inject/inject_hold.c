/* SPDX-License-Identifier: MIT */
/* inject_hold.c - stops all threads of a process except the borrowed one. */
#include "attach/inject/inject_hold.h"

#include <errno.h>
#include <stdlib.h>

#include "attach/inject/inject_thread.h"
#include "attach/inject/inject_undertaker.h"
#include "base/system/monotonic.h"

#define STOP_NS 500000000	/* time limit for all threads together */

struct held {
	struct inject_thread at;
	bool late;		/* a stop was requested, and the thread has not stopped yet */
};

struct inject_hold {
	struct inject *inject;
	struct held *threads;
	size_t count, capacity;
};

static int reserve_thread(struct inject_hold *hold)
{
	size_t capacity = hold->capacity ? 2 * hold->capacity : 64;
	struct held *threads;

	if (hold->count < hold->capacity)
		return 0;
	threads = reallocarray(hold->threads, capacity, sizeof(*threads));
	if (!threads)
		return -ENOMEM;
	hold->threads = threads;
	hold->capacity = capacity;
	return 0;
}

static bool is_listed(const struct inject_hold *hold, pid_t thread)
{
	if (thread == hold->inject->at.thread)
		return true;
	for (size_t i = 0; i < hold->count; i++)
		if (hold->threads[i].at.thread == thread)
			return true;
	return false;
}

/* Requests that a thread stops. Returns -EAGAIN to continue with the next thread, or an error that ends the loop. */
static int request_stop(void *context, pid_t thread)
{
	struct inject_hold *hold = context;
	struct held *held;
	int error;

	if (is_listed(hold, thread))
		return -EAGAIN;
	inject_undertaker_lock(hold->inject);
	error = reserve_thread(hold);
	inject_undertaker_unlock(hold->inject);
	if (error < 0)
		return error;
	held = &hold->threads[hold->count];
	*held = (struct held){ .at.pid = hold->inject->at.pid, .late = true };
	error = inject_seize(&held->at, thread);
	if (error < 0)
		return error;
	inject_undertaker_lock(hold->inject);
	hold->count++;
	inject_undertaker_unlock(hold->inject);
	return -EAGAIN;
}

/* Waits until the threads from @first on have stopped. They share one time limit, because each may wait long for a
 * processor. */
static int wait_for_stops(struct inject_hold *hold, size_t first)
{
	int64_t deadline_ns = monotonic_ns() + STOP_NS;

	for (size_t i = first; i < hold->count; i++) {
		int error = inject_caught(&hold->threads[i].at, deadline_ns);

		hold->threads[i].late = error == -ETIMEDOUT;
		if (error < 0 && error != -ETIMEDOUT && error != -EAGAIN)
			return error;
	}
	return 0;
}

int inject_hold(struct inject *inject)
{
	struct inject_hold *hold = calloc(1, sizeof(*hold));
	size_t before;
	int error;

	if (!hold)
		return -ENOMEM;
	hold->inject = inject;
	inject_undertaker_lock(inject);
	inject->hold = hold;
	inject_undertaker_unlock(inject);
	/* Repeats until no new thread appears: a thread may create one before it stops. */
	do {
		int stopped;

		before = hold->count;
		error = inject_each_thread(inject->at.pid, "RStT", request_stop, hold);
		stopped = wait_for_stops(hold, before);
		if (stopped < 0)
			error = stopped;
	} while (error == -EAGAIN && hold->count != before);
	if (error == -EAGAIN)
		return 0;
	inject_hold_release(inject);
	return error;
}

void inject_hold_release(struct inject *inject)
{
	struct inject_hold *hold = inject ? inject->hold : NULL;

	if (!hold)
		return;
	inject_undertaker_lock(inject);
	inject->hold = NULL;
	inject_undertaker_unlock(inject);
	for (size_t i = 0; i < hold->count; i++)
		if (hold->threads[i].at.stopped)
			inject_let_go(&hold->threads[i].at);
	/* Only we can wait for these threads. */
	for (size_t i = 0; i < hold->count; i++)
		if (hold->threads[i].late)
			inject_give_up(&hold->threads[i].at);
	free(hold->threads);
	free(hold);
}

void inject_hold_reap(const struct inject *inject)
{
	for (size_t i = 0; inject->hold && i < inject->hold->count; i++)
		inject_reap(inject->hold->threads[i].at.thread);
}

bool inject_is_holding(const struct inject *inject)
{
	return inject->hold != NULL;
}

int inject_hold_for_each(struct inject *inject, int (*each)(void *context, pid_t thread), void *context)
{
	/* Shows the thread's own registers. The next call sets others. */
	int error = inject_general_set(inject->at.thread, &inject->saved.general);

	if (error == 0)
		error = each(context, inject->at.thread);
	for (size_t i = 0; inject->hold && i < inject->hold->count && error == 0; i++)
		if (inject->hold->threads[i].at.stopped)
			error = each(context, inject->hold->threads[i].at.thread);
	return error;
}
