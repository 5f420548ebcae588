/* SPDX-License-Identifier: MIT */
/*
 * inject_masks.h - a signal out of the masks of a process's threads for a while, and into those again that had it.
 *
 * A system call that a thread waits in with a mask for its duration (ppoll, sigsuspend) keeps that mask, and so does
 * a thread that waits for a child of vfork's.
 */
#ifndef SPOOR_TOOLS_INJECT_MASKS_H
#define SPOOR_TOOLS_INJECT_MASKS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct inject;

/* Threads that had it; empty: all 0. */
struct inject_masks {
	pid_t *threads;
	size_t count, capacity;
};

/*
 * inject_masks_open - no thread else blocks the signal any more, nor does the one that calls for us once it is put back.
 * Return: 0 or a negative errno, as inject_catch. Context: between inject_begin and inject_end, nobody is held.
 */
int inject_masks_open(struct inject *inject, int signal_number, struct inject_masks *masks);

/* Blocks it again in those that are left of @masks, which is empty then. Return: 0, or a negative errno if one could not
 * be stopped for that. */
int inject_masks_close(pid_t pid, int signal_number, struct inject_masks *masks);

/*
 * inject_masks_wait - until the signal has reached all threads that it was sent to and that do not block it.
 * @patience_ns: for threads that do not run; one that only waits for a processor is waited for longer
 *
 * Return: 0, -EAGAIN, or -EINTR if the user has interrupted the wait.
 */
int inject_masks_wait(pid_t pid, int signal_number, int64_t patience_ns);

void inject_masks_free(struct inject_masks *masks);

#endif
