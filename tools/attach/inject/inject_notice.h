/* SPDX-License-Identifier: MIT */
/*
 * inject_notice.h - prints what a long wait for another process waits for, and how an interrupt ends it.
 *
 * A process may get a processor once a second, or be frozen, so no time limit fits all waits. The calling thread
 * blocks all signals (inject_tracer.h); SIGINT, SIGQUIT, SIGTERM and SIGHUP stay pending, and the waits check for
 * them.
 */
#ifndef SPOOR_TOOLS_INJECT_NOTICE_H
#define SPOOR_TOOLS_INJECT_NOTICE_H

#include <stdbool.h>
#include <sys/types.h>

/* The effect of an interrupt. */
enum inject_purpose {
	INJECT_CHANGE,		/* undoes the change; accepted after one second */
	INJECT_RESTORE,		/* leaves the process changed; accepted only after the message */
};

/* inject_notice_begin - starts the time of an operation of the calling thread. */
void inject_notice_begin(enum inject_purpose purpose);

/* inject_notice_restore - the rest of the operation restores the process. */
void inject_notice_restore(void);

/* What the operation waits for. */
enum inject_wait {
	INJECT_WAIT_STOP,	/* a thread to stop, which runs its own code */
	INJECT_WAIT_PUT_BACK,	/* a thread to stop, after it ran our code */
	INJECT_WAIT_CALL,	/* a called function to return */
	INJECT_WAIT_PLACE,	/* any thread to reach a safe place */
	INJECT_WAIT_OUTSIDE,	/* all threads to leave the library */
	INJECT_WAIT_TRACER,	/* another tracer to detach */
	INJECT_WAIT_ANSWER,	/* the answer to a request */
};

/* inject_notice - prints one line if the operation has taken some seconds. @thread: the awaited thread, or 0 */
void inject_notice(pid_t pid, pid_t thread, enum inject_wait what);

/* Returns whether the user wants to end the operation. False outside of an operation. */
bool inject_is_interrupted(void);

#endif
