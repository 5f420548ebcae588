/* SPDX-License-Identifier: MIT */
/*
 * counts_signals.c - counts SIGINT, SIGTERM and SIGUSR1 until none has arrived for $1
 * milliseconds, and prints how many of each there were.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../common/work.h"

static const int numbers[] = { SIGINT, SIGTERM, SIGUSR1, SIGUSR2 };
static int counts[4];

TRACED void caught(int index)
{
	counts[index]++;
}

int main(int argc, char **argv)
{
	struct timespec patience = { 0, (argc > 1 ? atol(argv[1]) : 500) * 1000000l };
	sigset_t set;
	int number;

	sigemptyset(&set);
	for (int i = 0; i < 4; i++)
		sigaddset(&set, numbers[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	puts("ready");
	fflush(stdout);
	while (sigwaitinfo(&set, NULL) < 0)
		;
	/* The first signal is not counted. SIGUSR2 makes sure that the wait below returns at least once; pending
	 * signals of one kind merge, so it has a kind that the script does not send. */
	kill(getpid(), SIGUSR2);
	while ((number = sigtimedwait(&set, NULL, &patience)) > 0)
		for (int i = 0; i < 4; i++)
			if (numbers[i] == number)
				caught(i);
	printf("more %d %d %d\n", counts[0], counts[1], counts[2]);
	return 0;
}
