/* SPDX-License-Identifier: MIT */
/* inject_masks.c - a signal in the masks of another process's threads. */
#include "attach/inject_masks.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <time.h>

#include "attach/inject.h"
#include "attach/inject_thread.h"

/* Who waits for a child of vfork's stops only after that: it is left as it is. */
#define STATES "RStT"
#define PAUSE_NS 1000000

struct visit {
	struct inject_masks *masks;
	pid_t pid, leader;	/* leader: the thread that calls for us, or 0 */
	uint64_t bit;
	bool found;
};

static int remember(struct inject_masks *masks, pid_t thread)
{
	if (masks->count == masks->capacity) {
		size_t capacity = masks->capacity ? 2 * masks->capacity : 16;
		pid_t *threads = reallocarray(masks->threads, capacity, sizeof(*threads));

		if (!threads)
			return -ENOMEM;
		masks->threads = threads;
		masks->capacity = capacity;
	}
	masks->threads[masks->count++] = thread;
	return 0;
}

static uint64_t status_mask(pid_t thread, const char *key)
{
	long mask = target_status(thread, key, 16);

	return mask < 0 ? 0 : (uint64_t)mask;
}

/* Puts it into a thread's mask or takes it out. Return: 0, -EAGAIN where it is gone or cannot be stopped. */
static int change(pid_t pid, pid_t thread, uint64_t bit, bool on)
{
	struct inject_thread at = { .pid = pid };
	uint64_t mask;
	int error = inject_catch(&at, thread);

	if (error == -ETIMEDOUT)
		inject_give_up(&at);
	if (error < 0)
		return error == -ETIMEDOUT ? -EAGAIN : error;
	if (ptrace(PTRACE_GETSIGMASK, thread, sizeof(mask), &mask) < 0)
		error = -errno;
	mask = on ? mask | bit : mask & ~bit;
	if (error == 0 && ptrace(PTRACE_SETSIGMASK, thread, sizeof(mask), &mask) < 0)
		error = -errno;
	inject_let_go(&at);
	return error;
}

/* Return: -EAGAIN, for all are to be visited, or what ends that. */
static int open_one(void *context, pid_t thread)
{
	struct visit *visit = context;
	int error;

	if (thread == visit->leader || !(status_mask(thread, "SigBlk") & visit->bit))
		return -EAGAIN;
	error = change(visit->pid, thread, visit->bit, false);
	if (error == 0)
		error = remember(visit->masks, thread);
	return error ? error : -EAGAIN;
}

int inject_masks_open(struct inject *inject, int signal_number, struct inject_masks *masks)
{
	struct visit visit = { masks, inject->at.pid, inject->at.thread, 1ull << (signal_number - 1), false };
	int error = inject_each_thread(visit.pid, STATES, open_one, &visit);

	if (error != -EAGAIN)
		return error;
	if (!(inject->mask & visit.bit))
		return 0;
	inject->mask &= ~visit.bit;
	return remember(masks, visit.leader);
}

void inject_masks_close(pid_t pid, int signal_number, struct inject_masks *masks)
{
	for (size_t i = 0; i < masks->count; i++)
		if (inject_thread_exists(pid, masks->threads[i]))
			change(pid, masks->threads[i], 1ull << (signal_number - 1), true);
	inject_masks_free(masks);
}

static int look_at(void *context, pid_t thread)
{
	struct visit *visit = context;

	visit->found |= (status_mask(thread, "SigPnd") & ~status_mask(thread, "SigBlk") & visit->bit) != 0;
	return -EAGAIN;
}

int inject_masks_wait(pid_t pid, int signal_number, int64_t patience_ns)
{
	int64_t deadline_ns = inject_now_ns() + patience_ns;
	struct visit visit = { .pid = pid, .bit = 1ull << (signal_number - 1) };

	for (;;) {
		visit.found = false;
		inject_each_thread(pid, STATES, look_at, &visit);
		if (!visit.found)
			return 0;
		if (inject_now_ns() > deadline_ns)
			return -EAGAIN;
		nanosleep(&(struct timespec){ 0, PAUSE_NS }, NULL);
	}
}

void inject_masks_free(struct inject_masks *masks)
{
	free(masks->threads);
	*masks = (struct inject_masks){ 0 };
}
