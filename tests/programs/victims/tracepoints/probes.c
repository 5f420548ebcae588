/* SPDX-License-Identifier: MIT */
/*
 * probes.c - static tracepoints with arguments of all kinds, in C and in C++. Prints each
 * tracepoint's name and its arguments as numbers, signed ones with their sign.
 *
 * With -DSYSTEMTAP the same tracepoints come from SystemTap's own header.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef SYSTEMTAP
#include <sys/sdt.h>
#define PROBE_0(name) STAP_PROBE(victim, name)
#define PROBE_1(name, a) STAP_PROBE1(victim, name, a)
#define PROBE_4(name, ...) STAP_PROBE4(victim, name, __VA_ARGS__)
#define PROBE_12(name, ...) STAP_PROBE12(victim, name, __VA_ARGS__)
#else
#include <spoor/sdt.h>
#define PROBE_0(name) SPOOR_SDT(victim, name)
#define PROBE_1(name, a) SPOOR_SDT(victim, name, a)
#define PROBE_4(name, ...) SPOOR_SDT(victim, name, __VA_ARGS__)
#define PROBE_12(name, ...) SPOOR_SDT(victim, name, __VA_ARGS__)
SPOOR_SDT_DEFINE_SEMAPHORE(victim, asked);
#endif

enum colour { RED, GREEN = 70000 };

static const char text[] = "some text";
static int numbers[4] = { 4, 5, 6, 7 };

__attribute__((noinline)) static long many(signed char a, unsigned char b, short c, unsigned short d, int e, unsigned int f,
					   long g, unsigned long h, bool i, const char *j, enum colour k, int64_t l)
{
	printf("many %d %u %d %u %d %u %ld %lu %d %lu %d %ld\n", a, b, c, d, e, f, g, h, i, (unsigned long)(uintptr_t)j, (int)k,
	       (long)l);
	PROBE_12(many, a, b, c, d, e, f, g, h, i, j, k, l);
	return a + b + c + d + e + (long)f + g + (long)h + i + k + l;
}

/* Constants, arrays, sums, and values in memory. */
__attribute__((noinline)) static int few(int *at)
{
	printf("few %d %lu %d %d\n", -5, (unsigned long)(uintptr_t)numbers, at[2] + 1, at[3]);
	PROBE_4(few, -5, numbers, at[2] + 1, at[3]);
	return at[0];
}

/* Unused, so a linker that drops unused functions drops it. */
__attribute__((noinline, used)) static void dropped(int value)
{
	PROBE_1(dropped, value);
}

int main(void)
{
	long sum = 0;

	printf("none\n");
	PROBE_0(none);
	for (int turn = 0; turn < 2; turn++)
		sum += many((signed char)(-3 - turn), 200, -3000, 60000, -70000 - turn, 4000000000u, -5000000000L,
			    10000000000000000000ul, turn, text, GREEN, INT64_MIN + turn);
	sum += few(numbers);
#ifndef SYSTEMTAP
	if (SPOOR_SDT_IS_ENABLED(victim, asked)) {
		printf("asked %d\n", 77);
		SPOOR_SDT_WITH_SEMAPHORE(victim, asked, numbers[3] + 70);
	}
#endif
	return sum == 1;
}
