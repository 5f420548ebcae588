/* SPDX-License-Identifier: MIT */
/*
 * marked.c - everything that a program can log between calls, in long and in short calls: values of a counter,
 * also negative, hits of tracepoints, and user events, one with a time before the program began.
 */
#include <spoor.h>
#include <spoor/scope.h>
#include <spoor/sdt.h>
#include <stdint.h>
#include <time.h>

#define TRACED __attribute__((noinline))
#define KEEP __asm__ volatile("" : : : "memory")	/* prevents a tail call */
#define UNTRACED __attribute__((noinline, no_instrument_function))

enum { NOTE = 0x80000010, EARLIER = 0x80000011 };

SPOOR_SDT_DEFINE_SEMAPHORE(marked, large);
SPOOR_SDT_DEFINE_SEMAPHORE(marked, negative);
SPOOR_SDT_DEFINE_SEMAPHORE(marked, nothing);

static UNTRACED uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static UNTRACED void last(uint64_t ns)
{
	uint64_t end_ns = now_ns() + ns;

	while (now_ns() < end_ns)
		;
}

static TRACED void short_call(int i)
{
	SPOOR_COUNTER("balance", -5 - i);
	SPOOR_SDT_WITH_SEMAPHORE(marked, large, UINT64_MAX - 15, &now_ns);
	SPOOR_SDT_WITH_SEMAPHORE(marked, negative, -7);
	SPOOR_SDT_WITH_SEMAPHORE(marked, nothing);
	spoor_log_event(NOTE, UINT64_MAX, (uint32_t)i);
	KEEP;
}

static TRACED void long_call(int i)
{
	short_call(i);
	last(2000000);
	short_call(i);
	KEEP;
}

int main(void)
{
	spoor_name_event_type(NOTE, "note", SPOOR_PAYLOAD_NUMBER);
	spoor_name_event_type(EARLIER, "earlier", SPOOR_PAYLOAD_NUMBER);
	spoor_log_event_at(now_ns() - 10000000000, EARLIER, 7, 0);
	for (int i = 0; i < 10; i++) {
		short_call(i);
		if (i % 2)
			long_call(i);
	}
	return 0;
}
