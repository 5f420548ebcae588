/* SPDX-License-Identifier: MIT */
/*
 * signal_guard.h - system calls that may fail without a signal to the program: SIGPIPE
 * for a message that nobody reads, SIGXFSZ for a file that may not grow. Both
 * end a program that never reckoned with them; SIGTTOU stops one that runs in the
 * background of a terminal. Nor is the thread cancelled in one.
 */
#ifndef SPOOR_QUIET_H
#define SPOOR_QUIET_H

#include <signal.h>

struct spoor_signal_guard {
	sigset_t before;	/* the thread's mask */
	sigset_t pending;	/* what had come already, and is the program's */
	int cancel_state;
};

/*
 * spoor_signal_guard_begin, spoor_signal_guard_end - around such calls, in one thread. May nest.
 * errno is kept by the latter.
 */
void spoor_signal_guard_begin(struct spoor_signal_guard *quiet);
void spoor_signal_guard_end(const struct spoor_signal_guard *quiet);

#endif
