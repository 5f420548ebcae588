/* SPDX-License-Identifier: MIT */
/* histogram.c - counts durations by length. */
#include "base/histogram.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int histogram_grow(struct histogram *histogram, uint32_t bucket)
{
	uint32_t first = bucket & -HISTOGRAM_STEP, end = first + HISTOGRAM_STEP;
	uint64_t *counts;

	if (histogram->size && histogram->first < first)
		first = histogram->first;
	if (histogram->size && histogram->first + histogram->size > end)
		end = histogram->first + histogram->size;
	counts = calloc(end - first, sizeof(*counts));
	if (!counts)
		return -ENOMEM;
	if (histogram->size)
		memcpy(counts + (histogram->first - first), histogram->counts, histogram->size * sizeof(*counts));
	free(histogram->counts);
	*histogram = (struct histogram){ counts, first, end - first };
	return 0;
}

int histogram_merge(struct histogram *histogram, const struct histogram *other)
{
	if (other->size && (histogram_grow(histogram, other->first) ||
			    histogram_grow(histogram, other->first + other->size - 1)))
		return -ENOMEM;
	for (uint32_t i = 0; i < other->size; i++)
		histogram->counts[other->first - histogram->first + i] += other->counts[i];
	return 0;
}

uint64_t histogram_ranked_ns(const struct histogram *histogram, uint64_t rank)
{
	uint64_t before = 0;
	uint32_t i = 0;

	while (i + 1 < histogram->size && rank - before > histogram->counts[i])
		before += histogram->counts[i++];
	/* The end of the last bucket does not fit 64 bits and is 0; the subtraction wraps around to the right
	 * width. */
	return histogram_begin_ns(histogram->first + i) +
	       (histogram_begin_ns(histogram->first + i + 1) - histogram_begin_ns(histogram->first + i)) / 2;
}

void histogram_free(struct histogram *histogram)
{
	free(histogram->counts);
	*histogram = (struct histogram){ 0 };
}
