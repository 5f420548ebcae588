/* SPDX-License-Identifier: MIT */
/* inject_thread.h - stopped threads, for the inject_*.c alone. */
#ifndef SPOOR_TOOLS_INJECT_THREAD_H
#define SPOOR_TOOLS_INJECT_THREAD_H

#include <signal.h>

#include "attach/inject_registers.h"
#include "attach/target.h"

#define STOP_PATIENCE_NS 200000000
#define SYSTEM_CALL_STOP (SIGTRAP | 0x80)

struct inject_hold;
struct inject_undertaker;

/* One that is ours to stop. */
struct inject_thread {
	pid_t pid, thread;
	bool stopped;
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

int64_t inject_now_ns(void);

/*
 * inject_catch - attaches to a thread of @at->pid and stops it. A system call that it was in
 * goes on afterwards as if nothing had been.
 *
 * Return: 0, -EAGAIN where it is no more, -ETIMEDOUT where it is still to stop
 * (inject_give_up), or what ends all attempts.
 */
int inject_catch(struct inject_thread *at, pid_t thread);

/* Waits until a thread stops that was asked to, and lets it go: nobody else would. */
void inject_give_up(struct inject_thread *at);

/*
 * inject_stop - stops the running thread where the kernel looks at signals: there alone it
 * looks at interrupted system calls too. From a stop in a system call as well.
 */
int inject_stop(struct inject_thread *at, int64_t patience_ns);

/* inject_resume - lets it go on, as PTRACE_CONT or @how, with a signal or 0. */
int inject_resume(struct inject_thread *at, int how, int signal_number);

/* Waits until it stops. Return: 0, -ETIMEDOUT, or -ESRCH where it is no more. */
int inject_wait_stop(struct inject_thread *at, int64_t deadline_ns, int *status);

/* inject_reap - waits for one that has ended, unless it is a child of ours. Return: whether it may yet end. */
bool inject_reap(pid_t thread);

/* inject_let_go - detaches from a stopped one. */
void inject_let_go(struct inject_thread *at);

/*
 * inject_each_thread - visits all threads of a process that are in these states, letters of
 * /proc/PID/stat, until a visit returns anything but -EAGAIN.
 * Return: that, or -EAGAIN, or -ESRCH.
 */
int inject_each_thread(pid_t pid, const char *states, int (*visit)(void *context, pid_t thread), void *context);

/* Whether there is such a thread. */
bool inject_thread_exists(pid_t pid, pid_t thread);

/* The thread is stopped and saved: makes it ours. */
int inject_take(struct inject *inject, const struct target *target);

/* Whether locks that the coming calls take can be had: -ETIMEDOUT where not. */
int inject_try_locks(struct inject *inject, const struct target *target);

/* All as it was. */
void inject_put_back(struct inject *inject);

#endif
