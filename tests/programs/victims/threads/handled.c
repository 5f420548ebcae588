/* SPDX-License-Identifier: MIT */
/*
 * handled.c - a program for handler libraries, which must see it completely: four threads
 * that compute in vector registers, a library that is opened and closed, and a signal
 * handler that runs in between.
 *
 *   handled LIBRARY   prints how often the signal handler ran, how often leaf was called
 *                     in it, and how many sums were wrong
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include "../common/work.h"

#define THREADS 4
#define CALLS 20000
#define LOADS 5

static volatile unsigned long signals, wrong;
int handled_tail(int a);

TRACED static void in_signal(void)
{
	KEEP;
	signals++;
}

TRACED double add(double a, double b, double c)
{
	KEEP;
	return a + b + c;
}

TRACED int leaf(int a)
{
	KEEP;
	return a + 1;
}

/* Leaves by a tail call. */
TRACED int handled_tail(int a)
{
	KEEP;
	return leaf(a + 1);
}

UNTRACED static void handler(int number)
{
	int saved = errno;

	(void)number;
	in_signal();
	errno = saved;
}

TRACED static void *compute(void *unused)
{
	unsigned long bad = 0;

	errno = 77;
	for (int i = 0; i < CALLS; i++) {
		bad += add(i, 2, 4) != i + 6;
		bad += handled_tail(i) != i + 2;
	}
	__atomic_fetch_add(&wrong, bad + (errno != 77), __ATOMIC_RELAXED);
	return unused;
}

TRACED static int load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	int (*sum)(int) = library ? (int (*)(int))dlsym(library, "plug_in_sum") : NULL;

	if (!sum || sum(100) != 4950)
		return 1;
	return dlclose(library);
}

int main(int argc, char **argv)
{
	const struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { 0 };
	pthread_t threads[THREADS];
	unsigned long waited = 0;
	sigset_t ours;

	if (argc < 2)
		return 2;
	/* Only one thread receives the signals, so that each of its calls is counted. */
	sigemptyset(&ours);
	sigaddset(&ours, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &ours, NULL);
	signal(SIGALRM, handler);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, compute, NULL);
	for (int i = 0; i < LOADS; i++) {
		if (load(argv[1])) {
			fprintf(stderr, "handled: %s\n", dlerror());
			return 1;
		}
	}
	pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (; signals < 50; waited++)
		leaf(0);
	setitimer(ITIMER_REAL, &never, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("signals %lu waited %lu wrong %lu\n", signals, waited, wrong);
	return wrong != 0;
}
