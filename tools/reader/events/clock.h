/* SPDX-License-Identifier: MIT */
/*
 * clock.h - converts the time stamp counter to nanoseconds of CLOCK_MONOTONIC.
 *
 * Every block of a trace contains the counter and the clocks at one moment. Between two such moments
 * time runs at a constant rate; before the first and after the last one it runs at the neighbouring
 * rate.
 *
 * Invariants
 *   I1  c <= d implies clock_ns(c) <= clock_ns(d).
 *   I2  The memory does not grow with the trace.
 */
#ifndef SPOOR_READER_CLOCK_H
#define SPOOR_READER_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/pool_format.h"

#define CLOCK_PAIRS_MAX 1024u
#define CLOCK_RATE_SHIFT 40	/* rates are fixed-point numbers, up to 16 ms a tick */

struct clock_segment {
	uint64_t counter;	/* at its begin */
	uint64_t ns;
	uint64_t rate;		/* ns a tick, times 2^CLOCK_RATE_SHIFT */
};

struct clock {
	struct spoor_clocks pairs[CLOCK_PAIRS_MAX];
	size_t pair_count;
	uint64_t spacing_ns;	/* of two pairs that are nearer than this, one is dropped */

	struct clock_segment *segments;
	size_t segment_count;
	size_t current;		/* the segment used last */
	bool uncalibrated;	/* fewer than two pairs: one tick counts as 1 ns */
};

void clock_init(struct clock *clock);
void clock_add(struct clock *clock, uint64_t counter, int64_t steady_ns, int64_t system_ns);

/* clock_finish - call it after the last pair and before the first conversion, and again when more pairs were
 * added. Returns 0, or -ENOMEM with the clock unchanged. */
int clock_finish(struct clock *clock);
/* Adds @ns to all times. Called once, after clock_finish. */
void clock_shift(struct clock *clock, uint64_t ns);
void clock_free(struct clock *clock);

void clock_seek(struct clock *clock, uint64_t counter);

/* Converts counters before the first pair. */
uint64_t clock_ns_before(const struct clock_segment *segment, uint64_t counter);

static inline uint64_t clock_ns(struct clock *clock, uint64_t counter)
{
	const struct clock_segment *segment = &clock->segments[clock->current];

	if (counter < segment->counter || counter >= segment[1].counter) {
		clock_seek(clock, counter);
		segment = &clock->segments[clock->current];
	}
	if (__builtin_expect(counter < segment->counter, 0))
		return clock_ns_before(segment, counter);
	unsigned __int128 since = (unsigned __int128)(counter - segment->counter) * segment->rate >> CLOCK_RATE_SHIFT;

	/* An invalid counter must not wrap around to an early time. */
	if (__builtin_expect(since > UINT64_MAX - segment->ns, 0))
		return UINT64_MAX;
	return segment->ns + (uint64_t)since;
}

/*
 * For many conversions of counters near each other: clock_ns of each counter in [begin, end) is ns +
 * ((counter - begin) * rate >> CLOCK_RATE_SHIFT).
 */
struct clock_stretch {
	uint64_t begin, end, ns, rate;
};

/* Returns the stretch around @counter, which may be empty. */
struct clock_stretch clock_stretch_at(struct clock *clock, uint64_t counter);

static inline uint64_t clock_stretch_ns(const struct clock_stretch *stretch, struct clock *clock, uint64_t counter)
{
	if (__builtin_expect(counter - stretch->begin >= stretch->end - stretch->begin, 0))
		return clock_ns(clock, counter);
	return stretch->ns +
	       (uint64_t)((unsigned __int128)(counter - stretch->begin) * stretch->rate >> CLOCK_RATE_SHIFT);
}

#endif
