/* SPDX-License-Identifier: MIT */
/*
 * titled.c - writes a title over its arguments and its environment, as setproctitle(3) does. Then makes calls for
 * $1 milliseconds, and prints how many.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) void leaf(void)
{
	__asm__ volatile("");
}

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int main(int count, char **arguments)
{
	long end = now_ms() + atol(arguments[count - 1]), calls = 0;
	char *last = arguments[count - 1] + strlen(arguments[count - 1]) + 1;

	for (int i = 0; environ[i]; i++) {
		if (environ[i] == last)
			last += strlen(last) + 1;
		environ[i] = strdup(environ[i]);
	}
	memset(arguments[0], 0, (size_t)(last - arguments[0]));
	strcpy(arguments[0], "titled");
	for (; now_ms() < end; calls++) {
		leaf();
		usleep(1000);
	}
	printf("%ld\n", calls);
	return 0;
}
