/* SPDX-License-Identifier: MIT */
/*
 * reported.c - threads whose calls nest, recur, and go to a library and back, for reports.
 * Linked with reported_other.c, which has a function of the same name, and reported_library.c.
 *
 * usage: reported ROUNDS SPIN - SPIN: how long a call of `spins` takes
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

void other(int rounds);
void library_calls(void (*back)(int), int depth);

static volatile unsigned long sum;
static int rounds;
static unsigned long spin;

/* Takes less time than its events take. */
NOINLINE void tiny(int i)
{
	sum += (unsigned long)i;
}

NOINLINE void spins(unsigned long times)
{
	for (unsigned long i = 0; i < times; i++)
		sum += i;
}

static NOINLINE void same_name(int i)
{
	tiny(i);
	sum++;
}

NOINLINE int recurs(int depth)
{
	tiny(depth);
	if (depth > 1)
		sum += (unsigned long)(recurs(depth - 1) + recurs(depth - 2));
	return (int)sum;
}

NOINLINE void ping(int depth);

NOINLINE void pong(int depth)
{
	if (depth)
		ping(depth - 1);
	sum++;
}

NOINLINE void ping(int depth)
{
	spins((unsigned long)depth * 10);
	if (depth)
		pong(depth - 1);
	sum++;
}

/* The library calls this function, which calls the library. */
NOINLINE void back(int depth)
{
	if (depth)
		library_calls(back, depth - 1);
	sum++;
}

static void *work(void *argument)
{
	long more = (long)argument;

	for (int i = 0; i < rounds + more; i++) {
		same_name(i);
		recurs(6 + i % 3);
		ping(i % 7);
		library_calls(back, i % 4);
		spins(spin + (unsigned long)i);
		other(2);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[3];

	if (argc != 3)
		return 2;
	rounds = atoi(argv[1]);
	spin = strtoul(argv[2], NULL, 10);
	for (long i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)i) != 0)
			return 1;
	work(NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	puts("done");
	return 0;
}
