/* SPDX-License-Identifier: MIT */
/* signal_guard.c - blocks the signals that spoor's system calls may raise, and discards them. */
#define _GNU_SOURCE
#include "base/signal_guard.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

static const int raised[] = { SIGPIPE, SIGXFSZ, SIGTTOU };
#define COUNT (sizeof(raised) / sizeof(raised[0]))

void spoor_signal_guard_begin(struct spoor_signal_guard *guard)
{
	sigset_t ours;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &guard->cancel_state);
	sigemptyset(&ours);
	for (unsigned int i = 0; i < COUNT; i++)
		sigaddset(&ours, raised[i]);
	sigpending(&guard->pending);
	pthread_sigmask(SIG_BLOCK, &ours, &guard->before);
}

void spoor_signal_guard_end(const struct spoor_signal_guard *guard)
{
	const struct timespec now = { 0 };
	int saved = errno;
	sigset_t ours;

	for (unsigned int i = 0; i < COUNT; i++) {
		if (sigismember(&guard->pending, raised[i]) == 1)
			continue;
		sigemptyset(&ours);
		sigaddset(&ours, raised[i]);
		sigtimedwait(&ours, NULL, &now);
	}
	pthread_sigmask(SIG_SETMASK, &guard->before, NULL);
	pthread_setcancelstate(guard->cancel_state, NULL);
	errno = saved;
}
