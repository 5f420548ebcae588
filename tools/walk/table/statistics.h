/* SPDX-License-Identifier: MIT */
/*
 * statistics.h - sums up calls and durations for one row of a report.
 *
 * Sums are integers, so that adding ten nanoseconds to a hundred hours loses nothing. Divisions come
 * last.
 */
#ifndef SPOOR_TOOLS_REPORT_STATISTICS_H
#define SPOOR_TOOLS_REPORT_STATISTICS_H

#include "base/histogram.h"
#include "reader/sched/thread_sched.h"

typedef unsigned __int128 report_square;

struct report_statistics {
	/* Updated at the end of each call. */
	uint64_t open;		/* the current thread's open calls */
	uint64_t total_ns, self_ns;
	uint64_t durations;	/* `calls`, plus one for each time that a call resumed after another stack */
	uint64_t min_ns, max_ns;
	uint64_t sum_ns;	/* of all durations except the roots', nested calls included */
	report_square squares;	/* the sum of their squares */
	struct histogram histogram;	/* empty for fewer than two durations: then min_ns is the duration */

	uint64_t resumed;	/* durations that are not the first of their call */
	uint64_t calls;		/* durations minus resumed, once they were added up */
	uint64_t counted;	/* calls without times, in addition to `calls` */
	uint64_t roots;		/* calls begun before recording; in total_ns and self_ns only */

	/* The parts of total_ns and self_ns in threads of which it is known when they ran. */
	bool has_spent, has_faults;
	bool has_cpu_time;	/* some outermost calls have processor times in the trace */
	struct sched_spent spent, self_spent;
	uint64_t cpu_time_ns, cpu_time_of_ns;	/* the processor time of these calls; their part of total_ns */
};

/* Adds a duration that the histogram has no bucket for, such as the first one. Returns 0, or a negative value if
 * memory runs out. */
int report_statistics_widen(struct report_statistics *statistics, uint64_t ns);

/* Adds one duration. Returns 0, or a negative value if memory runs out. About 30 instructions. */
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

/* Tells if the processor time of all outermost calls is in the trace. */
static inline bool report_statistics_has_cpu_time(const struct report_statistics *statistics)
{
	return statistics->has_cpu_time && statistics->cpu_time_of_ns == statistics->total_ns;
}

/* Adds what a thread did in a call. */
static inline void report_spent_add(struct sched_spent *spent, const struct sched_spent *more)
{
	spent->wall_ns += more->wall_ns;
	spent->wait_ns += more->wait_ns;
	spent->preempted_ns += more->preempted_ns;
	spent->faults += more->faults;
}

/* Adds the contents of @other, and takes its histogram. Returns 0, or a negative value if memory runs out. */
int report_statistics_merge(struct report_statistics *statistics, struct report_statistics *other);

uint64_t report_statistics_average(const struct report_statistics *statistics);

/* Returns the standard deviation of the whole population: divides by the number of durations. */
uint64_t report_statistics_deviation(const struct report_statistics *statistics);

/* Returns the shortest duration such that @percent of all are not longer, within 1/64 of it. */
uint64_t report_statistics_percentile(const struct report_statistics *statistics, uint32_t percent);

#endif
