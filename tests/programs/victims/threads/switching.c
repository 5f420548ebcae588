/* SPDX-License-Identifier: MIT */
/*
 * switching.c - three threads switch functions on and off for $1 milliseconds, each in
 * a different way, while four others call them. Then all functions are switched on and
 * each of the four makes 1000 more calls in marked(), which must all be recorded. Then
 * all are switched off and they make as many calls that must not be recorded.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "spoor.h"
#include "../common/work.h"

#pragma weak spoor_enable
#pragma weak spoor_disable
#pragma weak spoor_functions_enable
#pragma weak spoor_functions_disable

int loaded_calls(int times);

static volatile int stop;
static pthread_barrier_t barrier;
static int64_t end_ns;
static long switched;

TRACED uint64_t one(uint64_t value)
{
	KEEP;
	return value * 3 + 1;
}

TRACED uint64_t two(uint64_t value)
{
	KEEP;
	return one(value) ^ 5;
}

/* Ends with a tail call. */
TRACED uint64_t three(uint64_t value)
{
	KEEP;
	return two(value + 1);
}

TRACED void marked(void)
{
	KEEP;
}

TRACED void unmarked(void)
{
	KEEP;
}

UNTRACED static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

UNTRACED static void *runs(void *unused)
{
	uint64_t value = 1, expected = 1;

	for (long turn = 1; !stop; turn++) {
		/* Keeps the trace small. */
		if (turn % 100 == 0)
			usleep(1);
		value = three(value);
		expected = ((expected + 1) * 3 + 1) ^ 5;
		if (value != expected || loaded_calls(3) != 3)
			abort();
	}
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 1000; i++)
		marked();
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 1000; i++)
		unmarked();
	return unused;
}

UNTRACED static void *switches(void *way)
{
	static const char *const names[] = { "one", "t*", "loaded_*", "*", "-two", "three,two" };
	unsigned int number = (unsigned int)(intptr_t)way, random = number + 1;

	while (now_ns() < end_ns) {
		long changed;

		random = random * 1664525 + 1013904223;
		if (number == 0)
			changed = random & 0x10000 ? spoor_enable() : spoor_disable();
		else if (random & 0x10000)
			changed = spoor_functions_enable(random & 0x20000 ? "switching" : NULL, names[(random >> 20) % 6]);
		else
			changed = spoor_functions_disable(random & 0x20000 ? "lib*" : NULL, names[(random >> 20) % 6]);
		if (changed < 0)
			abort();
		__atomic_fetch_add(&switched, changed, __ATOMIC_RELAXED);
	}
	return NULL;
}

UNTRACED int main(int argc, char **argv)
{
	pthread_t runners[4], switchers[3];

	if (argc < 2 || !spoor_functions_enable)
		return 2;
	end_ns = now_ns() + (int64_t)atoi(argv[1]) * 1000000;
	pthread_barrier_init(&barrier, NULL, 5);
	for (int i = 0; i < 4; i++)
		pthread_create(&runners[i], NULL, runs, NULL);
	for (intptr_t i = 0; i < 3; i++)
		pthread_create(&switchers[i], NULL, switches, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(switchers[i], NULL);
	stop = 1;
	pthread_barrier_wait(&barrier);
	spoor_enable();
	spoor_functions_enable(NULL, NULL);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	spoor_disable();
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 4; i++)
		pthread_join(runners[i], NULL);
	printf("switched %ld\n", switched);
	return 0;
}
