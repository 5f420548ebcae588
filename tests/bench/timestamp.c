/* SPDX-License-Identifier: MIT */
/* timestamp.c - measures a read of the time stamp counter and a store of 16 bytes, without any call: nanoseconds
 * an event, on the last processor. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

enum { RING_WORDS = 1 << 17, EVENTS = 20000000 };

static volatile uint64_t ring[RING_WORDS];

static double cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * 1e9 + time.tv_nsec;
}

int main(void)
{
	double begin;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sysconf(_SC_NPROCESSORS_ONLN) - 1, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (int warm = 1; warm >= 0; warm--) {
		begin = cpu_ns();
		for (uint64_t i = 0; i < EVENTS; i++) {
			ring[2 * i % RING_WORDS] = __rdtsc();
			ring[2 * i % RING_WORDS + 1] = i;
		}
	}
	printf("%.3f\n", (cpu_ns() - begin) / EVENTS);
	return 0;
}
