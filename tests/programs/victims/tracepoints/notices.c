/* SPDX-License-Identifier: MIT */
/*
 * notices.c - finds out from its own code whether it is traced, and continues when that changes.
 *
 * usage: notices WORD..., obeyed in order:
 *   early      calls early() once if the time of SPOOR_RUNTIME_START has not come yet; prints "late" otherwise
 *   awake      waits until its sleds are awake
 *   asleep     waits until its sleds are dormant, and calls busy() meanwhile
 *   marks      calls mark() five times
 *   late       calls late() seven times
 *   again WORD...   executes this program again
 *   ends       ends with status 3
 * Prints at its end, and before it executes itself, how often it called busy().
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "spoor_attributes.h"

#define PAUSE_NS 20000

static volatile unsigned long calls;

__attribute__((noinline)) void early(void) { calls++; }
__attribute__((noinline)) void mark(void) { calls++; }
__attribute__((noinline)) void late(void) { calls++; }
__attribute__((noinline)) void busy(void) { calls++; }

/* Compares the first bytes of busy() with the first bytes of a patched sled. */
SPOOR_NEVER static int is_awake(void)
{
	return *(const volatile uint16_t *)(uintptr_t)busy == AWAKE;
}

/* @room_ns: time that the call needs */
SPOOR_NEVER static int is_early(int64_t room_ns)
{
	const char *start = getenv("SPOOR_RUNTIME_START");
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return start && now.tv_sec * 1000000000ll + now.tv_nsec + room_ns < atoll(start);
}

SPOOR_NEVER int main(int count, char **words)
{
	unsigned long busy_calls = 0;

	for (int i = 1; i < count; i++) {
		if (strcmp(words[i], "early") == 0 && is_early(100000000)) {
			early();
			if (!is_early(0))
				puts("late");
		}
		while (strcmp(words[i], "awake") == 0 && !is_awake())
			nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
		for (; strcmp(words[i], "asleep") == 0 && is_awake(); busy_calls++)
			busy();
		for (int j = 0; strcmp(words[i], "marks") == 0 && j < 5; j++)
			mark();
		for (int j = 0; strcmp(words[i], "late") == 0 && j < 7; j++)
			late();
		if (strcmp(words[i], "again") == 0) {
			printf("%lu\n", busy_calls);
			fflush(stdout);
			execv("/proc/self/exe", words + i);
			return 1;
		}
		if (strcmp(words[i], "ends") == 0) {
			printf("%lu\n", busy_calls);
			return 3;
		}
	}
	printf("%lu\n", busy_calls);
	return 0;
}
