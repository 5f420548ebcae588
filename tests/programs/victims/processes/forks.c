/* SPDX-License-Identifier: MIT */
/*
 * forks.c - on SIGUSR1 forks a child, which forks another child and prints both process IDs. All
 * processes call leaf every millisecond until they are killed. The first child ends on SIGUSR2.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../common/work.h"

static int wanted;

TRACED void leaf(void)
{
	KEEP;
}

UNTRACED static void want(int signal)
{
	__atomic_store_n(&wanted, signal, __ATOMIC_RELAXED);
}

UNTRACED static void fork_two(void)
{
	pid_t child;

	if (fork() != 0)
		return;
	child = fork();
	if (child != 0) {
		printf("%d %d\n", (int)getpid(), (int)child);
		fflush(stdout);
	}
}

UNTRACED int main(void)
{
	signal(SIGUSR1, want);
	signal(SIGUSR2, want);
	for (;;) {
		int got = __atomic_exchange_n(&wanted, 0, __ATOMIC_RELAXED);

		if (got == SIGUSR1)
			fork_two();
		if (got == SIGUSR2)
			_exit(0);
		leaf();
		usleep(1000);
	}
}
