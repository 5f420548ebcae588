/* SPDX-License-Identifier: MIT */
/* inject_undertaker.c - reaps our stopped threads that an execve(2) ends. */
#include "attach/inject/inject_undertaker.h"

#include <stdlib.h>
#include <time.h>

#include "attach/inject/inject_hold.h"
#include "attach/inject/inject_thread.h"

#define PAUSE_NS 1000000

struct inject_undertaker {
	struct inject *inject;
	pthread_t thread;
	pthread_mutex_t lock;
	unsigned int begun;	/* number of begins without an end */
	bool ends;
};

static void *reap_threads(void *argument)
{
	struct inject_undertaker *undertaker = argument;

	while (!__atomic_load_n(&undertaker->ends, __ATOMIC_RELAXED)) {
		pthread_mutex_lock(&undertaker->lock);
		inject_reap(undertaker->inject->at.thread);
		inject_hold_reap(undertaker->inject);
		pthread_mutex_unlock(&undertaker->lock);
		nanosleep(&(struct timespec){ 0, PAUSE_NS }, NULL);
	}
	return NULL;
}

void inject_undertaker_begin(struct inject *inject)
{
	struct inject_undertaker *undertaker = inject->undertaker;

	if (undertaker) {
		undertaker->begun++;
		return;
	}
	undertaker = calloc(1, sizeof(*undertaker));
	if (!undertaker)
		return;
	undertaker->inject = inject;
	undertaker->begun = 1;
	pthread_mutex_init(&undertaker->lock, NULL);
	if (pthread_create(&undertaker->thread, NULL, reap_threads, undertaker) != 0) {
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

	if (!undertaker || --undertaker->begun)
		return;
	inject->undertaker = NULL;
	__atomic_store_n(&undertaker->ends, true, __ATOMIC_RELAXED);
	pthread_join(undertaker->thread, NULL);
	free(undertaker);
}
