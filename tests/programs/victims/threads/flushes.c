/* SPDX-License-Identifier: MIT */
/*
 * flushes.c - stops the recorder, which is its parent, and kills it while one thread waits for a flush and
 * another thread waits to request one. Both requests, and a later one, get an error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spoor.h"
#include "../common/work.h"

#pragma weak spoor_flush

TRACED void leaf(void)
{
	KEEP;
}

UNTRACED static void *flush(void *unused)
{
	(void)unused;
	return (void *)strerrorname_np(-spoor_flush(-1));
}

/* Waits until all threads of the process are stopped, because they may finish their present work first. */
UNTRACED static void stop(pid_t process)
{
	char path[64], state = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)process);
	kill(process, SIGSTOP);
	while (state != 'T') {
		FILE *file = fopen(path, "r");

		if (!file || fscanf(file, "%*d %*s %c", &state) != 1)
			abort();
		fclose(file);
		usleep(1000);
	}
}

int main(void)
{
	pid_t recorder = getppid();
	pthread_t threads[2];
	void *results[2];

	leaf();
	printf("before %d\n", spoor_flush(-1));
	stop(recorder);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, flush, NULL);
	usleep(300000);
	kill(recorder, SIGKILL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], &results[i]);
	/* Later events are dropped without harm. */
	for (int i = 0; i < 20000000; i++)
		leaf();
	printf("while %s %s\n", (char *)results[0], (char *)results[1]);
	printf("after %s\n", (char *)flush(NULL));
	return 3;
}
