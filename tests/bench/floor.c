/* SPDX-License-Identifier: MIT */
/*
 * floor.c - the floor: the cheapest possible hook with a time stamp. It consists of a
 * call, a read of the time stamp counter, and a store of 16 bytes into the thread's ring.
 */
#include "work.h"

#include <x86intrin.h>

enum { RING_WORDS = 1 << 17 }; /* 1 MiB, which fits into the second-level cache */

static __thread uint64_t ring[RING_WORDS] __attribute__((tls_model("initial-exec")));
static __thread uint64_t cursor __attribute__((tls_model("initial-exec")));

void floor_hook(uint64_t id);

__attribute__((noinline)) void floor_hook(uint64_t id)
{
	uint64_t *event = &ring[cursor];

	event[0] = __rdtsc();
	event[1] = id;
	cursor = (cursor + 2) % RING_WORDS;
}
