/* SPDX-License-Identifier: MIT */
/* inject_masks.c - removes a signal from the masks of another process's threads, and adds it again. */
#include "attach/inject/inject_masks.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <time.h>

#include "attach/inject/inject.h"
#include "attach/inject/inject_notice.h"
#include "attach/inject/inject_thread.h"
#include "base/system/monotonic.h"

/* The states of the visited threads. A thread that waits for a child of vfork stops only after that wait, and is
 * skipped. */
#define STATES "RStT"
#define PAUSE_NS 1000000

struct visit {
	struct inject_masks *masks;
	pid_t pid, leader;	/* leader: the borrowed thread, or 0 */
	uint64_t bit;
	bool found, is_ready;	/* is_ready: a thread will handle the signal as soon as it gets a processor */
};

static int add_thread(struct inject_masks *masks, pid_t thread)
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

static uint64_t read_status_mask(pid_t thread, const char *key)
{
	long mask = target_status(thread, key, 16);

	return mask < 0 ? 0 : (uint64_t)mask;
}

/*
 * Adds the signal to a thread's mask or removes it, when the thread can be stopped. A breakpoint would kill a thread
 * that is skipped. Returns 0, -EAGAIN if the thread has ended, or another error of inject_catch.
 */
static int change_mask(pid_t pid, pid_t thread, uint64_t bit, bool on)
{
	struct inject_thread at = { .pid = pid };
	uint64_t mask;
	int error = inject_catch(&at, thread);

	if (error < 0)
		return error;
	if (ptrace(PTRACE_GETSIGMASK, thread, sizeof(mask), &mask) < 0)
		error = -errno;
	mask = on ? mask | bit : mask & ~bit;
	if (error == 0 && ptrace(PTRACE_SETSIGMASK, thread, sizeof(mask), &mask) < 0)
		error = -errno;
	inject_let_go(&at);
	return error;
}

/* Returns -EAGAIN to continue with the next thread, or an error that ends the loop. */
static int unblock_in_thread(void *context, pid_t thread)
{
	struct visit *visit = context;
	int error;

	if (thread == visit->leader || !(read_status_mask(thread, "SigBlk") & visit->bit))
		return -EAGAIN;
	error = change_mask(visit->pid, thread, visit->bit, false);
	if (error == 0)
		error = add_thread(visit->masks, thread);
	return error ? error : -EAGAIN;
}

int inject_masks_open(struct inject *inject, int signal_number, struct inject_masks *masks)
{
	struct visit visit = { masks, inject->at.pid, inject->at.thread, 1ull << (signal_number - 1), false, false };
	int error = inject_each_thread(visit.pid, STATES, unblock_in_thread, &visit);

	if (error != -EAGAIN)
		return error;
	if (!(inject->mask & visit.bit))
		return 0;
	inject->mask &= ~visit.bit;
	return add_thread(masks, visit.leader);
}

int inject_masks_close(pid_t pid, int signal_number, struct inject_masks *masks)
{
	int result = 0;

	for (size_t i = 0; i < masks->count; i++) {
		int error = 0;

		if (inject_thread_exists(pid, masks->threads[i]))
			error = change_mask(pid, masks->threads[i], 1ull << (signal_number - 1), true);
		if (error < 0 && error != -EAGAIN)
			result = error;
	}
	inject_masks_free(masks);
	return result;
}

static int examine_thread(void *context, pid_t thread)
{
	struct visit *visit = context;

	if (read_status_mask(thread, "SigPnd") & ~read_status_mask(thread, "SigBlk") & visit->bit) {
		visit->found = true;
		visit->is_ready |= inject_thread_state(visit->pid, thread) == 'R';
	}
	return -EAGAIN;
}

int inject_masks_wait(pid_t pid, int signal_number, int64_t patience_ns)
{
	int64_t deadline_ns = monotonic_ns() + patience_ns;
	struct visit visit = { .pid = pid, .bit = 1ull << (signal_number - 1) };

	for (;;) {
		visit.found = visit.is_ready = false;
		inject_each_thread(pid, STATES, examine_thread, &visit);
		if (!visit.found)
			return 0;
		inject_notice(pid, 0, INJECT_WAIT_OUTSIDE);
		if (inject_is_interrupted())
			return -EINTR;
		if (monotonic_ns() > deadline_ns && !visit.is_ready)
			return -EAGAIN;
		nanosleep(&(struct timespec){ 0, PAUSE_NS }, NULL);
	}
}

void inject_masks_free(struct inject_masks *masks)
{
	free(masks->threads);
	*masks = (struct inject_masks){ 0 };
}
