/* SPDX-License-Identifier: MIT */
/* inject_thread.h - stopped threads, for the inject_*.c alone. */
#ifndef SPOOR_TOOLS_INJECT_THREAD_H
#define SPOOR_TOOLS_INJECT_THREAD_H

#include <signal.h>

#include "attach/inject.h"
#include "attach/inject_registers.h"
#include "attach/target.h"

#define NO_DEADLINE INT64_MAX
#define SYSTEM_CALL_STOP (SIGTRAP | 0x80)

struct inject_hold;
struct inject_undertaker;

/* One that is ours to stop. */
struct inject_thread {
	pid_t pid, thread;
	bool stopped;
	bool changed;		/* it does not run its own code: it is not left before it is put back */
	int signal;		/* what it goes on with */
	bool stop_wanted;	/* somebody has sent SIGSTOP meanwhile */
};

/* One that calls for us. */
struct inject {
	struct inject_thread at;
	sigset_t signals;		/* ours, as they were: meanwhile none ends or stops us */
	struct inject_hold *hold;	/* all others, for as long as a call may take; or null */
	struct inject_undertaker *undertaker;
	struct inject_registers saved;
	uint64_t mask;
	/* In the process: */
	uint64_t system_call;	/* the instruction */
	uint64_t code, memory;	/* 0: not mapped */
	uint64_t errno_at;
	int errno_was;
};

/*
 * inject_catch - attaches to a thread of @at->pid and stops it, however long it gets no processor. A system call that
 * it was in continues afterwards as if the thread had not been stopped.
 *
 * Return: 0, -EAGAIN if the thread has ended or another tracer has it, -EINTR if the user has interrupted the wait (the
 * kernel lets go of the thread when ours ends: inject_tracer.h), or another negative errno, which ends all attempts.
 */
int inject_catch(struct inject_thread *at, pid_t thread);

/* inject_seize - the first half of inject_catch: attaches to the thread and asks it to stop. */
int inject_seize(struct inject_thread *at, pid_t thread);

/* inject_caught - the second half. Return: as inject_catch, or -ETIMEDOUT if it has not stopped until @deadline_ns. */
int inject_caught(struct inject_thread *at, int64_t deadline_ns);

/* Waits until a thread stops that was asked to, and lets it go: nobody else would. */
void inject_give_up(struct inject_thread *at);

/*
 * inject_stop - stops the running thread where the kernel looks at signals: there alone it
 * looks at interrupted system calls too. From a stop in a system call as well.
 * @asked: PTRACE_INTERRUPT was called already
 *
 * Return: 0, -ETIMEDOUT, -ESRCH; with NO_DEADLINE, of a thread that was not changed, also -EINTR.
 */
int inject_stop(struct inject_thread *at, bool asked, int64_t deadline_ns);

/* inject_resume - lets it go on, as PTRACE_CONT or @how, with a signal or 0. */
int inject_resume(struct inject_thread *at, int how, int signal_number);

/* Waits until it stops. Return: 0, -ETIMEDOUT, or -ESRCH where it is no more. */
int inject_wait_stop(struct inject_thread *at, int64_t deadline_ns, int *status);

/* inject_reap - waits for one that has ended, unless it is a child of ours. Return: whether it may yet end. */
bool inject_reap(pid_t thread);

/* inject_let_go - detaches from a stopped one. */
void inject_let_go(struct inject_thread *at);

/* Whether there is such a thread. */
bool inject_thread_exists(pid_t pid, pid_t thread);

/* Its state, a letter of /proc/PID/stat; 0 if it cannot be read. @user_ns: may be null; its time in user mode */
char inject_thread_times(pid_t pid, pid_t thread, int64_t *user_ns);
char inject_thread_state(pid_t pid, pid_t thread);

/* inject_system_call - makes one in the thread. Return: 0 with the result, or a negative errno. */
int inject_system_call_in(struct inject *inject, long number, const uint64_t *arguments, unsigned int count, int64_t *result);

/* Signals that are on their way to a thread, those that it blocks too: as the kernel's mask. */
uint64_t inject_pending_signals(pid_t thread);

/* Signals of faults: the thread's own instruction raises them. */
#define INJECT_FAULTS (1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) | 1ull << (SIGILL - 1) | 1ull << (SIGFPE - 1) | \
		       1ull << (SIGTRAP - 1) | 1ull << (SIGSYS - 1))

/* The thread is stopped and saved: makes it ours. */
int inject_take(struct inject *inject, const struct target *target);

/* Whether locks that the coming calls take can be had: -ETIMEDOUT where not. */
int inject_try_locks(struct inject *inject, const struct target *target);

/* All as it was. */
void inject_put_back(struct inject *inject);

#endif
