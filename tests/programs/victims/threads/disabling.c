/* SPDX-License-Identifier: MIT */
/*
 * disabling.c - a function is open in two threads when one of them disables it. The call lasts half a second more,
 * calls a function that is enabled, and returns after it is enabled again. Runs twice, after some useless switching.
 */
#include <pthread.h>
#include <time.h>

#include "spoor.h"
#include "../common/work.h"

#pragma weak spoor_functions_enable
#pragma weak spoor_functions_disable

static pthread_barrier_t barrier;

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, 0);
}

__attribute__((noinline)) static void still_on(void)
{
	pause_ms(1);
}

__attribute__((noinline)) static void lasting(int disables)
{
	pause_ms(20);
	pthread_barrier_wait(&barrier);
	if (disables)
		spoor_functions_disable("*", "lasting");
	pthread_barrier_wait(&barrier);
	still_on();
	pause_ms(500);
	if (disables)
		spoor_functions_enable("*", "lasting");
	pthread_barrier_wait(&barrier);
}

static void *other(void *unused)
{
	lasting(0);
	return unused;
}

UNTRACED static void both(void)
{
	pthread_t thread;

	for (int i = 0; i < 4; i++) {
		spoor_functions_disable("*", "lasting");
		spoor_functions_enable("*", "lasting");
	}
	pthread_create(&thread, 0, other, 0);
	lasting(1);
	pthread_join(thread, 0);
}

int main(void)
{
	pthread_barrier_init(&barrier, 0, 2);
	both();
	both();
	return 0;
}
