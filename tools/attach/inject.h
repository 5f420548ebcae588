/* SPDX-License-Identifier: MIT */
/*
 * inject.h - has a thread of another process call functions, and leaves no mark.
 *
 * The thread is stopped (PTRACE_SEIZE: no signal is sent), sent through code and a
 * stack of its own with its signals held back, and put back with all its
 * registers, its signal mask and errno; what the kernel interrupted for it goes
 * on as if nothing had been: no system call returns EINTR.
 *
 * Invariants
 *   I1  between inject_begin and inject_end one thread is ours; all others run, but
 *       while they are held (inject_hold.h).
 *   I2  that thread holds no lock of libc or of the dynamic loader: it stands in code
 *       of the program's or in a function of libc that was called from there and is
 *       none of those that take such locks.
 *   I3  a call that may hold a lock is never abandoned. So with INJECT_MAY_LOAD the locks are tried first, by calls
 *       that hold none for longer than themselves (inject_probe): these are taken back while they wait, and only if they
 *       still wait with all other threads held.
 *   I4  a thread that was changed is not left before its registers and its mask are what they were. A thread that gets
 *       no processor is waited for: time that it does not run says nothing.
 *
 * Context: one thread of the caller's, for that is the tracer. It should end soon (inject_tracer.h): a
 * thread of the process that could not be stopped is let go by that.
 */
#ifndef SPOOR_TOOLS_INJECT_H
#define SPOOR_TOOLS_INJECT_H

#include "attach/target.h"

struct inject;

/* CLOCK_MONOTONIC. */
int64_t inject_now_ns(void);

enum inject_care {
	INJECT_PLAIN,		/* what is called takes no lock of libc's or the loader's */
	INJECT_MAY_LOAD,	/* ... takes any of them, dlopen itself */
};

/*
 * inject_begin - stops a thread that stands in a safe place.
 * @patience_ns: how long one is looked for, but all threads are looked at some times
 *
 * Return: 0, or
 *   -EAGAIN  no thread came to a safe place in that time
 *   -EINTR   the user has interrupted the wait (inject_notice.h)
 *   -ESRCH   the process has ended
 *   -EPERM   it may not be attached to
 *   -ENOMEM, -EACCES  it may not have memory, or not executable memory
 */
int inject_begin(struct inject **inject, const struct target *target, enum inject_care care, int64_t patience_ns);

/* A thread of it that has not ended, the first one if that is so; 0: a process that nobody has waited for yet is
 * there, and does not run. */
pid_t inject_running_thread(pid_t pid);

/*
 * inject_each_thread - visits all threads of a process that are in these states, letters of
 * /proc/PID/stat, until a visit returns anything but -EAGAIN.
 * Return: that, or -EAGAIN, or -ESRCH.
 */
int inject_each_thread(pid_t pid, const char *states, int (*visit)(void *context, pid_t thread), void *context);

/* Puts it back and lets it go; takes null. */
void inject_end(struct inject *inject);

/*
 * inject_run - calls a function in that thread.
 * @function: its address in the process
 * @result:   may be null
 *
 * It is waited for until it returns, however long that takes: what it has locked would stay locked. Some seconds on
 * the user reads what is waited for (inject_notice.h).
 *
 * Return: 0, -EFAULT where it crashed (nothing of that reaches the program), or -ESRCH.
 */
int inject_run(struct inject *inject, uint64_t function, const uint64_t *arguments, unsigned int count, uint64_t *result);

/*
 * inject_probe - as inject_run, for a function that takes locks, holds none for longer than it needs, and waits for
 * nothing else.
 *
 * Return: also -ETIMEDOUT if it waits for a lock: then the thread has left the function, without a lock.
 */
int inject_probe(struct inject *inject, uint64_t function, const uint64_t *arguments, unsigned int count, uint64_t *result);

/*
 * inject_wait_outside - waits until no thread has a frame in an image of the process.
 * @patience_ns: but all threads are looked at some times
 * Return: 0, -EAGAIN where one had at every look, or as inject_begin.
 */
int inject_wait_outside(const struct target *target, const struct target_image *image, int64_t patience_ns);

/* Memory of the process for arguments, gone with inject_end. */
#define INJECT_ROOM_BYTES 65536u
uint64_t inject_room(const struct inject *inject);
int inject_write(struct inject *inject, uint64_t address, const void *bytes, size_t size);

/*
 * inject_call - all of it for one function that takes no locks.
 * Return: 0 or a negative errno, as the above; nothing has been said but why a
 * process cannot be attached to.
 */
int inject_call(pid_t pid, uint64_t function, const uint64_t *arguments, unsigned int count, uint64_t *result);

#endif
