/* SPDX-License-Identifier: MIT */
/*
 * durations.c - three threads make $1 rounds of calls that spin and sleep. For each call it prints
 * four readings of CLOCK_MONOTONIC: before the call, first and last inside it, and after it. So
 * the entry is between the first two readings and the exit between the last two, however busy
 * the machine is.
 *
 * A line has: thread, function, depth, the four readings, and the least planned duration.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../common/work.h"

#define THREADS 3
#define SPUN_NS 100000
#define SLEPT_NS 1000000
#define RECURSIONS 3
#define CALLS_A_ROUND (5 + RECURSIONS)

struct reading {
	const char *function;
	int depth;
	int64_t before, begun, ending, after, meant_ns;
};

struct worker {
	pthread_t thread;
	pid_t id;
	int rounds;
	struct reading *readings, *next;
};

UNTRACED static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

UNTRACED static void spin(int64_t ns)
{
	for (int64_t end = now_ns() + ns; now_ns() < end;)
		KEEP;
}

/* Returns a reading to fill. Calls are in the order of their begins. */
UNTRACED static struct reading *take(struct worker *worker, const char *function, int depth, int64_t meant_ns)
{
	struct reading *reading = worker->next++;

	reading->function = function;
	reading->depth = depth;
	reading->meant_ns = meant_ns;
	return reading;
}

TRACED void spins(struct reading *reading)
{
	reading->begun = now_ns();
	spin(SPUN_NS);
	reading->ending = now_ns();
}

TRACED void sleeps(struct reading *reading)
{
	const struct timespec time = { 0, SLEPT_NS };

	reading->begun = now_ns();
	clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
	reading->ending = now_ns();
}

TRACED void reads(struct reading *reading)
{
	reading->begun = now_ns();
	reading->ending = now_ns();
}

UNTRACED static void call(struct worker *worker, const char *name, void (*function)(struct reading *), int64_t meant_ns)
{
	struct reading *reading = take(worker, name, 1, meant_ns);

	reading->before = now_ns();
	function(reading);
	reading->after = now_ns();
}

TRACED void recurses(struct worker *worker, struct reading *reading, int left)
{
	reading->begun = now_ns();
	spin(SPUN_NS);
	if (left > 1) {
		struct reading *inner = take(worker, "recurses", reading->depth + 1, (left - 1) * SPUN_NS);

		inner->before = now_ns();
		recurses(worker, inner, left - 1);
		inner->after = now_ns();
	}
	reading->ending = now_ns();
}

/* Spins itself, and calls spins twice. */
TRACED void mixes(struct worker *worker, struct reading *reading)
{
	reading->begun = now_ns();
	spin(SPUN_NS);
	call(worker, "spins", spins, SPUN_NS);
	call(worker, "sleeps", sleeps, SLEPT_NS);
	call(worker, "spins", spins, SPUN_NS);
	call(worker, "reads", reads, 0);
	spin(SPUN_NS);
	reading->ending = now_ns();
}

UNTRACED static void *work(void *argument)
{
	struct worker *worker = argument;

	worker->id = gettid();
	for (int round = 0; round < worker->rounds; round++) {
		struct reading *reading = take(worker, "mixes", 0, 4 * SPUN_NS + SLEPT_NS);

		reading->before = now_ns();
		mixes(worker, reading);
		reading->after = now_ns();
		reading = take(worker, "recurses", 0, RECURSIONS * SPUN_NS);
		reading->before = now_ns();
		recurses(worker, reading, RECURSIONS);
		reading->after = now_ns();
	}
	return NULL;
}

UNTRACED int main(int argc, char **argv)
{
	struct worker workers[THREADS] = { 0 };

	for (int i = 0; i < THREADS; i++) {
		workers[i].rounds = argc > 1 ? atoi(argv[1]) : 1;
		workers[i].readings = workers[i].next = calloc((size_t)workers[i].rounds, CALLS_A_ROUND * sizeof(struct reading));
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		for (struct reading *r = workers[i].readings; r < workers[i].next; r++)
			printf("%d %s %d %lld %lld %lld %lld %lld\n", workers[i].id, r->function, r->depth, (long long)r->before,
			       (long long)r->begun, (long long)r->ending, (long long)r->after, (long long)r->meant_ns);
		free(workers[i].readings);
	}
	return 0;
}
