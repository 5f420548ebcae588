/* SPDX-License-Identifier: MIT */
/* contained.c - calls functions in two threads for each line of stdin, and prints its process ID. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static volatile int sum;

__attribute__((noinline)) int leaf(int number)
{
	return number * 3 + sum;
}

__attribute__((noinline)) int branch(int number)
{
	int all = 0;

	for (int i = 0; i < 10; i++)
		all += leaf(number + i);
	return all;
}

__attribute__((noinline)) void *other(void *argument)
{
	for (int i = 0; i < 5; i++)
		sum += branch(i);
	return argument;
}

__attribute__((noinline)) void answer(void)
{
	pthread_t thread;

	for (int i = 0; i < 5; i++)
		sum += branch(i);
	if (pthread_create(&thread, NULL, other, NULL) == 0)
		pthread_join(thread, NULL);
}

int main(void)
{
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		answer();
		printf("%d\n", (int)getpid());
		fflush(stdout);
	}
	return 7;
}
