/* SPDX-License-Identifier: MIT */
/*
 * cancelled.c - $1 threads, one after the other, are cancelled inside the runtime: while
 * they open a traced library, switch functions, or log the first event in a forked
 * child. The next thread must succeed nevertheless.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spoor.h"
#include "../common/work.h"

#pragma weak spoor_functions_enable
#pragma weak spoor_functions_disable

TRACED void leaf(void)
{
	KEEP;
}

UNTRACED static void *opens(void *unused)
{
	for (;;) {
		void *library = dlopen("./libloaded.so", RTLD_NOW);

		if (!library)
			abort();
		dlclose(library);
		pthread_testcancel();
	}
	return unused;
}

UNTRACED static void *switches(void *unused)
{
	for (;;) {
		if (spoor_functions_disable) {
			spoor_functions_disable("cancelled", "leaf");
			spoor_functions_enable("cancelled", "leaf");
		}
		pthread_testcancel();
	}
	return unused;
}

/* The thread may be cancelled at each event. */
UNTRACED static void *calls(void *unused)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (;;)
		leaf();
	return unused;
}

UNTRACED static void *forked_calls(void *unused)
{
	leaf();
	for (;;)
		pthread_testcancel();
	return unused;
}

UNTRACED static void cancel(void *(*function)(void *), int microseconds)
{
	pthread_t thread;

	pthread_create(&thread, NULL, function, NULL);
	usleep((useconds_t)microseconds);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
}

UNTRACED int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 100;

	for (int i = 0; i < times; i++) {
		cancel(opens, i * 37 % 500);
		cancel(switches, i * 37 % 500);
		cancel(calls, i * 37 % 100);
		if (i % 10 == 0) {
			int status;
			pid_t child = fork();

			if (child == 0) {
				cancel(forked_calls, i * 37 % 500);
				leaf();
				_exit(0);
			}
			waitpid(child, &status, 0);
			if (status)
				abort();
		}
	}
	puts("done");
	return 0;
}
