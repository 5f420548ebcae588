/* SPDX-License-Identifier: MIT */
/*
 * signal_guard.h - lets a system call of spoor fail without a signal to the program.
 *
 * SIGPIPE (a message without a reader) and SIGXFSZ (a file at its size limit) would kill a program
 * that does not handle them. SIGTTOU would stop a program in the background of a terminal. The guard
 * also keeps the thread from being cancelled in the system call.
 */
#ifndef SPOOR_SIGNAL_GUARD_H
#define SPOOR_SIGNAL_GUARD_H

#include <signal.h>

struct spoor_signal_guard {
	sigset_t before;	/* the thread's signal mask */
	sigset_t pending;	/* signals that were pending before, which belong to the program */
	int cancel_state;	/* the thread's, from pthread_setcancelstate */
};

/*
 * spoor_signal_guard_begin, spoor_signal_guard_end - enclose system calls in one thread. Guards may
 * nest. spoor_signal_guard_end preserves errno.
 */
void spoor_signal_guard_begin(struct spoor_signal_guard *guard);
void spoor_signal_guard_end(const struct spoor_signal_guard *guard);

#endif
