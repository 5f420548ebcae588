/* SPDX-License-Identifier: MIT */
/*
 * inject_notice.h - tells the user what a long wait for another process waits for, and how an interrupt ends it.
 *
 * A process may get a processor once a second, or be frozen: such a wait has no limit that is right. The calling
 * thread has all signals blocked (inject_tracer.h); SIGINT, SIGQUIT, SIGTERM and SIGHUP stay pending, and the
 * waits look for them.
 */
#ifndef SPOOR_TOOLS_INJECT_NOTICE_H
#define SPOOR_TOOLS_INJECT_NOTICE_H

#include <stdbool.h>
#include <sys/types.h>

/* What an interrupt may do. */
enum inject_purpose {
	INJECT_CHANGE,		/* it takes the change back, from one second on */
	INJECT_RESTORE,		/* it leaves the process changed, so only one that comes after the notice counts */
};

/* inject_notice_begin - an operation of the calling thread begins: its time counts from here. */
void inject_notice_begin(enum inject_purpose purpose);

/* inject_notice_restore - the rest of the operation restores the process. */
void inject_notice_restore(void);

/* What is waited for. */
enum inject_wait {
	INJECT_WAIT_STOP,	/* that a thread stops, which runs its own code */
	INJECT_WAIT_PUT_BACK,	/* that it stops, after it has run ours */
	INJECT_WAIT_CALL,	/* that it returns from a function that we have called */
	INJECT_WAIT_PLACE,	/* that any thread comes to a place where it may be taken */
	INJECT_WAIT_OUTSIDE,	/* that no thread is in the library any more */
	INJECT_WAIT_TRACER,	/* that another tracer detaches */
	INJECT_WAIT_ANSWER,	/* that it answers a request */
};

/* inject_notice - prints one line if the operation has taken some seconds. @thread: the one that is waited for, or 0 */
void inject_notice(pid_t pid, pid_t thread, enum inject_wait what);

/* Whether the user wants the operation to end. False outside of an operation. */
bool inject_is_interrupted(void);

#endif
