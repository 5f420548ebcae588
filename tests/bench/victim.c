/* SPDX-License-Identifier: MIT */
/*
 * victim.c - calls leaf or fib in one or more threads and prints the cost of a call.
 *
 * usage: victim leaf|fib THREADS AMOUNT [HOW]
 *
 * AMOUNT is a number of calls for each thread, or a number of seconds if "s" follows. "s@CALLS" limits each
 * thread to that many calls a second.
 * Each thread stays on its own processor, from the last processor downwards, so that the first
 * processor is free for the drainer. Prints the number of calls, the threads' CPU time
 * and the wall time in nanoseconds; both times are sums over the threads.
 */
#define _GNU_SOURCE
#include "work.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_LIMIT = 64, FIB = 24, FIB_CALLS = 150049, LEAF_CALLS = 200000 };

struct worker {
	pthread_t thread;
	int number;
	bool leaf;
	uint64_t calls_wanted;	/* 0: no limit */
	uint64_t wall_wanted_ns;
	uint64_t calls_a_second;	/* greatest rate; 0: no limit */
	uint64_t calls, cpu_ns, wall_ns;
};

static volatile uint64_t sink;
static pthread_barrier_t barrier;

static uint64_t now_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * UINT64_C(1000000000) + time.tv_nsec;
}

static uint64_t do_batch(const struct worker *worker)
{
	uint64_t sum = 0;

	if (!worker->leaf) {
		sink = fib(FIB);
		return FIB_CALLS;
	}
	for (int i = 0; i < LEAF_CALLS; i++)
		sum += leaf(i);
	sink = sum;
	return LEAF_CALLS;
}

static void stay_on(int processor)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(processor, &set);
	if (pthread_setaffinity_np(pthread_self(), sizeof(set), &set))
		fprintf(stderr, "victim: cannot stay on processor %d\n", processor);
}

/* Waits until the rate since @begin_ns is not above the wanted rate. */
static void wait_for_rate(const struct worker *worker, uint64_t begin_ns)
{
	uint64_t due_ns = begin_ns + (uint64_t)(1e9 * worker->calls / worker->calls_a_second);
	struct timespec due = { due_ns / 1000000000, due_ns % 1000000000 };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
}

static void *worker_main(void *argument)
{
	struct worker *worker = argument;
	int processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t cpu, wall;

	stay_on(processors - 1 - worker->number % processors);
	do_batch(worker);
	pthread_barrier_wait(&barrier);
	cpu = now_ns(CLOCK_THREAD_CPUTIME_ID);
	wall = now_ns(CLOCK_MONOTONIC);
	do {
		worker->calls += do_batch(worker);
		if (worker->calls_a_second)
			wait_for_rate(worker, wall);
		worker->wall_ns = now_ns(CLOCK_MONOTONIC) - wall;
	} while (worker->calls < worker->calls_wanted || worker->wall_ns < worker->wall_wanted_ns);
	worker->cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	return NULL;
}

int main(int argc, char *argv[])
{
	static struct worker workers[THREADS_LIMIT];
	struct worker model = {0}, all = {0};
	int threads;
	char *end;

	if (argc < 4 || (threads = atoi(argv[2])) < 1 || threads > THREADS_LIMIT) {
		fprintf(stderr, "usage: victim leaf|fib THREADS CALLS|SECONDSs[@CALLS] [HOW]\n");
		return 2;
	}
	model.leaf = !strcmp(argv[1], "leaf");
	model.calls_wanted = strtoull(argv[3], &end, 10);
	if (*end == 's') {
		model.wall_wanted_ns = model.calls_wanted * 1000000000;
		model.calls_wanted = 0;
		if (end[1] == '@')
			model.calls_a_second = strtoull(end + 2, NULL, 10);
	}
	if (way_begin(argc > 4 ? argv[4] : "") != 0)
		return 1;
	pthread_barrier_init(&barrier, NULL, threads);
	for (int i = 0; i < threads; i++) {
		workers[i] = model;
		workers[i].number = i;
		if (pthread_create(&workers[i].thread, NULL, worker_main, &workers[i])) {
			perror("victim: pthread_create");
			return 1;
		}
	}
	for (int i = 0; i < threads; i++) {
		pthread_join(workers[i].thread, NULL);
		all.calls += workers[i].calls;
		all.cpu_ns += workers[i].cpu_ns;
		all.wall_ns += workers[i].wall_ns;
	}
	printf("%ju %ju %ju\n", (uintmax_t)all.calls, (uintmax_t)all.cpu_ns, (uintmax_t)all.wall_ns);
	return way_end() != 0;
}
