/* SPDX-License-Identifier: MIT */
/*
 * fork_same_id.c - the first process of a name space forks a child that is the first process of
 * another: both have process ID 1. In the child two threads make calls at the same time.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common/work.h"

static pthread_barrier_t barrier;

TRACED void leaf(void)
{
	KEEP;
}

TRACED void other(void)
{
	KEEP;
}

UNTRACED static void *thread(void *unused)
{
	for (int i = 0; i < 100; i++)
		other();
	pthread_barrier_wait(&barrier);
	return unused;
}

UNTRACED int main(void)
{
	int status = 1;
	pthread_t second;
	pid_t child;

	leaf();
	if (getpid() != 1 || unshare(CLONE_NEWPID) < 0)
		return 2;
	child = fork();
	if (child == 0) {
		if (getpid() != 1)
			return 3;
		pthread_barrier_init(&barrier, NULL, 2);
		for (int i = 0; i < 100; i++)
			leaf();
		pthread_create(&second, NULL, thread, NULL);
		pthread_barrier_wait(&barrier);
		for (int i = 0; i < 100; i++)
			leaf();
		pthread_join(second, NULL);
		return 0;
	}
	waitpid(child, &status, 0);
	return status != 0;
}
