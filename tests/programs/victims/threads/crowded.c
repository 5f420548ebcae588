/* SPDX-License-Identifier: MIT */
/*
 * crowded.c - $1 threads make one call each and stay until the end. Then another thread makes $2
 * calls, and sleeps for a millisecond after each $3 calls if there is a third argument. Its name is
 * "busy", the name of the others is "idle".
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../common/work.h"

static pthread_barrier_t barrier;
static long calls, pause_after;

TRACED void leaf(void)
{
	KEEP;
}

TRACED void in_busy(void)
{
	KEEP;
}

UNTRACED static void *idle(void *unused)
{
	pthread_setname_np(pthread_self(), "idle");
	leaf();
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return unused;
}

UNTRACED static void *busy(void *unused)
{
	pthread_setname_np(pthread_self(), "busy");
	for (long i = 1; i <= calls; i++) {
		in_busy();
		if (pause_after && i % pause_after == 0)
			usleep(1000);
	}
	return unused;
}

UNTRACED int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 10;
	pthread_attr_t small;
	pthread_t thread;

	calls = argc > 2 ? atol(argv[2]) : 1000;
	pause_after = argc > 3 ? atol(argv[3]) : 0;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	pthread_barrier_init(&barrier, NULL, (unsigned int)threads + 1);
	for (int i = 0; i < threads; i++) {
		if (pthread_create(&thread, &small, idle, NULL) != 0)
			return 1;
	}
	pthread_barrier_wait(&barrier);
	pthread_create(&thread, NULL, busy, NULL);
	pthread_join(thread, NULL);
	return 0;
}
