/* SPDX-License-Identifier: MIT */
/*
 * signal_storm.c - traced functions that signals interrupt at the highest possible rate. The
 * handlers are traced, and interrupted as well. Prints how often each function ran.
 *
 * usage: signal_storm SECONDS - a minute more on a busy machine, until enough signals came
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "../programs/victims/common/work.h"

#define WORKERS 2

static atomic_ulong leaves, links, chains, profiled, alarmed, told;
static atomic_bool over;

TRACED void leaf(void)
{
	atomic_fetch_add(&leaves, 1);
	KEEP;
}

/* These two functions end with tail calls of each other. */
TRACED void chain(int depth);
TRACED void link_of(int depth)
{
	atomic_fetch_add(&links, 1);
	leaf();
	__attribute__((musttail)) return chain(depth);
}

TRACED void chain(int depth)
{
	atomic_fetch_add(&chains, 1);
	for (volatile int i = 0; i < 20; i++)
		;
	if (depth == 0)
		return;
	__attribute__((musttail)) return link_of(depth - 1);
}

TRACED void on_profile(int number)
{
	(void)number;
	atomic_fetch_add(&profiled, 1);
	chain(2);
	KEEP;
}

TRACED void on_alarm(int number)
{
	(void)number;
	atomic_fetch_add(&alarmed, 1);
	leaf();
	KEEP;
}

TRACED void on_user(int number)
{
	(void)number;
	atomic_fetch_add(&told, 1);
	chain(3);
	leaf();
	KEEP;
}

UNTRACED static void *work(void *unused)
{
	while (!atomic_load(&over))
		chain(50);
	return unused;
}

UNTRACED static void handle(int number, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigaction(number, &action, NULL);
}

UNTRACED static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

UNTRACED static bool has_enough(void)
{
	return atomic_load(&told) > 1000 && atomic_load(&profiled) > 10 && atomic_load(&alarmed) > 10;
}

UNTRACED int main(int argc, char **argv)
{
	double end = now() + (argc > 1 ? atof(argv[1]) : 3);
	struct itimerval often = { { 0, 200 }, { 0, 200 } };
	pthread_t workers[WORKERS];
	sigset_t timers;

	handle(SIGPROF, on_profile);
	handle(SIGALRM, on_alarm);
	handle(SIGUSR1, on_user);
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, work, NULL);
	/* Only the workers receive the timers' signals. */
	sigemptyset(&timers);
	sigaddset(&timers, SIGPROF);
	sigaddset(&timers, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &timers, NULL);
	setitimer(ITIMER_PROF, &often, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (now() < end || (now() < end + 60 && !has_enough())) {
		struct timespec pause = { 0, 20000 };

		for (int i = 0; i < WORKERS; i++)
			pthread_kill(workers[i], SIGUSR1);
		nanosleep(&pause, NULL);
	}
	atomic_store(&over, true);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	printf("leaf %lu\nlink_of %lu\nchain %lu\non_profile %lu\non_alarm %lu\non_user %lu\n",
	       atomic_load(&leaves), atomic_load(&links), atomic_load(&chains), atomic_load(&profiled),
	       atomic_load(&alarmed), atomic_load(&told));
	return 0;
}
