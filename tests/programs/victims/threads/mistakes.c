/* SPDX-License-Identifier: MIT */
/*
 * mistakes.c - makes a mistake that a sanitizer finds: "heap", "race", "overflow", or none.
 */
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/work.h"

static int shared;
/* Relaxed, because it only says whose turn it is and must not order accesses. */
static atomic_int raced;

TRACED void leaf(void)
{
	KEEP;
}

/* The threads run one after the other while both exist, because a sanitizer can miss accesses at the same moment. */
TRACED void *race(void *place)
{
	leaf();
	while (atomic_load_explicit(&raced, memory_order_relaxed) != *(int *)place)
		sched_yield();
	shared++;
	atomic_fetch_add_explicit(&raced, 1, memory_order_relaxed);
	while (atomic_load_explicit(&raced, memory_order_relaxed) != 2)
		sched_yield();
	return NULL;
}

TRACED int overflow(int value)
{
	leaf();
	return value + 1;
}

TRACED char beyond(volatile char *bytes, int at)
{
	leaf();
	return bytes[at];
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	char *bytes = calloc(1, 10);
	pthread_t threads[2];
	int places[2] = {0, 1};
	int result = 3;

	for (int i = 0; i < 1000; i++)
		leaf();
	if (strcmp(what, "race") == 0) {
		for (int i = 0; i < 2; i++)
			pthread_create(&threads[i], NULL, race, &places[i]);
		for (int i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
	} else if (strcmp(what, "overflow") == 0) {
		result = overflow(INT_MAX) == INT_MIN ? 4 : 5;
	} else if (strcmp(what, "heap") == 0) {
		result = beyond(bytes, 10) ? 6 : 7;
	}
	free(bytes);
	puts("done");
	return result;
}
