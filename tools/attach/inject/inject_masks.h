/* SPDX-License-Identifier: MIT */
/*
 * inject_masks.h - removes a signal from the masks of a process's threads, and later adds it to the same threads
 * again.
 *
 * The temporary mask of a waiting system call (ppoll, sigsuspend) stays unchanged, and so does the mask of a thread
 * that waits for a child of vfork.
 */
#ifndef SPOOR_TOOLS_INJECT_MASKS_H
#define SPOOR_TOOLS_INJECT_MASKS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct inject;

/* The threads that blocked the signal. All zero: empty. */
struct inject_masks {
	pid_t *threads;
	size_t count, capacity;
};

/*
 * inject_masks_open - removes the signal from the masks of all threads, and of the borrowed thread when it is
 * restored.
 * Returns 0 or a negative errno, as inject_catch. Context: between inject_begin and inject_end, without held threads.
 */
int inject_masks_open(struct inject *inject, int signal_number, struct inject_masks *masks);

/* Adds the signal again to the masks of the threads in @masks that still exist, and empties @masks. Returns 0, or a
 * negative errno if a thread could not be stopped. */
int inject_masks_close(pid_t pid, int signal_number, struct inject_masks *masks);

/*
 * inject_masks_wait - waits until the signal has reached all threads that it was sent to and that do not block it.
 * @patience_ns: limit for threads that do not run; a thread that waits for a processor gets more time
 *
 * Returns 0, -EAGAIN, or -EINTR if the user interrupted the wait.
 */
int inject_masks_wait(pid_t pid, int signal_number, int64_t patience_ns);

void inject_masks_free(struct inject_masks *masks);

#endif
