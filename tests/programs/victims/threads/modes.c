/* SPDX-License-Identifier: MIT */
/*
 * modes.c - four threads call functions that count themselves, while a fifth thread changes the
 * mode $1 times among the modes in the other arguments, in turn or at random.
 *
 * Prints the functions' own counts, and how the mode was changed. At the end the mode is the
 * first one.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spoor.h"
#include "../common/work.h"

#define THREADS 4

static uint64_t outer_calls, middle_calls, inner_calls, round_calls;
static volatile int stop;
static volatile int going;

UNTRACED static void count(uint64_t *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

TRACED void inner(void)
{
	count(&inner_calls);
}

TRACED void middle(int times)
{
	count(&middle_calls);
	while (times-- > 0)
		inner();
	KEEP;
}

TRACED int last(int number)
{
	count(&round_calls);
	return number + 1;
}

/* Leaves by a jump. */
TRACED int outer(int number)
{
	count(&outer_calls);
	middle(number % 5);
	middle(1);
	__attribute__((musttail)) return last(number);
}

UNTRACED static void *run(void *unused)
{
	unsigned int seed = (unsigned int)(uintptr_t)&unused;

	__atomic_fetch_add(&going, 1, __ATOMIC_RELAXED);
	for (int i = 0; !stop; i++) {
		outer((int)(rand_r(&seed) % 100));
		/* Slow enough for the drainer. */
		if (i % 8 == 0)
			usleep(20);
	}
	return NULL;
}

static long changes;
static char **modes;
static int mode_count, failures;

UNTRACED static void *change(void *unused)
{
	unsigned int seed = 1;

	while (going < THREADS)
		usleep(100);
	for (long i = 0; i < changes; i++) {
		const char *mode = modes[mode_count == 2 ? (i + 1) % 2 : (long)(rand_r(&seed) % (unsigned int)mode_count)];
		int error = spoor_mode_set(mode);

		if (error < 0 || strcmp(spoor_mode_get(), mode) != 0) {
			fprintf(stderr, "mode %s: %d, %s\n", mode, error, spoor_mode_get());
			failures++;
		}
		usleep(rand_r(&seed) % 600);
	}
	if (spoor_mode_set(modes[0]) < 0)
		failures++;
	return unused;
}

UNTRACED int main(int argc, char **argv)
{
	pthread_t threads[THREADS], changer;

	changes = argc > 1 ? atol(argv[1]) : 0;
	modes = argv + 2;
	mode_count = argc - 2;
	if (mode_count < 1 || spoor_mode_set("zork") >= 0 || spoor_mode_set(NULL) >= 0)
		return 3;
	if (spoor_mode_set(modes[0]) < 0)
		return 4;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	pthread_create(&changer, NULL, change, NULL);
	pthread_join(changer, NULL);
	stop = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("inner %lu\nlast %lu\nmiddle %lu\nouter %lu\n", (unsigned long)inner_calls, (unsigned long)round_calls,
	       (unsigned long)middle_calls, (unsigned long)outer_calls);
	return failures ? 1 : 0;
}
