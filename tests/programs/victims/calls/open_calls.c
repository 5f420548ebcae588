/* SPDX-License-Identifier: MIT */
/*
 * open_calls.c - has calls that are open when the process, or its recording, ends.
 *
 *   open_calls WAY MILLISECONDS
 *
 * One thread is in waits() until SIGUSR1 arrives, one ends in vanishes(), and main sleeps in leaves() for
 * MILLISECONDS before it ends the process in the given WAY. Prints, in nanoseconds of CLOCK_MONOTONIC, how long
 * waits() and leaves() were open then, and vanishes() when its thread ended; and the process ID.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../common/work.h"

static volatile int64_t waits_ns, vanishes_ns, vanished_ns;
static volatile sig_atomic_t over;

UNTRACED static void end_waits(int signal)
{
	over = signal;
}

UNTRACED static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

TRACED void waits(void)
{
	waits_ns = now_ns();
	while (!over)
		usleep(10000);
}

TRACED void vanishes(void)
{
	vanishes_ns = now_ns();
	usleep(20000);
	vanished_ns = now_ns();
	pthread_exit(NULL);
}

UNTRACED static void *run_waits(void *unused)
{
	waits();
	return unused;
}

UNTRACED static void *run_vanishes(void *unused)
{
	vanishes();
	return unused;
}

TRACED void leaves(const char *way, int milliseconds)
{
	int64_t leaves_ns = now_ns(), ends_ns;

	usleep((useconds_t)milliseconds * 1000);
	ends_ns = now_ns();
	printf("%lld %lld %lld %d\n", (long long)(ends_ns - waits_ns), (long long)(ends_ns - leaves_ns),
	       (long long)(vanished_ns - vanishes_ns), (int)getpid());
	fflush(stdout);
	if (strcmp(way, "exit") == 0)
		exit(0);
	if (strcmp(way, "_exit") == 0)
		_exit(0);
	if (strcmp(way, "kill") == 0)
		raise(SIGKILL);
	if (strcmp(way, "exec") == 0)
		execl("/bin/sh", "sh", "-c", "sleep 2", (char *)NULL);
	/* stay: waits until a signal kills the process */
	for (;;)
		pause();
}

UNTRACED int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 3)
		return 1;
	signal(SIGUSR1, end_waits);
	pthread_create(&thread, NULL, run_vanishes, NULL);
	pthread_join(thread, NULL);
	pthread_create(&thread, NULL, run_waits, NULL);
	while (!waits_ns)
		usleep(1000);
	leaves(argv[1], atoi(argv[2]));
	return 1;
}
