/* SPDX-License-Identifier: MIT */
/*
 * mistakes.c - makes one that a sanitizer finds: "heap", "race", "overflow", or none.
 */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

static int shared;

TRACED void leaf(void)
{
	KEEP;
}

TRACED void *race(void *unused)
{
	(void)unused;
	leaf();
	shared++;
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
	int result = 3;

	for (int i = 0; i < 1000; i++)
		leaf();
	if (strcmp(what, "race") == 0) {
		for (int i = 0; i < 2; i++)
			pthread_create(&threads[i], NULL, race, NULL);
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
