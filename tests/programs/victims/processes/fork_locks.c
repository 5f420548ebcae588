/* SPDX-License-Identifier: MIT */
/* fork_locks.c - a library that holds its lock while the process forks, as malloc does. */
#include <pthread.h>
#include <unistd.h>

#include "../common/work.h"

void with_lock(void (*what)(void));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void before(void)
{
	pthread_mutex_lock(&lock);
}

static void after(void)
{
	pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void begin(void)
{
	pthread_atfork(before, after, after);
}

void with_lock(void (*what)(void))
{
	pthread_mutex_lock(&lock);
	usleep(50);
	what();
	pthread_mutex_unlock(&lock);
	/* A lock is not fair: without a pause a thread that waits in fork might wait for ever. */
	usleep(50);
}
