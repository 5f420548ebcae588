/* SPDX-License-Identifier: MIT */
/*
 * clocks.c - for $1 seconds, calls marked() every $2 milliseconds, and prints two readings of
 * CLOCK_MONOTONIC between which each call began. "busy": a second thread makes about
 * 100,000 calls a second. "killed": SIGKILL ends the process.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../common/work.h"

#define TRIES 4

static volatile int stop;

TRACED void leaf(void)
{
	KEEP;
}

TRACED void marked(void)
{
	KEEP;
}

UNTRACED static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

UNTRACED static void *busy(void *unused)
{
	const struct timespec moment = { 0, 1000000 };

	while (!stop) {
		for (int i = 0; i < 100; i++)
			leaf();
		nanosleep(&moment, NULL);
	}
	return unused;
}

UNTRACED static bool is_asked(char **words, const char *word)
{
	while (*words && strcmp(*words, word) != 0)
		words++;
	return *words;
}

int main(int argc, char **argv)
{
	bool is_busy = argc > 3 && is_asked(argv + 3, "busy"), is_killed = argc > 3 && is_asked(argv + 3, "killed");
	int64_t end_ns = now_ns() + atoi(argv[1]) * 1000000000ll, step_ns = atoi(argv[2]) * 1000000ll;
	size_t room = TRIES * (size_t)((end_ns - now_ns()) / step_ns) + 10, count = 0;
	int64_t (*readings)[2] = calloc(room, sizeof(*readings));
	pthread_t thread;

	if (is_busy)
		pthread_create(&thread, NULL, busy, NULL);
	while (now_ns() < end_ns && count < room) {
		struct timespec step = { 0, step_ns };
		int tries = 0;

		/* Repeats a measurement that was interrupted between the two readings. */
		do {
			readings[count][0] = now_ns();
			marked();
			readings[count][1] = now_ns();
			count++;
		} while (readings[count - 1][1] - readings[count - 1][0] > 2000 && ++tries < TRIES && count < room);
		nanosleep(&step, NULL);
	}
	stop = 1;
	if (is_busy)
		pthread_join(thread, NULL);
	for (size_t i = 0; i < count; i++)
		printf("%lld %lld\n", (long long)readings[i][0], (long long)readings[i][1]);
	fflush(stdout);
	if (is_killed)
		raise(SIGKILL);
	return 0;
}
