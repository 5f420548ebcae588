/* SPDX-License-Identifier: MIT */
/* duration_histogram.h - writes the histogram of the durations in a row of a report. */
#ifndef SPOOR_TOOLS_WALK_DURATION_HISTOGRAM_H
#define SPOOR_TOOLS_WALK_DURATION_HISTOGRAM_H

#include "base/output.h"
#include "walk/table/statistics.h"

/* Writes a line with a bar for each power of two from the shortest to the longest duration. */
void report_histogram_text(const struct report_statistics *statistics, struct output *out);

/* Writes a member of the row's object, after a comma: all buckets that are not empty. */
void report_histogram_json(const struct report_statistics *statistics, struct output *out);

#endif
