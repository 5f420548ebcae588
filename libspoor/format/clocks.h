/* SPDX-License-Identifier: MIT */
/* clocks.h - reads the time stamp counter and the kernel's clocks at one moment. */
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
 * spoor_clocks_read - reads counter, CLOCK_MONOTONIC and CLOCK_REALTIME at one moment.
 * @is_clock: nonzero: events use CLOCK_MONOTONIC as their counter (time_source.h)
 *
 * The counter is the middle between readings before and after CLOCK_MONOTONIC. Of up to 64 tries the
 * one with the least distance between the readings is used, since an interruption increases it. Of
 * equal tries the last one is used, because the first ones wait for the cache. A try in which the
 * counter did not move does not show the position within a tick; a tick takes 40 ns on some machines
 * and 1 us in an emulator.
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
