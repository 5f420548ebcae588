/* SPDX-License-Identifier: MIT */
/* duration_histogram.h - how many durations a row of a report has of each length, as it is written. */
#ifndef SPOOR_TOOLS_REPORT_HISTOGRAM_H
#define SPOOR_TOOLS_REPORT_HISTOGRAM_H

#include "base/output.h"
#include "walk/table/statistics.h"

/* A line for each power of two between shortest and longest, with a bar. */
void report_histogram_text(const struct report_statistics *statistics, struct output *out);

/* A member of the row's object, with the comma in front: all buckets that have any. */
void report_histogram_json(const struct report_statistics *statistics, struct output *out);

#endif
