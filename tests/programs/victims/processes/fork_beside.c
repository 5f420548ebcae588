/* SPDX-License-Identifier: MIT */
/*
 * fork_beside.c - forks $2 times while other threads hold fork_locks.c's lock. "load": one thread loads
 * and closes a library at that time. "begin": three threads, one after the other, make their first call
 * at that time. Prints the number of calls.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common/work.h"

void with_lock(void (*what)(void));

static long calls;	/* protected by the lock of fork_locks.c */
static int over;

TRACED void leaf(void)
{
	KEEP;
}

UNTRACED static void call(void)
{
	leaf();
	calls++;
}

UNTRACED static void load(void)
{
	void *library = dlopen("./libloaded.so", RTLD_NOW);

	if (!library || dlclose(library) != 0)
		exit(3);
	call();
}

UNTRACED static void *brief(void *unused)
{
	with_lock(call);
	return unused;
}

UNTRACED static void *loads(void *unused)
{
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED))
		with_lock(load);
	return unused;
}

UNTRACED static void *begins(void *unused)
{
	pthread_t thread;

	while (!__atomic_load_n(&over, __ATOMIC_RELAXED))
		if (pthread_create(&thread, NULL, brief, NULL) != 0 || pthread_join(thread, NULL) != 0)
			exit(3);
	return unused;
}

UNTRACED int main(int argc, char **argv)
{
	int count = argc > 1 && strcmp(argv[1], "load") == 0 ? 1 : 3;
	pthread_t threads[3];

	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, count == 1 ? loads : begins, NULL);
	for (int i = argc > 2 ? atoi(argv[2]) : 0; i > 0; i--) {
		pid_t child = fork();
		int status;

		if (child == 0)
			_exit(0);
		if (waitpid(child, &status, 0) != child || status != 0)
			return 4;
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	printf("%ld\n", calls);
	return 0;
}
