/* SPDX-License-Identifier: MIT */
/*
 * slow.c - calls step() all the time in $3 threads, and sometimes a slow function.
 *
 * $1: number of calls of request(), each with 1000 calls of step()
 * $2: how many of them take 60 ms longer: the last ones of each quarter; "hang": the last
 *     call never ends
 * $4, optional: waits for a line of stdin before it begins
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../common/work.h"

static long turns, slow_ones;
static const char *how;
static volatile int over;

TRACED void step(void)
{
	KEEP;
}

/* Computes for @ms milliseconds. */
TRACED void compute(long ms)
{
	struct timespec begin, now;
	long rounds = 0;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		/* Rarely enough that a ring still has the begin of the slow call. */
		if (rounds++ % 1000 == 0)
			step();
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < ms);
	KEEP;
}

TRACED void hang(void)
{
	for (;;)
		pause();
	KEEP;
}

TRACED void request(long number, int is_slow)
{
	(void)number;
	for (int i = 0; i < 1000; i++)
		step();
	if (is_slow && strcmp(how, "hang") == 0)
		hang();
	if (is_slow)
		compute(60);
	KEEP;
}

UNTRACED static void *other(void *unused)
{
	while (!over) {
		for (int i = 0; i < 100; i++)
			step();
		usleep(1000);
	}
	return unused;
}

UNTRACED int main(int argc, char **argv)
{
	int threads = argc > 3 ? atoi(argv[3]) : 1;
	pthread_t thread;

	if (argc < 3)
		return 1;
	if (argc > 4)
		getchar();
	turns = atol(argv[1]);
	how = argv[2];
	slow_ones = strcmp(how, "hang") == 0 ? 1 : atol(how);
	for (int i = 1; i < threads; i++)
		pthread_create(&thread, NULL, other, NULL);
	for (long i = 1; i <= turns; i++) {
		int is_slow = slow_ones && i % (turns / slow_ones) == 0;

		request(i, is_slow);
		/* Gives a reader time to see the slow call, also on a busy machine. */
		if (is_slow)
			usleep(300000);
		else if (i % 10 == 0)
			usleep(1000);
	}
	over = 1;
	usleep(300000);
	puts("over");
	return 0;
}
