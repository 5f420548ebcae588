/* SPDX-License-Identifier: MIT */
/*
 * logs_in_malloc.c - the first event occurs while the program holds malloc's lock, as in a
 * signal handler that interrupts malloc. Prints how many events it logged.
 *
 * With the argument "taken" the program holds the lock all the time.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spoor.h"

#define EVENTS 400000

extern void *__libc_calloc(size_t count, size_t size);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *calloc(size_t count, size_t size)
{
	void *memory;

	pthread_mutex_lock(&lock);
	memory = __libc_calloc(count, size);
	pthread_mutex_unlock(&lock);
	return memory;
}

/* With @flushes the pool never has more events than it holds. */
static void events(uint32_t number, bool flushes)
{
	for (uint32_t i = 0; i < number; i++) {
		spoor_log_event(0x80000100u, i, i);
		if (flushes && i % 10000 == 0)
			spoor_flush(-1);
	}
}

int main(int argc, char **argv)
{
	bool stays = argc > 1 && strcmp(argv[1], "taken") == 0;

	pthread_mutex_lock(&lock);
	events(1, false);
	if (!stays)
		pthread_mutex_unlock(&lock);
	events(EVENTS - 1, !stays);
	if (stays)
		pthread_mutex_unlock(&lock);
	printf("%d\n", EVENTS);
	return 0;
}
