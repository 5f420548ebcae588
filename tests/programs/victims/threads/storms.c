/* SPDX-License-Identifier: MIT */
/*
 * storms.c - calls functions while much else happens, and prints what it did.
 *
 *   storms signals   10,000 signals a second, until 5,000 were handled
 *   storms threads   1,000 threads at the same time, each of which sleeps, waits for a mutex, and works
 *   storms forks     500 children, 20 at a time; each works, and every tenth has a child of its own
 *   storms forever   works and sleeps, until it is killed
 *
 * The last line is "calls" and the number of calls of work().
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common/work.h"

#define SIGNALS 5000
#define THREADS 1000
#define CHILDREN 500
#define AT_ONCE 20

static atomic_int handled;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all_run;
static long locked;

TRACED void work(void)
{
	KEEP;
}

TRACED void handle(int number)
{
	(void)number;
	atomic_fetch_add(&handled, 1);
	work();
}

TRACED void take_a_nap(void)
{
	usleep(1000);
	KEEP;
}

UNTRACED static long storm_of_signals(void)
{
	const struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };
	long calls = 0;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (atomic_load(&handled) < SIGNALS) {
		work();
		calls++;
		/* So that the trace stays small. */
		for (volatile int i = 0; i < 10000; i++)
			;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_IGN);
	return calls + atomic_load(&handled);
}

UNTRACED static void *run(void *unused)
{
	pthread_barrier_wait(&all_run);
	take_a_nap();
	for (int i = 0; i < 10; i++) {
		work();
		pthread_mutex_lock(&mutex);
		locked++;
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

UNTRACED static long storm_of_threads(void)
{
	static pthread_t threads[THREADS];
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64 << 10);
	pthread_barrier_init(&all_run, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], &attributes, run, NULL))
			exit(3);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return locked;
}

UNTRACED static void be_child(int number)
{
	for (int i = 0; i < 10; i++)
		work();
	if (number % 10 == 0) {
		if (fork() == 0)
			work();
		else
			wait(NULL);
	}
	exit(0);
}

UNTRACED static long storm_of_forks(void)
{
	int running = 0, bad = 0, status;

	for (int i = 0; i < CHILDREN; i++) {
		pid_t child = fork();

		if (child < 0)
			exit(3);
		if (child == 0)
			be_child(i);
		for (running++; running >= AT_ONCE || (i == CHILDREN - 1 && running); running--) {
			wait(&status);
			bad += status != 0;
		}
	}
	return bad ? -1 : CHILDREN * 10 + CHILDREN / 10;
}

int main(int count, char **arguments)
{
	const char *what = count > 1 ? arguments[1] : "";
	long calls;

	while (strcmp(what, "forever") == 0) {
		work();
		take_a_nap();
	}
	calls = strcmp(what, "signals") == 0 ? storm_of_signals() :
		strcmp(what, "threads") == 0 ? storm_of_threads() : storm_of_forks();
	printf("calls %ld\n", calls);
	return 0;
}
