/* SPDX-License-Identifier: MIT */
/*
 * arguments.c - measures calls of functions whose arguments or results are captured: prints the nanoseconds of CPU
 * time of a call, on the last processor. floor.c and -DFLOOR make every function call the cheapest possible hook.
 *
 * usage: arguments none|one|three|six|result|constant|stack|heap CALLS
 *
 * constant, stack and heap call text() with a string in that memory.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef FLOOR
void floor_hook(uint64_t id);
#else
#define floor_hook(id) ((void)0)
#endif

#define TEXT "/usr/share/doc/package/readme"

int arguments_increment = 1;

/* Never captured. */
__attribute__((noinline)) int none(int a)
{
	floor_hook(2);
	a = a * 3 + arguments_increment;
	floor_hook(3);
	return a;
}

__attribute__((noinline)) int one(int a)
{
	floor_hook(2);
	a = a * 3 + arguments_increment;
	floor_hook(3);
	return a;
}

__attribute__((noinline)) int three(int a, int b, int c)
{
	floor_hook(2);
	a = a * 3 + b + c + arguments_increment;
	floor_hook(3);
	return a;
}

__attribute__((noinline)) int six(int a, int b, int c, int d, int e, int f)
{
	floor_hook(2);
	a = a * 3 + b + c + d + e + f + arguments_increment;
	floor_hook(3);
	return a;
}

__attribute__((noinline)) int result(int a)
{
	floor_hook(2);
	a = a * 3 + arguments_increment;
	floor_hook(3);
	return a;
}

__attribute__((noinline)) int text(const char *a)
{
	int sum;

	floor_hook(2);
	/* Or the compiler would call it once. */
	__asm__ volatile("" : : "r"(a) : "memory");
	sum = a[0] + arguments_increment;
	floor_hook(3);
	return sum;
}

static double cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static volatile int sink;

/* Returns the nanoseconds of a call. */
static double measure(const char *what, int calls)
{
	char on_stack[] = TEXT, *on_heap = strdup(TEXT);
	const char *string = strcmp(what, "stack") == 0 ? on_stack : strcmp(what, "heap") == 0 ? on_heap : TEXT;
	double begin = cpu_ns(), spent;

	if (strcmp(what, "none") == 0)
		for (int i = 0; i < calls; i++)
			sink += none(i);
	else if (strcmp(what, "one") == 0)
		for (int i = 0; i < calls; i++)
			sink += one(i);
	else if (strcmp(what, "three") == 0)
		for (int i = 0; i < calls; i++)
			sink += three(i, i & 15, 1000);
	else if (strcmp(what, "six") == 0)
		for (int i = 0; i < calls; i++)
			sink += six(i, 2, i & 15, -4, 1000, 6);
	else if (strcmp(what, "result") == 0)
		for (int i = 0; i < calls; i++)
			sink += result(i);
	else
		for (int i = 0; i < calls; i++)
			sink += text(string);
	spent = cpu_ns() - begin;
	free(on_heap);
	return spent / calls;
}

int main(int argc, char **argv)
{
	int calls = argc > 2 ? atoi(argv[2]) : 0;
	cpu_set_t set;

	if (calls < 10) {
		fprintf(stderr, "usage: arguments none|one|three|six|result|constant|stack|heap CALLS\n");
		return 2;
	}
	CPU_ZERO(&set);
	CPU_SET((size_t)sysconf(_SC_NPROCESSORS_ONLN) - 1, &set);
	sched_setaffinity(0, sizeof(set), &set);
	measure(argv[1], calls / 10);
	printf("%.3f\n", measure(argv[1], calls));
	return 0;
}
