/* SPDX-License-Identifier: MIT */
/*
 * patching.c - measures how long spoor, or with -DXRAY XRay, takes to patch the
 * functions of a library.
 *
 * usage: patching LIBRARY FUNCTIONS REPEAT
 *
 * FUNCTIONS are patterns, "*" for all functions. XRay has no patterns and patches all
 * functions. REPEAT 0 patches none. Prints the number of changed functions, the time of
 * the first patching, and the median time of the later ones, in nanoseconds. Times are
 * the thread's CPU time, including the kernel's.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPEAT_LIMIT = 101 };

#ifdef XRAY
int __xray_patch(void);
int __xray_unpatch(void);
int __xray_set_handler(void (*handler)(int32_t id, int type));

static void empty_handler(int32_t id, int type)
{
	(void)id;
	(void)type;
}

/* XRay ignores an executable without sleds, and then its libraries, too. */
__attribute__((noinline, xray_always_instrument)) void traced(void)
{
}

static long patch(const char *functions)
{
	(void)functions;
	return __xray_patch() == 1 ? 0 : -1;
}

static long unpatch(const char *functions)
{
	(void)functions;
	return __xray_unpatch() == 1 ? 0 : -1;
}

static int begin(void)
{
	traced();
	__xray_set_handler(empty_handler);
	return 0;
}
#else
#include "spoor.h"

__attribute__((noinline)) void traced(void)
{
	__asm__ volatile("");
}

/* Begins the trace before the measurement, so that its files and its pool are not measured. */
static int begin(void)
{
	return spoor_functions_enable("patching*", "traced") == 1 ? 0 : -1;
}

static long patch(const char *functions)
{
	return spoor_functions_enable("libmany*", functions);
}

static long unpatch(const char *functions)
{
	return spoor_functions_disable("libmany*", functions);
}
#endif

static int64_t cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int main(int argc, char *argv[])
{
	int64_t times[REPEAT_LIMIT], first;
	long changed = 0;
	int repeat;

	if (argc != 4 || (repeat = atoi(argv[3])) < 0 || repeat > REPEAT_LIMIT) {
		fprintf(stderr, "usage: patching LIBRARY FUNCTIONS REPEAT\n");
		return 2;
	}
	if (!dlopen(argv[1], RTLD_NOW)) {
		fprintf(stderr, "patching: %s\n", dlerror());
		return 1;
	}
	if (repeat && begin() < 0) {
		fprintf(stderr, "patching: the library has no functions to trace\n");
		return 1;
	}
	for (int i = 0; i < repeat; i++) {
		int64_t begin = cpu_ns();

		changed = patch(argv[2]);
		times[i] = cpu_ns() - begin;
		if (changed < 0 || unpatch(argv[2]) < 0) {
			fprintf(stderr, "patching: failed: %ld\n", changed);
			return 1;
		}
	}
	if (repeat < 2)
		return 0;
	first = times[0];
	qsort(times + 1, repeat - 1, sizeof(*times), compare);
	printf("%ld %jd %jd\n", changed, (intmax_t)first, (intmax_t)times[1 + (repeat - 1) / 2]);
	return 0;
}
