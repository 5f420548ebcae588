/* SPDX-License-Identifier: MIT */
/*
 * steered.c - a program that is controlled from outside: it does what the file $1 says.
 *
 * Reads one line after the other, waiting for each, and says on stdout when it is done:
 *   calls N    step() and other(), N times each, in each of two threads
 *   end        main returns
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

static pthread_barrier_t begin, done;
static long count;

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
	/* A FIFO: each line is waited for. */
	while (fgets(line, sizeof(line), orders)) {
		if (strcmp(line, "end\n") == 0)
			break;
		count = atol(line + strlen("calls "));
		pthread_barrier_wait(&begin);
		work();
		pthread_barrier_wait(&done);
		puts("done");
		fflush(stdout);
	}
	return 0;
}
