/* SPDX-License-Identifier: MIT */
/*
 * steered.c - a program that does what the lines of the file $1 say.
 *
 * Waits for each line, obeys it, and prints on stdout that it is done:
 *   calls N    step() and other(), N times each, in each of two threads
 *   handler    sets a handler for SIGUSR1 that prints "mine"
 *   set        spoor_set_handler with a handler that counts the events
 *   seen       prints the number of these events
 *   mode NAME  prints the results of spoor_mode_set and spoor_mode_get
 *   fork N     a child makes N calls and waits for a signal
 *   end        main returns
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/work.h"

static pthread_barrier_t begin, done;
static long count, seen;

TRACED void step(void)
{
	KEEP;
}

TRACED void other(void)
{
	KEEP;
}

UNTRACED static void work(void)
{
	for (long i = 0; i < count; i++) {
		step();
		other();
	}
}

UNTRACED static void handler(int number)
{
	(void)number;
	if (write(1, "mine\n", 5) != 5)
		_exit(4);
}

UNTRACED static void sees(uint64_t function_id, int event)
{
	(void)function_id, (void)event;
	__atomic_fetch_add(&seen, 1, __ATOMIC_RELAXED);
}

UNTRACED static void set_handler(void)
{
	int (*set)(void (*handler)(uint64_t, int), unsigned int flags);

	set = (__typeof__(set))dlsym(RTLD_DEFAULT, "spoor_set_handler");
	if (set(sees, 0) != 0)
		_exit(5);
}

/* Looks the function up, because the program is linked without libspoor.so. */
UNTRACED static void set_mode(const char *name)
{
	int (*set)(const char *);
	const char *(*get)(void);
	int error;

	set = (__typeof__(set))dlsym(RTLD_DEFAULT, "spoor_mode_set");
	get = (__typeof__(get))dlsym(RTLD_DEFAULT, "spoor_mode_get");
	error = set(name);
	printf("%s: %d, %s\n", name, error, get());
}

UNTRACED static void obey(const char *order)
{
	if (strcmp(order, "handler\n") == 0) {
		struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

		sigaction(SIGUSR1, &action, NULL);
	} else if (strcmp(order, "set\n") == 0) {
		set_handler();
	} else if (strcmp(order, "seen\n") == 0) {
		printf("seen %ld\n", seen);
	} else if (strncmp(order, "mode ", 5) == 0) {
		char name[32] = "";

		sscanf(order + 5, "%31s", name);
		set_mode(name);
	} else if (strncmp(order, "fork ", 5) == 0) {
		fflush(stdout);
		count = atol(order + 5);
		if (fork() == 0) {
			alarm(600);
			work();
			printf("child %d\n", getpid());
			fflush(stdout);
			for (;;)
				pause();
		}
	} else {
		count = atol(order + strlen("calls "));
		pthread_barrier_wait(&begin);
		work();
		pthread_barrier_wait(&done);
	}
}

UNTRACED static void *second(void *unused)
{
	for (;;) {
		pthread_barrier_wait(&begin);
		work();
		pthread_barrier_wait(&done);
	}
	return unused;
}

UNTRACED int main(int argc, char **argv)
{
	FILE *orders = argc > 1 ? fopen(argv[1], "r") : NULL;
	char line[64];
	pthread_t thread;

	if (!orders)
		return 1;
	pthread_barrier_init(&begin, NULL, 2);
	pthread_barrier_init(&done, NULL, 2);
	pthread_create(&thread, NULL, second, NULL);
	/* The file is a FIFO, so this waits for each line. */
	while (fgets(line, sizeof(line), orders)) {
		if (strcmp(line, "end\n") == 0)
			break;
		obey(line);
		puts("done");
		fflush(stdout);
	}
	return 0;
}
