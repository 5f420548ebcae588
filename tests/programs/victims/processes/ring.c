/* SPDX-License-Identifier: MIT */
/*
 * ring.c - logs more events than a ring keeps: $1 calls of turn(), each with a call of step().
 *
 * $2: the event at the end.
 *   end      main returns
 *   kill     SIGKILL
 *   flush    spoor_flush, then as many turns again, then SIGKILL
 *   threads  40 threads make the turns one after the other, and each ends
 *   storm    a traced signal handler interrupts all the time
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "spoor.h"
#include "../common/work.h"

#pragma weak spoor_flush

static long turns;
static volatile long handled;

TRACED void step(long number)
{
	(void)number;
	KEEP;
}

TRACED void turn(long number)
{
	step(number);
	KEEP;
}

TRACED void last_words(void)
{
	KEEP;
}

TRACED void handler(int signal)
{
	(void)signal;
	handled++;
}

UNTRACED static void *run(void *unused)
{
	for (long i = 0; i < turns; i++)
		turn(i);
	last_words();
	return unused;
}

UNTRACED int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "end";

	turns = argc > 1 ? atol(argv[1]) : 1000;
	if (strcmp(how, "storm") == 0) {
		struct itimerval often = { { 0, 100 }, { 0, 100 } };

		signal(SIGALRM, handler);
		setitimer(ITIMER_REAL, &often, NULL);
	}
	if (strcmp(how, "threads") == 0) {
		for (int i = 0; i < 40; i++) {
			pthread_t thread;

			pthread_create(&thread, NULL, run, NULL);
			pthread_join(thread, NULL);
		}
		return 0;
	}
	run(NULL);
	if (strcmp(how, "storm") == 0) {
		signal(SIGALRM, SIG_IGN);
		printf("%ld\n", handled);
	}
	if (strcmp(how, "flush") == 0) {
		if (spoor_flush && spoor_flush(-1) < 0)
			return 3;
		run(NULL);
	}
	if (strcmp(how, "kill") == 0 || strcmp(how, "flush") == 0)
		raise(SIGKILL);
	return 0;
}
