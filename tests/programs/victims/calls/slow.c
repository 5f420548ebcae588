/* SPDX-License-Identifier: MIT */
/*
 * slow.c - calls step() all the time in $3 threads, and once in a while one that takes long.
 *
 * $1: how many calls of request(), each with 1000 calls of step() in it
 * $2: how many of them take 60 ms more: the last ones of each quarter; "hang": the last one
 *     never ends
 * $4, if there: waits for a line before it begins
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

/* Takes its time: it computes, for as long as it takes. */
TRACED void compute(long ms)
{
	struct timespec begin, now;
	long rounds = 0;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		/* Seldom enough for a ring to have the beginning still. */
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
		/* For whoever looks, on a machine that has much else to do. */
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
