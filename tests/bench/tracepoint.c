/* SPDX-License-Identifier: MIT */
/*
 * tracepoint.c - measures a tracepoint with four arguments: nanoseconds of the thread's time a hit, on the last
 * processor. -DSPOOR compiles the tracepoint in. -DFLOOR compiles the minimum that any record needs: a read of
 * the time stamp counter, and the stores. -DSCOPE compiles a named scope instead, -DFOREIGN a tracepoint of
 * SystemTap's.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <spoor/scope.h>
#include <spoor/sdt.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#ifdef FOREIGN
#include <sys/sdt.h>
enum { HITS = 500000 };
#else
enum { HITS = 20000000 };
#endif
enum { RING_WORDS = 1 << 17, HIT_WORDS = 8 };

#ifdef SPOOR
SPOOR_SDT_DEFINE_SEMAPHORE(bench, hit);
#endif
#ifdef FLOOR
static volatile uint64_t ring[RING_WORDS];
#endif

__attribute__((noinline)) static void reach(uint64_t i, int b, void *c, long d)
{
#ifdef SPOOR
	SPOOR_SDT_WITH_SEMAPHORE(bench, hit, i, b, c, d);
#elif defined FOREIGN
	DTRACE_PROBE4(bench, hit, i, b, c, d);
#elif defined FLOOR
	volatile uint64_t *hit = &ring[i * HIT_WORDS % RING_WORDS];

	hit[0] = __rdtsc();
	hit[1] = i;
	hit[2] = (uint64_t)b;
	hit[3] = (uintptr_t)c;
	hit[4] = (uint64_t)d;
	hit[5] = hit[6] = hit[7] = 0;
#elif defined SCOPE
	SPOOR_SCOPE("hit");
#endif
	__asm__ volatile("" :: "r"(i), "r"(b), "r"(c), "r"(d));
}

static double cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * 1e9 + time.tv_nsec;
}

int main(void)
{
	double begin = 0;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sysconf(_SC_NPROCESSORS_ONLN) - 1, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (int warm = 1; warm >= 0; warm--) {
		begin = cpu_ns();
		for (uint64_t i = 0; i < HITS; i++)
			reach(i, 2, &begin, -4);
	}
	printf("%.3f\n", (cpu_ns() - begin) / HITS);
	return 0;
}
