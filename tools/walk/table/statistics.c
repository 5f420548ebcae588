/* SPDX-License-Identifier: MIT */
/* statistics.c - sums up calls and durations for one row of a report. */
#include "walk/table/statistics.h"

#include <math.h>

int report_statistics_widen(struct report_statistics *statistics, uint64_t ns)
{
	/* Most called functions are called only once, and need no histogram. */
	if (!statistics->durations) {
		statistics->min_ns = ns;
		return 0;
	}
	if (!statistics->histogram.size && histogram_add(&statistics->histogram, statistics->min_ns))
		return -1;
	return histogram_add(&statistics->histogram, ns);
}

/* Returns 0, or a negative value if memory runs out. */
static int merge_histograms(struct report_statistics *statistics, struct report_statistics *other)
{
	if (!statistics->durations) {
		histogram_free(&statistics->histogram);
		statistics->histogram = other->histogram;
		other->histogram = (struct histogram){ 0 };
		return 0;
	}
	if (!statistics->histogram.size && histogram_add(&statistics->histogram, statistics->min_ns))
		return -1;
	return other->histogram.size ? histogram_merge(&statistics->histogram, &other->histogram) :
				       histogram_add(&statistics->histogram, other->min_ns);
}

int report_statistics_merge(struct report_statistics *statistics, struct report_statistics *other)
{
	statistics->total_ns += other->total_ns;
	statistics->self_ns += other->self_ns;
	statistics->counted += other->counted;
	statistics->roots += other->roots;
	statistics->has_spent |= other->has_spent;
	statistics->has_faults |= other->has_faults;
	statistics->has_cpu_time |= other->has_cpu_time;
	statistics->cpu_time_of_ns += other->cpu_time_of_ns;
	statistics->cpu_time_ns += other->cpu_time_ns;
	report_spent_add(&statistics->spent, &other->spent);
	report_spent_add(&statistics->self_spent, &other->self_spent);
	if (!other->durations)
		return 0;
	if (merge_histograms(statistics, other))
		return -1;
	if (!statistics->durations || other->min_ns < statistics->min_ns)
		statistics->min_ns = other->min_ns;
	if (other->max_ns > statistics->max_ns)
		statistics->max_ns = other->max_ns;
	statistics->durations += other->durations;
	statistics->resumed += other->resumed;
	statistics->sum_ns += other->sum_ns;
	statistics->squares += other->squares;
	return 0;
}

uint64_t report_statistics_average(const struct report_statistics *statistics)
{
	return statistics->calls ? statistics->sum_ns / statistics->calls : 0;
}

uint64_t report_statistics_deviation(const struct report_statistics *statistics)
{
	report_square mean_squares;

	if (!statistics->durations)
		return 0;
	/* Less than the exact value by less than 1 ns². In damaged traces the sums may have overflowed. */
	mean_squares = (report_square)statistics->sum_ns * statistics->sum_ns / statistics->durations;
	if (mean_squares > statistics->squares)
		return 0;
	return (uint64_t)(sqrtl((long double)(statistics->squares - mean_squares) / (long double)statistics->durations) +
			  0.5L);
}

uint64_t report_statistics_percentile(const struct report_statistics *statistics, uint32_t percent)
{
	uint64_t rest = statistics->durations / 100 * (100 - percent) + statistics->durations % 100 * (100 - percent) / 100;
	uint64_t ns;

	if (statistics->durations < 2)
		return statistics->min_ns;
	ns = histogram_ranked_ns(&statistics->histogram, statistics->durations - rest);
	return ns < statistics->min_ns ? statistics->min_ns : ns > statistics->max_ns ? statistics->max_ns : ns;
}
