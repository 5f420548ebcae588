/* SPDX-License-Identifier: MIT */
/*
 * inject.h - calls functions in a thread of another process, and restores the thread.
 *
 * The thread is stopped with PTRACE_SEIZE, which sends no signal. It runs injected code on an injected stack with its
 * signals blocked, and then gets back all registers, its signal mask and errno. A system call that the stop
 * interrupted continues, and returns no EINTR.
 *
 * Invariants
 *   I1  Between inject_begin and inject_end one thread belongs to us. All other threads run, except while they are
 *       held (inject_hold.h).
 *   I2  That thread holds no lock of libc or of the dynamic loader: it executes code of the program, or a function of
 *       libc that the program called and that takes no such lock.
 *   I3  A call that may hold a lock is never abandoned. So with INJECT_MAY_LOAD the locks are tried first, by calls
 *       that hold each lock only for a moment (inject_probe). Such a call is taken back while it waits, and only if
 *       it still waits while all other threads are held.
 *   I4  A changed thread is not released before its registers and its mask are restored. A thread that gets no
 *       processor is waited for: time in which the thread does not run does not count.
 *
 * Context: one thread of the caller, which is the tracer. That thread should end soon (inject_tracer.h), because its
 * end releases threads that could not be stopped.
 */
#ifndef SPOOR_TOOLS_INJECT_H
#define SPOOR_TOOLS_INJECT_H

#include "attach/target.h"

struct inject;

enum inject_care {
	INJECT_PLAIN,		/* the calls take no lock of libc or the dynamic loader */
	INJECT_MAY_LOAD,	/* the calls may take any lock, as dlopen does */
};

/*
 * inject_begin - stops a thread at a safe place.
 * @patience_ns: time limit of the search; all threads are examined a few times in any case
 *
 * Returns 0, or
 *   -EAGAIN  no thread reached a safe place in this time
 *   -EINTR   the user interrupted the wait (inject_notice.h)
 *   -ESRCH   the process has ended
 *   -EPERM   we may not attach to the process
 *   -ENOMEM, -EACCES  the process may not map memory, or no executable memory
 */
int inject_begin(struct inject **inject, const struct target *target, enum inject_care care, int64_t patience_ns);

/* Returns a thread that has not ended, the first thread if possible; 0 for a zombie. */
pid_t inject_running_thread(pid_t pid);

/*
 * inject_each_thread - visits all threads in the given states, letters of /proc/PID/stat, until a visit returns
 * anything but -EAGAIN.
 * Returns that value, or -EAGAIN, or -ESRCH.
 */
int inject_each_thread(pid_t pid, const char *states, int (*visit)(void *context, pid_t thread), void *context);

/* Restores and releases the thread. Accepts null. */
void inject_end(struct inject *inject);

/*
 * inject_run - calls a function in the borrowed thread.
 * @function: its address in the process
 * @result:   may be null
 *
 * Waits without a limit until the function returns, because an abandoned call could keep a lock. After some seconds
 * the user reads a message about the wait (inject_notice.h).
 *
 * Returns 0, -EFAULT if the function crashed (the program does not notice), or -ESRCH.
 */
int inject_run(struct inject *inject, uint64_t function, const uint64_t *arguments, unsigned int count, uint64_t *result);

/*
 * inject_probe - like inject_run, for a function that takes locks, holds each only for a moment, and waits for
 * nothing else.
 *
 * Also returns -ETIMEDOUT if the function waits for a lock: then the thread has left the function, without a lock.
 */
int inject_probe(struct inject *inject, uint64_t function, const uint64_t *arguments, unsigned int count, uint64_t *result);

/*
 * inject_wait_outside - waits until no thread has a frame in @image.
 * @patience_ns: time limit; all threads are examined a few times in any case
 * Returns 0, -EAGAIN if at every look a thread had such a frame, or errors of inject_begin.
 */
int inject_wait_outside(const struct target *target, const struct target_image *image, int64_t patience_ns);

/* Memory in the process for arguments, until inject_end. */
#define INJECT_ROOM_BYTES 131072u
uint64_t inject_room(const struct inject *inject);
int inject_write(struct inject *inject, uint64_t address, const void *bytes, size_t size);

/*
 * inject_call - borrows a thread, calls one function that takes no locks, and restores the thread.
 * Returns 0 or a negative errno, as the functions above. Prints a message only if the process cannot be attached to.
 */
int inject_call(pid_t pid, uint64_t function, const uint64_t *arguments, unsigned int count, uint64_t *result);

#endif
