/* SPDX-License-Identifier: MIT */
/* inject_undertaker.c - waits for those of our stopped threads that an execve(2) ends. */
#include "inject_undertaker.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "inject_hold.h"
#include "inject_thread.h"

#define PAUSE_NS 1000000

struct inject_undertaker {
	struct inject *inject;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t over;
	bool ends;
};

static void *work(void *argument)
{
	struct inject_undertaker *undertaker = argument;
	struct timespec until;

	pthread_mutex_lock(&undertaker->lock);
	while (!undertaker->ends) {
		inject_reap(undertaker->inject->at.thread);
		inject_hold_reap(undertaker->inject);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += PAUSE_NS;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		pthread_cond_timedwait(&undertaker->over, &undertaker->lock, &until);
	}
	pthread_mutex_unlock(&undertaker->lock);
	return NULL;
}

void inject_undertaker_begin(struct inject *inject)
{
	struct inject_undertaker *undertaker = calloc(1, sizeof(*undertaker));

	if (!undertaker)
		return;
	undertaker->inject = inject;
	pthread_mutex_init(&undertaker->lock, NULL);
	pthread_cond_init(&undertaker->over, NULL);
	if (pthread_create(&undertaker->thread, NULL, work, undertaker) != 0) {
		free(undertaker);
		return;
	}
	inject->undertaker = undertaker;
}

void inject_undertaker_lock(struct inject *inject)
{
	if (inject->undertaker)
		pthread_mutex_lock(&inject->undertaker->lock);
}

void inject_undertaker_unlock(struct inject *inject)
{
	if (inject->undertaker)
		pthread_mutex_unlock(&inject->undertaker->lock);
}

void inject_undertaker_end(struct inject *inject)
{
	struct inject_undertaker *undertaker = inject->undertaker;

	if (!undertaker)
		return;
	inject->undertaker = NULL;
	pthread_mutex_lock(&undertaker->lock);
	undertaker->ends = true;
	pthread_cond_signal(&undertaker->over);
	pthread_mutex_unlock(&undertaker->lock);
	pthread_join(undertaker->thread, NULL);
	free(undertaker);
}
