/* SPDX-License-Identifier: MIT */
/* clocks.h - the time stamp counter beside the kernel's clocks. */
#ifndef SPOOR_CLOCKS_H
#define SPOOR_CLOCKS_H

#include <time.h>

#include "format/pool_format.h"
#include "base/system.h"	/* spoor_cycles */

static inline int64_t spoor_clock_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/*
 * spoor_clocks_read - counter, CLOCK_MONOTONIC and CLOCK_REALTIME of one moment.
 *
 * The counter is the middle of two readings around the monotonic clock's, of the
 * tightest of a few tries, and of those the last: an interruption would part them, and
 * the first ones wait for the cache. Where the counter did not move between the two nobody
 * knows where in a tick that was; ticks are 40 ns on some machines and 1 us in an emulator.
 * @is_clock: it is that clock itself (time_source.h).
 */
static inline void spoor_clocks_read(struct spoor_clocks *clocks, int is_clock)
{
	uint64_t tightest = UINT64_MAX;
	int moved = 0;

	if (is_clock) {
		clocks->steady_ns = spoor_clock_ns(CLOCK_MONOTONIC);
		clocks->counter = (uint64_t)clocks->steady_ns;
		clocks->system_ns = spoor_clock_ns(CLOCK_REALTIME);
		return;
	}
	for (int i = 0; i < 64 && moved < 4; i++) {
		uint64_t before = spoor_cycles();
		int64_t steady = spoor_clock_ns(CLOCK_MONOTONIC);
		uint64_t after = spoor_cycles(), width = after > before ? after - before : UINT64_MAX;

		moved += after > before;
		if (width > tightest)
			continue;
		tightest = width;
		clocks->counter = after > before ? before + width / 2 : before;
		clocks->steady_ns = steady;
	}
	clocks->system_ns = spoor_clock_ns(CLOCK_REALTIME);
}

#endif
