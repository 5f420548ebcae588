/* SPDX-License-Identifier: MIT */
/* clocks.h - the time stamp counter beside the kernel's clocks. */
#ifndef SPOOR_CLOCKS_H
#define SPOOR_CLOCKS_H

#include <time.h>

#include "pool_format.h"
#include "system.h"	/* spoor_cycles */

static inline int64_t spoor_clock_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/*
 * spoor_clocks_read - counter, CLOCK_MONOTONIC and CLOCK_REALTIME of one moment.
 *
 * The counter is the middle of two readings around the monotonic clock's, of
 * the tightest of a few tries: an interruption would part them. @is_clock: it is that
 * clock itself (counter.h).
 */
static inline void spoor_clocks_read(struct spoor_clocks *clocks, int is_clock)
{
	uint64_t tightest = UINT64_MAX;

	if (is_clock) {
		clocks->steady_ns = spoor_clock_ns(CLOCK_MONOTONIC);
		clocks->counter = (uint64_t)clocks->steady_ns;
		clocks->system_ns = spoor_clock_ns(CLOCK_REALTIME);
		return;
	}
	for (int i = 0; i < 4; i++) {
		uint64_t before = spoor_cycles();
		int64_t steady = spoor_clock_ns(CLOCK_MONOTONIC);
		uint64_t after = spoor_cycles();

		if (after - before >= tightest)
			continue;
		tightest = after - before;
		clocks->counter = before + (after - before) / 2;
		clocks->steady_ns = steady;
	}
	clocks->system_ns = spoor_clock_ns(CLOCK_REALTIME);
}

#endif
