/* SPDX-License-Identifier: MIT */
/*
 * deinitialise.c - a program without sleds that deinitialises the runtime and initialises it again.
 *
 *   busy N    N times, while three threads log without a pause and others start and end,
 *             with a flush or a clear in every second turn. Prints how many events were accepted.
 *   left N    N times: 20 threads log 50 events each, and end before the runtime does
 *   stays N   N times: a thread logs 50 events and lives on, to log and end before
 *             the runtime is initialised again
 *   fork N    N children log 50 events, deinitialise the runtime, initialise it, and log 50 more
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spoor.h"

#define TYPE 0x80000100u

static volatile bool over;
static long taken;
static pthread_barrier_t barrier;

static void check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "deinitialise: %s\n", what);
	exit(1);
}

/* Returns how many events were accepted: stored, or counted as lost. */
static long log_some(int count)
{
	long these = 0;

	for (int i = 0; i < count; i++) {
		int error = spoor_log_event(TYPE, (uint64_t)i, 0);

		check(error == 0 || error == -ESHUTDOWN || error == -ENOBUFS, "spoor_log_event failed");
		these += error != -ESHUTDOWN;
	}
	__atomic_fetch_add(&taken, these, __ATOMIC_RELAXED);
	return these;
}

static void *logs(void *unused)
{
	while (!over) {
		/* Keeps the trace small. */
		log_some(100);
		usleep(10);
	}
	return unused;
}

static void *logs_50(void *unused)
{
	log_some(50);
	return unused;
}

static void *comes_and_goes(void *unused)
{
	pthread_t thread;

	while (!over) {
		check(pthread_create(&thread, NULL, logs_50, NULL) == 0, "no thread");
		pthread_join(thread, NULL);
	}
	return unused;
}

static void begin(void)
{
	check(spoor_initialize() == 0 && spoor_enable() == 0, "spoor_initialize or spoor_enable failed");
	check(spoor_is_initialized(), "spoor_is_initialized is false after spoor_initialize");
}

static void end(void)
{
	check(spoor_deinitialize() == 0, "spoor_deinitialize failed");
	check(!spoor_is_initialized(), "spoor_is_initialized is true after spoor_deinitialize");
}

static void busy(int times)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, i < 3 ? logs : comes_and_goes, NULL);
	for (int i = 0; i < times; i++) {
		begin();
		usleep(500);
		if (i % 4 == 1)
			check(spoor_flush(-1) == 0, "spoor_flush failed");
		if (i % 4 == 3)
			check(spoor_clear() == 0, "spoor_clear failed");
		end();
	}
	over = true;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	begin();
	printf("taken %ld\n", taken);
}

static void left(int times)
{
	pthread_t threads[20];

	for (int i = 0; i < times; i++) {
		begin();
		for (int j = 0; j < 20; j++)
			check(pthread_create(&threads[j], NULL, logs_50, NULL) == 0, "no thread");
		for (int j = 0; j < 20; j++)
			pthread_join(threads[j], NULL);
		end();
	}
}

static void *lives_on(void *unused)
{
	log_some(50);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	check(log_some(50) == 0, "an event was accepted after spoor_deinitialize");
	return unused;
}

static void stays(int times)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	for (int i = 0; i < times; i++) {
		begin();
		pthread_create(&thread, NULL, lives_on, NULL);
		pthread_barrier_wait(&barrier);
		end();
		pthread_barrier_wait(&barrier);
		pthread_join(thread, NULL);
	}
}

static void forks(int times)
{
	begin();
	log_some(50);
	for (int i = 0; i < times; i++) {
		int status;

		if (fork() == 0) {
			log_some(50);
			end();
			begin();
			log_some(50);
			end();
			exit(0);
		}
		check(wait(&status) > 0 && status == 0, "a child did not exit with 0");
	}
	end();
}

int main(int argc, char **argv)
{
	int times = argc > 2 ? atoi(argv[2]) : 1;

	if (argc < 2)
		return 2;
	if (strcmp(argv[1], "busy") == 0)
		busy(times);
	else if (strcmp(argv[1], "left") == 0)
		left(times);
	else if (strcmp(argv[1], "stays") == 0)
		stays(times);
	else if (strcmp(argv[1], "fork") == 0)
		forks(times);
	return 0;
}
