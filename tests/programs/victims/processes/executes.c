/* SPDX-License-Identifier: MIT */
/*
 * executes.c - executes itself again every few hundredths of a second, while its threads make calls.
 *
 * usage: executes N main|thread - N times, by main or by another of five threads; the exit status is 17
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char **words;

__attribute__((noinline)) void leaf(void)
{
	__asm__ volatile("");
}

static void *call(void *unused)
{
	for (;;) {
		for (int i = 0; i < 1000; i++)
			leaf();
		usleep(500);
	}
	return unused;
}

static void *execute(void *unused)
{
	usleep(30000 + (useconds_t)(rand() % 60000));
	execv("/proc/self/exe", words);
	perror("execv");
	exit(1);
	return unused;
}

int main(int count, char **arguments)
{
	static char left[16];
	pthread_t thread;
	int n = count == 3 ? atoi(arguments[1]) : 0;

	if (n == 0)
		return 17;
	srand((unsigned int)n);
	snprintf(left, sizeof(left), "%d", n - 1);
	words = (char *[]){ arguments[0], left, arguments[2], NULL };
	for (int i = 0; i < 4; i++)
		pthread_create(&thread, NULL, call, NULL);
	if (strcmp(arguments[2], "thread") == 0)
		pthread_create(&thread, NULL, execute, NULL);
	else
		execute(NULL);
	call(NULL);
	return 1;
}
