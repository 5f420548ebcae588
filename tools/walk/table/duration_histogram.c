/* SPDX-License-Identifier: MIT */
/* duration_histogram.c - writes the histogram of the durations in a row of a report. */
#include "walk/table/duration_histogram.h"

#define BAR_WIDTH 40u

/* Counts durations in the buckets [begin, end). */
static uint64_t count_of(const struct report_statistics *statistics, uint32_t begin, uint32_t end)
{
	const struct histogram *histogram = &statistics->histogram;
	uint64_t count = 0;

	if (!histogram->size) {
		uint32_t only = histogram_bucket(statistics->min_ns);

		return only >= begin && only < end ? statistics->durations : 0;
	}
	for (uint32_t i = begin; i < end; i++)
		count += i - histogram->first < histogram->size ? histogram->counts[i - histogram->first] : 0;
	return count;
}

static uint32_t power_bucket(unsigned int power)
{
	return power < 64 ? histogram_bucket((uint64_t)1 << power) : HISTOGRAM_BUCKETS;
}

/* Counts durations in [2^power, 2^(power + 1)) ns. Durations of 0 ns are counted with those of 1 ns. */
static uint64_t count_of_power(const struct report_statistics *statistics, unsigned int power)
{
	return count_of(statistics, power ? power_bucket(power) : 0, power_bucket(power + 1));
}

static unsigned int power_of(uint64_t ns)
{
	return 63u - (unsigned int)__builtin_clzll(ns | 1);
}

void report_histogram_text(const struct report_statistics *statistics, struct output *out)
{
	unsigned int first = power_of(statistics->min_ns), last = power_of(statistics->max_ns);
	uint64_t most = 1;

	if (!statistics->durations)
		return;
	for (unsigned int power = first; power <= last; power++) {
		uint64_t count = count_of_power(statistics, power);

		most = count > most ? count : most;
	}
	for (unsigned int power = first; power <= last; power++) {
		uint64_t count = count_of_power(statistics, power);
		uint32_t bar = (uint32_t)((report_square)count * BAR_WIDTH / most);

		output_grouped(out, count, 13);
		output_string(out, "  from ");
		output_duration(out, power ? (uint64_t)1 << power : 0);
		if (count)
			output_string(out, "  ");
		for (uint32_t i = 0; i < bar || (i == 0 && count); i++)
			output_char(out, '#');
		output_char(out, '\n');
	}
	output_char(out, '\n');
}

void report_histogram_json(const struct report_statistics *statistics, struct output *out)
{
	uint32_t begin = histogram_bucket(statistics->min_ns), end = histogram_bucket(statistics->max_ns) + 1;
	const char *before = "";

	output_string(out, ", \"histogram\": [");
	for (uint32_t i = begin; statistics->durations && i < end; i++) {
		uint64_t count = count_of(statistics, i, i + 1);

		if (!count)
			continue;
		output_string(out, before);
		before = ", ";
		output_string(out, "{\"from_ns\": ");
		output_number(out, histogram_begin_ns(i));
		output_string(out, ", \"to_ns\": ");
		output_number(out, histogram_begin_ns(i + 1) - 1);
		output_string(out, ", \"calls\": ");
		output_number(out, count);
		output_char(out, '}');
	}
	output_char(out, ']');
}
