/* SPDX-License-Identifier: MIT */
/*
 * handlers.c - for $1 milliseconds three handlers take turns: one that uses vector registers, one that does not,
 * and one that saves the registers that it uses. Two threads compute in vector registers.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "spoor.h"
#include MACHINE_HEADER
#include "../common/work.h"

#pragma weak spoor_set_handler

static volatile int stop;
static long handled, wrong;

TRACED double add(double a, double b, double c)
{
	KEEP;
	return a + b + c;
}

UNTRACED static void bare(uint64_t function_id, int event)
{
	(void)function_id;
	(void)event;
	__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}

UNTRACED SPOOR_SAVES_REGISTERS static void saves(uint64_t function_id, int event)
{
	(void)function_id;
	(void)event;
	__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}

UNTRACED static void any(uint64_t function_id, int event)
{
	(void)function_id;
	(void)event;
	machine_clobbers_vectors();
}

UNTRACED static void *compute(void *unused)
{
	while (!stop)
		if (add(1, 2, 4) != 7)
			__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
	return unused;
}

UNTRACED int main(int argc, char **argv)
{
	struct timespec begin, now;
	pthread_t threads[2];
	long milliseconds;

	if (argc < 2 || !spoor_set_handler)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, compute, NULL);
	do {
		spoor_set_handler(bare, SPOOR_HANDLER_GENERAL_REGISTERS_ONLY);
		spoor_set_handler(any, 0);
		spoor_set_handler((spoor_handler *)saves, SPOOR_HANDLER_SAVES_REGISTERS);
		clock_gettime(CLOCK_MONOTONIC, &now);
		milliseconds = (now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000;
	} while (milliseconds < atol(argv[1]));
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("handled %ld wrong %ld\n", handled, wrong);
	return wrong || !handled;
}
