/* SPDX-License-Identifier: MIT */
/*
 * threads.c - starts threads that make calls.
 *
 *   many N K    N threads at the same time, named "worker-<n>", K calls each; every
 *               second one is cancelled or leaves by pthread_exit
 *   short N     N threads, eight at a time, three calls each and two more at the end
 *               of the thread, in a destructor of thread-specific data; every third
 *               is detached. Prints how many KiB memory grew between the
 *               first tenth and the end.
 *   idle N      N threads with one call each, which all exist at the end. Prints how many
 *               KiB each of them takes.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/work.h"

static pthread_barrier_t barrier;
static pthread_key_t key;
static long calls_each;
static int ended;	/* threads whose destructor has made its calls */

TRACED void leaf(void)
{
	KEEP;
}

TRACED void at_end(void)
{
	leaf();
}

UNTRACED static void destroy(void *unused)
{
	(void)unused;
	at_end();
	__atomic_fetch_add(&ended, 1, __ATOMIC_RELEASE);
}

UNTRACED static void *worker(void *argument)
{
	intptr_t number = (intptr_t)argument;
	char name[16];

	snprintf(name, sizeof(name), "worker-%d", (int)number);
	pthread_setname_np(pthread_self(), name);
	pthread_barrier_wait(&barrier);
	for (long i = 0; i < calls_each; i++)
		leaf();
	if (number % 2)
		return NULL;
	if (number % 4)
		pthread_exit(NULL);
	pthread_cancel(pthread_self());
	for (;;)
		pthread_testcancel();
}

UNTRACED static void *brief(void *unused)
{
	pthread_setspecific(key, &key);
	for (int i = 0; i < 3; i++)
		leaf();
	return unused;
}

UNTRACED static void *idler(void *argument)
{
	leaf();
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return argument;
}

static long shared_kib;

UNTRACED static long resident_kib(void)
{
	long resident;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%*d %ld %ld", &resident, &shared_kib) != 2)
		exit(1);
	fclose(file);
	shared_kib *= 4;
	return resident * 4;
}

/* Excludes the memory of files and shared memory, because the pool is both. */
UNTRACED static long private_kib(void)
{
	long resident = resident_kib();

	return resident - shared_kib;
}

UNTRACED static void many(int count)
{
	pthread_t *threads = calloc((size_t)count, sizeof(*threads));

	pthread_barrier_init(&barrier, NULL, (unsigned int)count);
	for (intptr_t i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, worker, (void *)i);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

UNTRACED static void many_short(int count)
{
	pthread_attr_t detached;
	long before = 0;

	pthread_key_create(&key, destroy);
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	for (intptr_t i = 0; i < count;) {
		pthread_t threads[8];
		int joined = 0;

		for (int j = 0; j < 8 && i < count; j++, i++) {
			int error = pthread_create(&threads[joined], i % 3 ? NULL : &detached, brief, NULL);

			if (error)
				exit(1);
			joined += i % 3 != 0;
		}
		while (joined)
			pthread_join(threads[--joined], NULL);
		while (__atomic_load_n(&ended, __ATOMIC_ACQUIRE) < i)
			usleep(10);
		if (i >= count / 10 && !before)
			before = private_kib();
	}
	/* The last detached threads give back their stacks. */
	usleep(300000);
	printf("grew %ld\n", private_kib() - before);
}

UNTRACED static void idle(int count)
{
	pthread_attr_t small;
	pthread_t thread;
	long before;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	pthread_barrier_init(&barrier, NULL, (unsigned int)count + 1);
	leaf();
	before = resident_kib();
	for (int i = 0; i < count; i++) {
		if (pthread_create(&thread, &small, idler, NULL) != 0)
			exit(1);
	}
	pthread_barrier_wait(&barrier);
	printf("each %ld\n", (resident_kib() - before) / count);
}

UNTRACED int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[2]) : 8;

	calls_each = argc > 3 ? atol(argv[3]) : 1000;
	if (argc > 1 && strcmp(argv[1], "many") == 0)
		many(count);
	else if (argc > 1 && strcmp(argv[1], "short") == 0)
		many_short(count);
	else if (argc > 1 && strcmp(argv[1], "idle") == 0)
		idle(count);
	else
		return 2;
	return 0;
}
