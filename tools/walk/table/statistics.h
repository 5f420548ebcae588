/* SPDX-License-Identifier: MIT */
/*
 * statistics.h - calls and durations of one function, or of another row of a report.
 *
 * Sums are whole numbers, so that nothing is lost where a hundred hours and ten nanoseconds
 * are added; what is divided is divided at the end.
 */
#ifndef SPOOR_TOOLS_REPORT_STATISTICS_H
#define SPOOR_TOOLS_REPORT_STATISTICS_H

#include "base/histogram.h"

typedef unsigned __int128 report_square;

struct report_statistics {
	/* At the end of each call. */
	uint64_t open;		/* calls that the current thread is in */
	uint64_t total_ns, self_ns;
	uint64_t durations;	/* of `calls`, and one more each time that one went on after another stack's */
	uint64_t min_ns, max_ns;
	uint64_t sum_ns;	/* of all durations but the roots', inner calls too */
	report_square squares;	/* the sum of them */
	struct histogram histogram;	/* empty below two durations: then they are min_ns */

	uint64_t resumed;	/* durations that are not the first of their call */
	uint64_t calls;		/* the others, once they have been added up */
	uint64_t counted;	/* calls beside `calls`, without times */
	uint64_t roots;		/* the same, begun before they could be recorded: with `total` and `self` alone */
};

/* Takes one that the histogram has no room for, as it has none for the first. Return: 0, or less without memory. */
int report_statistics_widen(struct report_statistics *statistics, uint64_t ns);

/* Adds one duration. Return: 0, or less without memory. About 30 instructions. */
static inline int report_statistics_add(struct report_statistics *statistics, uint64_t ns)
{
	uint32_t bucket = histogram_bucket(ns);

	if (__builtin_expect(bucket - statistics->histogram.first >= statistics->histogram.size, 0)) {
		if (report_statistics_widen(statistics, ns))
			return -1;
	} else {
		statistics->histogram.counts[bucket - statistics->histogram.first]++;
	}
	if (ns < statistics->min_ns)
		statistics->min_ns = ns;
	if (ns > statistics->max_ns)
		statistics->max_ns = ns;
	statistics->durations++;
	statistics->sum_ns += ns;
	statistics->squares += (report_square)ns * ns;
	return 0;
}

/* Adds what another one has, and takes its histogram. Return: 0, or less without memory. */
int report_statistics_merge(struct report_statistics *statistics, struct report_statistics *other);

uint64_t report_statistics_average(const struct report_statistics *statistics);

/* From the average, of all that there were: divided by their number. */
uint64_t report_statistics_deviation(const struct report_statistics *statistics);

/* The shortest duration that @percent of all are not longer than, within 1/64 of it. */
uint64_t report_statistics_percentile(const struct report_statistics *statistics, uint32_t percent);

#endif
