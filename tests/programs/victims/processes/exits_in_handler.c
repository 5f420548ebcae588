/* SPDX-License-Identifier: MIT */
/* exits_in_handler.c - a signal handler calls exit while the thread's name is being written. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "../common/work.h"

extern __thread int interrupts;

TRACED void leaf(void)
{
	KEEP;
}

UNTRACED static void handle(int number)
{
	(void)number;
	exit(3);
}

UNTRACED static void *end(void *unused)
{
	leaf();
	pthread_setname_np(pthread_self(), "named");
	interrupts = 1;
	return unused;
}

UNTRACED int main(void)
{
	pthread_t thread;

	signal(SIGUSR1, handle);
	pthread_create(&thread, NULL, end, NULL);
	pthread_join(thread, NULL);
	return 0;
}
