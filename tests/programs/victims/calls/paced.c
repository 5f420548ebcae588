/* SPDX-License-Identifier: MIT */
/*
 * paced.c - calls functions at known rates, and prints how often each was called.
 *
 * There are $1 periods of 10 milliseconds. In each, fast() is called 20 times, and spins(), which takes 1 ms and
 * calls below() twice, once. waits() in a second thread takes the whole period. All calls are inside stays(), which
 * lasts until the end. Each line of stdout begins with the number of calls of a function.
 *
 * $2: a file. The program waits for the file, writes to it after the first period, and ends when it is gone.
 * $3: calls of hot() in a period. $4: nanoseconds of each.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../common/work.h"

#define PERIOD_NS 10000000

static long periods, fast_count, spins_count, below_count, waits_count, hot_count, hot_calls, hot_ns;
static const char *file;
static struct timespec begin;

UNTRACED static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

UNTRACED static void sleep_until(int64_t ns)
{
	struct timespec when = { ns / 1000000000, ns % 1000000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL))
		;
}

UNTRACED static int64_t period(long number)
{
	return begin.tv_sec * 1000000000ll + begin.tv_nsec + number * PERIOD_NS;
}

UNTRACED static int goes_on(long number)
{
	return number < periods && (!file || access(file, F_OK) == 0);
}

TRACED void fast(void)
{
	fast_count++;
	KEEP;
}

TRACED void hot(void)
{
	int64_t until = hot_ns ? now_ns() + hot_ns : 0;

	hot_calls++;
	while (hot_ns && now_ns() < until)
		;
	KEEP;
}

TRACED void below(void)
{
	int64_t until = now_ns() + 250000;

	below_count++;
	while (now_ns() < until)
		;
}

TRACED void spins(void)
{
	int64_t until = now_ns() + 1000000;

	spins_count++;
	below();
	below();
	while (now_ns() < until)
		;
	KEEP;
}

TRACED void waits(long number)
{
	waits_count++;
	sleep_until(period(number + 1));
	KEEP;
}

UNTRACED static void *second(void *unused)
{
	for (long i = 0; goes_on(i); i++)
		waits(i);
	return unused;
}

UNTRACED static void tell(void)
{
	int fd = file ? open(file, O_WRONLY) : -1;

	if (fd >= 0 && write(fd, "begun\n", 6) == 6)
		close(fd);
}

TRACED void stays(void)
{
	for (long i = 0; goes_on(i); i++) {
		sleep_until(period(i));
		for (int j = 0; j < 20; j++)
			fast();
		spins();
		for (long j = 0; j < hot_count; j++)
			hot();
		if (i == 0)
			tell();
	}
	KEEP;
}

UNTRACED int main(int argc, char **argv)
{
	pthread_t thread;

	periods = argc > 1 ? atol(argv[1]) : 10;
	hot_count = argc > 3 ? atol(argv[3]) : 0;
	hot_ns = argc > 4 ? atol(argv[4]) : 0;
	file = argc > 2 && *argv[2] ? argv[2] : NULL;
	while (file && access(file, F_OK))
		usleep(1000);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	pthread_create(&thread, NULL, second, NULL);
	stays();
	pthread_join(thread, NULL);
	printf("%ld fast\n%ld spins\n%ld below\n%ld waits\n%ld hot\n", fast_count, spins_count, below_count, waits_count,
	       hot_calls);
	return 0;
}
