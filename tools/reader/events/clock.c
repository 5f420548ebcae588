/* SPDX-License-Identifier: MIT */
/* clock.c - converts the time stamp counter to nanoseconds, using the pairs of clock values in the trace. */
#include "reader/events/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The least length of a segment. Two readings of two clocks are each about ten nanoseconds off, which matters
 * less if they are further apart. */
#define SEGMENT_NS 100000000u

/* An interrupted reading of the two clocks is further than this from the line through its neighbours, and further
 * than any steering of the clock (500 parts in a million) explains. */
#define OUTLIER_NS 20000
#define STEERING 2000		/* the reciprocal of 500 ppm */

void clock_init(struct clock *clock)
{
	memset(clock, 0, sizeof(*clock));
}

static int compare_pairs(const void *left, const void *right)
{
	const struct spoor_clocks *a = left, *b = right;

	if (a->counter != b->counter)
		return a->counter < b->counter ? -1 : 1;
	return a->steady_ns < b->steady_ns ? -1 : a->steady_ns > b->steady_ns;
}

/* Sorts the pairs. Keeps the first, the last, and pairs between them that ascend and are at least @spacing_ns
 * apart. */
static void clock_thin(struct clock *clock, uint64_t spacing_ns)
{
	struct spoor_clocks *pairs = clock->pairs;
	size_t kept = 0;

	if (!clock->pair_count)
		return;
	qsort(pairs, clock->pair_count, sizeof(*pairs), compare_pairs);
	for (size_t i = 1; i < clock->pair_count; i++) {
		const struct spoor_clocks *last = &pairs[kept];

		if (pairs[i].counter == last->counter || pairs[i].steady_ns <= last->steady_ns)
			continue;
		/* The last pair replaces a pair that is too near, unless that is the first one. */
		if ((uint64_t)(pairs[i].steady_ns - last->steady_ns) < spacing_ns && i + 1 < clock->pair_count)
			continue;
		if ((uint64_t)(pairs[i].steady_ns - last->steady_ns) < spacing_ns && kept > 0)
			pairs[kept] = pairs[i];
		else
			pairs[++kept] = pairs[i];
	}
	clock->pair_count = kept + 1;
}

void clock_add(struct clock *clock, uint64_t counter, int64_t steady_ns, int64_t system_ns)
{
	if (steady_ns < 0)
		return;
	if (clock->pair_count == CLOCK_PAIRS_MAX) {
		clock_thin(clock, clock->spacing_ns);
		while (clock->pair_count > CLOCK_PAIRS_MAX / 2) {
			clock->spacing_ns = clock->spacing_ns ? 2 * clock->spacing_ns : SEGMENT_NS / 64;
			clock_thin(clock, clock->spacing_ns);
		}
	}
	clock->pairs[clock->pair_count++] = (struct spoor_clocks){ counter, steady_ns, system_ns };
}

/* Returns the value of the line from @a to @b at @counter. */
static __int128 line_at(const struct spoor_clocks *a, const struct spoor_clocks *b, uint64_t counter)
{
	__int128 rise = (__int128)b->steady_ns - a->steady_ns;

	/* Divide both by 2, so that no product of two differences overflows. */
	return a->steady_ns + rise * (int64_t)((counter - a->counter) / 2) /
			      (int64_t)((b->counter - a->counter) / 2 + 1);
}

static void drop_outliers(struct clock *clock)
{
	struct spoor_clocks *pairs = clock->pairs;
	size_t kept = 1;

	for (size_t i = 1; i + 1 < clock->pair_count; i++) {
		const struct spoor_clocks *before = &pairs[kept - 1], *after = &pairs[i + 1];
		__int128 off = pairs[i].steady_ns - line_at(before, after, pairs[i].counter);
		int64_t tolerated = OUTLIER_NS + (after->steady_ns - before->steady_ns) / STEERING;

		if (off <= tolerated && off >= -tolerated)
			pairs[kept++] = pairs[i];
	}
	if (clock->pair_count > 1)
		pairs[kept++] = pairs[clock->pair_count - 1];
	clock->pair_count = kept;
}

int clock_finish(struct clock *clock)
{
	struct spoor_clocks *pairs = clock->pairs;
	struct clock_segment *segments;
	size_t count;

	clock_thin(clock, SEGMENT_NS);
	if (clock->pair_count > 2)
		drop_outliers(clock);
	count = clock->pair_count < 2 ? 1 : clock->pair_count - 1;
	/* One more segment, which no counter reaches, so that each segment ends at the begin of the next one. */
	segments = calloc(count + 1, sizeof(*segments));
	if (!segments)
		return -ENOMEM;
	free(clock->segments);
	clock->segments = segments;
	clock->segment_count = count;
	clock->current = 0;
	clock->uncalibrated = clock->pair_count < 2;
	clock->segments[clock->segment_count].counter = UINT64_MAX;
	if (clock->uncalibrated) {
		clock->segments[0] = (struct clock_segment){
			.counter = clock->pair_count ? pairs[0].counter : 0,
			.ns = clock->pair_count ? (uint64_t)pairs[0].steady_ns : 0,
			.rate = 1ull << CLOCK_RATE_SHIFT,
		};
		return 0;
	}
	for (size_t i = 0; i < clock->segment_count; i++) {
		unsigned __int128 ns = (unsigned __int128)(uint64_t)(pairs[i + 1].steady_ns - pairs[i].steady_ns);
		unsigned __int128 rate = (ns << CLOCK_RATE_SHIFT) / (pairs[i + 1].counter - pairs[i].counter);

		clock->segments[i] = (struct clock_segment){
			.counter = pairs[i].counter,
			.ns = (uint64_t)pairs[i].steady_ns,
			.rate = rate > UINT64_MAX ? UINT64_MAX : (uint64_t)rate,
		};
	}
	return 0;
}

void clock_shift(struct clock *clock, uint64_t ns)
{
	for (size_t i = 0; i < clock->segment_count; i++)
		clock->segments[i].ns = clock->segments[i].ns > UINT64_MAX - ns ? UINT64_MAX : clock->segments[i].ns + ns;
}

void clock_free(struct clock *clock)
{
	free(clock->segments);
	clock->segments = NULL;
}

void clock_seek(struct clock *clock, uint64_t counter)
{
	size_t low = 0, high = clock->segment_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (clock->segments[middle].counter <= counter)
			low = middle;
		else
			high = middle;
	}
	clock->current = low;
}

uint64_t clock_ns_before(const struct clock_segment *segment, uint64_t counter)
{
	unsigned __int128 back = (unsigned __int128)(segment->counter - counter) * segment->rate >> CLOCK_RATE_SHIFT;

	return back < segment->ns ? segment->ns - (uint64_t)back : 0;
}

struct clock_stretch clock_stretch_at(struct clock *clock, uint64_t counter)
{
	const struct clock_segment *segment;
	struct clock_stretch stretch = { 0 };
	unsigned __int128 room;

	clock_seek(clock, counter);
	segment = &clock->segments[clock->current];
	if (counter < segment->counter)
		return stretch;
	room = ((unsigned __int128)(UINT64_MAX - segment->ns) << CLOCK_RATE_SHIFT) / (segment->rate ? segment->rate : 1);
	stretch.begin = segment->counter;
	stretch.end = room < segment[1].counter - segment->counter ? segment->counter + (uint64_t)room : segment[1].counter;
	stretch.ns = segment->ns;
	stretch.rate = segment->rate;
	return stretch;
}
