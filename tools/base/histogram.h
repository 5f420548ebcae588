/* SPDX-License-Identifier: MIT */
/*
 * histogram.h - counts durations by length, in memory that does not grow with the number of durations.
 *
 * Each power of two has 32 buckets of equal width; below 64 ns a bucket is one nanosecond wide. So the
 * middle of a bucket differs by at most 1/64 (1.6 %) from any duration in it.
 *
 * Invariants
 *   I1  counts[i] belongs to bucket first + i. Both `first` and `size` are multiples of
 *       HISTOGRAM_STEP, which takes 256 bytes for each power of two between the shortest and the
 *       longest duration.
 */
#ifndef SPOOR_TOOLS_HISTOGRAM_H
#define SPOOR_TOOLS_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define HISTOGRAM_STEP_BITS 5
#define HISTOGRAM_STEP (1u << HISTOGRAM_STEP_BITS)
#define HISTOGRAM_BUCKETS ((65u - HISTOGRAM_STEP_BITS) * HISTOGRAM_STEP)

struct histogram {
	uint64_t *counts;
	uint32_t first, size;
};

static inline uint32_t histogram_bucket(uint64_t ns)
{
	uint32_t shift = 63u - HISTOGRAM_STEP_BITS - (uint32_t)__builtin_clzll(ns | HISTOGRAM_STEP);

	return (shift << HISTOGRAM_STEP_BITS) + (uint32_t)(ns >> shift);
}

/* Returns the shortest duration of a bucket. The bucket after the last one would begin at 2^64: returns 0. */
static inline uint64_t histogram_begin_ns(uint32_t bucket)
{
	uint32_t shift = bucket < 2 * HISTOGRAM_STEP ? 0 : (bucket >> HISTOGRAM_STEP_BITS) - 1;

	return (uint64_t)(bucket - (shift << HISTOGRAM_STEP_BITS)) << shift;
}

/* Makes room for a bucket. Returns 0, or a negative value if memory runs out. */
int histogram_grow(struct histogram *histogram, uint32_t bucket);

/* Counts one duration. Returns 0, or a negative value if memory runs out. About 14 instructions. */
static inline int histogram_add(struct histogram *histogram, uint64_t ns)
{
	uint32_t bucket = histogram_bucket(ns);

	if (__builtin_expect(bucket - histogram->first >= histogram->size, 0) && histogram_grow(histogram, bucket))
		return -1;
	histogram->counts[bucket - histogram->first]++;
	return 0;
}

/* Adds the counts of @other. Returns 0, or a negative value if memory runs out. */
int histogram_merge(struct histogram *histogram, const struct histogram *other);

/* Returns the middle of the bucket that holds the duration of this rank. The shortest duration has rank 1. */
uint64_t histogram_ranked_ns(const struct histogram *histogram, uint64_t rank);

void histogram_free(struct histogram *histogram);

#endif
