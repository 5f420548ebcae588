/* SPDX-License-Identifier: MIT */
/*
 * processor_modes.c - calls functions while the processor has unusual modes: in the main thread, in a new thread whose first
 * event comes in these modes, and in a forked child.
 *
 *   processor_modes flags     alignment checks, and string instructions that go downwards
 *   processor_modes floats    rounds upwards, and traps each floating-point exception
 *
 * Writes "kept" for each of the three that finds its modes unchanged.
 */
#define _GNU_SOURCE
#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common/work.h"
#include MACHINE_HEADER

#define CALLS 20000	/* several slices of events */

static int floats;

TRACED int leaf(const char *text)
{
	KEEP;
	return text[0];
}

UNTRACED static int call_with_flags(const char *text)
{
	int bad = 0;

	machine_flags_set(MACHINE_ODD_FLAGS);
	for (int i = 0; i < CALLS; i++) {
		leaf(text);
		bad += machine_flags() != MACHINE_ODD_FLAGS;
	}
	machine_flags_set(0);
	return bad;
}

UNTRACED static int call_with_floats(const char *text)
{
	int bad = 0, traps;

	fesetround(FE_UPWARD);
	/* A processor of AArch64 may have no traps. */
	feenableexcept(FE_ALL_EXCEPT);
	traps = fegetexcept();
	for (int i = 0; i < CALLS; i++) {
		leaf(text);
		bad += fegetround() != FE_UPWARD || fegetexcept() != traps;
	}
	fesetenv(FE_DFL_ENV);
	return bad;
}

UNTRACED static void *call(void *text)
{
	return (floats ? call_with_floats : call_with_flags)(text) ? NULL : text;
}

int main(int count, char **arguments)
{
	/* At an odd address, and long: values of arguments are read in pieces. */
	static char text[] = "*a text of more than a few words";
	void *kept = NULL;
	pthread_t thread;
	int status = 1;

	floats = count > 1 && strcmp(arguments[1], "floats") == 0;
	/* The thread's first event is in these modes. */
	if (pthread_create(&thread, NULL, call, text + 1) == 0)
		pthread_join(thread, &kept);
	puts(kept ? "thread: kept" : "thread: changed");
	puts(call(text + 1) ? "main: kept" : "main: changed");
	fflush(stdout);
	if (fork() == 0)
		_exit(call(text + 1) ? 0 : 1);
	wait(&status);
	printf("child: %s\n", status ? "changed" : "kept");
	return 0;
}
