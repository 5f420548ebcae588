/* SPDX-License-Identifier: MIT */
/*
 * floor.c - the floor: the least that a hook with a time stamp costs. A call,
 * the time stamp counter, a store of 16 bytes into a ring of the thread.
 */
#include "work.h"

#include <x86intrin.h>

enum { RING_WORDS = 1 << 17 }; /* 1 MiB: it stays in the second-level cache */

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
