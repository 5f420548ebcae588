/* SPDX-License-Identifier: MIT */
/*
 * histogram.h - how many durations there were of each length, in memory that does not grow
 * with their number.
 *
 * Each power of two is 32 buckets of one width; below 64 ns a bucket is one nanosecond. So
 * the middle of a bucket is off by 1/64 of a duration in it, 1.6 %, at most.
 *
 * Invariants
 *   I1  counts[i] is of bucket first + i; both `first` and `size` are multiples of
 *       HISTOGRAM_STEP: 256 bytes for each power of two between shortest and longest.
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

/* The shortest duration in a bucket; that of the bucket behind the last one is 0: 2^64. */
static inline uint64_t histogram_begin_ns(uint32_t bucket)
{
	uint32_t shift = bucket < 2 * HISTOGRAM_STEP ? 0 : (bucket >> HISTOGRAM_STEP_BITS) - 1;

	return (uint64_t)(bucket - (shift << HISTOGRAM_STEP_BITS)) << shift;
}

/* Makes room for a bucket. Return: 0, or less without memory. */
int histogram_grow(struct histogram *histogram, uint32_t bucket);

/* Counts one duration. Return: 0, or less without memory. About 14 instructions. */
static inline int histogram_add(struct histogram *histogram, uint64_t ns)
{
	uint32_t bucket = histogram_bucket(ns);

	if (__builtin_expect(bucket - histogram->first >= histogram->size, 0) && histogram_grow(histogram, bucket))
		return -1;
	histogram->counts[bucket - histogram->first]++;
	return 0;
}

/* Adds another one to it. Return: 0, or less without memory. */
int histogram_merge(struct histogram *histogram, const struct histogram *other);

/* About where the duration is that is the @rank-th from below, from 1: the middle of its bucket. */
uint64_t histogram_ranked_ns(const struct histogram *histogram, uint64_t rank);

void histogram_free(struct histogram *histogram);

#endif
