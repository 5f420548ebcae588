/* SPDX-License-Identifier: MIT */
/* inject_thread.h - stopped threads; internal to inject_*.c. */
#ifndef SPOOR_TOOLS_INJECT_THREAD_H
#define SPOOR_TOOLS_INJECT_THREAD_H

#include <signal.h>

#include "attach/inject/inject.h"
#include "attach/inject/inject_registers.h"
#include "attach/target.h"

#define NO_DEADLINE INT64_MAX
#define SYSTEM_CALL_STOP (SIGTRAP | 0x80)

struct inject_hold;
struct inject_undertaker;

/* A thread that we stop. */
struct inject_thread {
	pid_t pid, thread;
	bool stopped;
	bool changed;		/* it runs injected code, and must be restored before it is released */
	int signal;		/* the signal to continue with, or 0 */
	bool stop_wanted;	/* another process has sent SIGSTOP since */
};

/* The borrowed thread. */
struct inject {
	struct inject_thread at;
	sigset_t signals;		/* our thread's former mask; all signals are blocked until the end */
	struct inject_hold *hold;	/* the held threads, or null */
	struct inject_undertaker *undertaker;
	struct inject_registers saved;
	uint64_t mask;
	/* Addresses in the process: */
	uint64_t system_call;	/* a system call instruction */
	uint64_t code, memory;	/* 0: not mapped */
	uint64_t errno_at;
	int errno_was;
};

/*
 * inject_catch - attaches to a thread of @at->pid and stops it, also if the thread gets no processor for long. An
 * interrupted system call of the thread continues afterwards.
 *
 * Returns 0, -EAGAIN if the thread has ended or has another tracer, -EINTR if the user interrupted the wait (the
 * kernel releases the thread when ours ends: inject_tracer.h), or another negative errno, which ends all attempts.
 */
int inject_catch(struct inject_thread *at, pid_t thread);

/* inject_seize - the first half of inject_catch: attaches to the thread and requests a stop. */
int inject_seize(struct inject_thread *at, pid_t thread);

/* inject_caught - the second half. Returns like inject_catch, or -ETIMEDOUT if the thread has not stopped at
 * @deadline_ns. */
int inject_caught(struct inject_thread *at, int64_t deadline_ns);

/* Waits until a thread with a requested stop stops, and releases it. */
void inject_give_up(struct inject_thread *at);

/*
 * inject_stop - stops the running thread where the kernel handles signals; only there the kernel also handles
 * interrupted system calls. Works from a stop in a system call, too.
 * @asked: PTRACE_INTERRUPT was called already
 *
 * Returns 0, -ETIMEDOUT or -ESRCH; with NO_DEADLINE and an unchanged thread, also -EINTR.
 */
int inject_stop(struct inject_thread *at, bool asked, int64_t deadline_ns);

/* inject_resume - continues the thread by @how, such as PTRACE_CONT, with a signal or 0. */
int inject_resume(struct inject_thread *at, int how, int signal_number);

/* Waits until the thread stops. Returns 0, -ETIMEDOUT, or -ESRCH if the thread has ended. */
int inject_wait_stop(struct inject_thread *at, int64_t deadline_ns, int *status);

/* inject_reap - reaps a thread that has ended, unless it is our child. Returns whether the thread may still end. */
bool inject_reap(pid_t thread);

/* inject_let_go - detaches from a stopped thread. */
void inject_let_go(struct inject_thread *at);

/* Returns whether the thread exists. */
bool inject_thread_exists(pid_t pid, pid_t thread);

/* Returns the thread's state, a letter of /proc/PID/stat; 0 if it cannot be read. @user_ns: receives its user time;
 * may be null */
char inject_thread_times(pid_t pid, pid_t thread, int64_t *user_ns);
char inject_thread_state(pid_t pid, pid_t thread);

/* inject_system_call_in - makes a system call in the thread. Returns 0 with the result, or a negative errno. */
int inject_system_call_in(struct inject *inject, long number, const uint64_t *arguments, unsigned int count, int64_t *result);

/* Returns the pending signals of a thread, blocked ones included, as the kernel's mask. */
uint64_t inject_pending_signals(pid_t thread);

/* Signals of faults, which the thread's own instruction raises. */
#define INJECT_FAULTS (1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) | 1ull << (SIGILL - 1) | 1ull << (SIGFPE - 1) | \
		       1ull << (SIGTRAP - 1) | 1ull << (SIGSYS - 1))

/* Takes over a thread that is stopped and saved. */
int inject_take(struct inject *inject, const struct target *target);

/* Checks that the locks that the next calls need are free. Returns -ETIMEDOUT if a lock stays held. */
int inject_try_locks(struct inject *inject, const struct target *target);

/* Restores the thread's registers, mask and memory. */
void inject_put_back(struct inject *inject);

#endif
