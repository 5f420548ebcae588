/* SPDX-License-Identifier: MIT */
/* signal_guard.c - blocks what a system call of ours would raise, and takes it back. */
#define _GNU_SOURCE
#include "base/signal_guard.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

static const int raised[] = { SIGPIPE, SIGXFSZ, SIGTTOU };
#define COUNT (sizeof(raised) / sizeof(raised[0]))

void spoor_signal_guard_begin(struct spoor_signal_guard *quiet)
{
	sigset_t ours;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &quiet->cancel_state);
	sigemptyset(&ours);
	for (unsigned int i = 0; i < COUNT; i++)
		sigaddset(&ours, raised[i]);
	sigpending(&quiet->pending);
	pthread_sigmask(SIG_BLOCK, &ours, &quiet->before);
}

void spoor_signal_guard_end(const struct spoor_signal_guard *quiet)
{
	const struct timespec now = { 0 };
	int saved = errno;
	sigset_t ours;

	for (unsigned int i = 0; i < COUNT; i++) {
		if (sigismember(&quiet->pending, raised[i]) == 1)
			continue;
		sigemptyset(&ours);
		sigaddset(&ours, raised[i]);
		sigtimedwait(&ours, NULL, &now);
	}
	pthread_sigmask(SIG_SETMASK, &quiet->before, NULL);
	pthread_setcancelstate(quiet->cancel_state, NULL);
	errno = saved;
}
