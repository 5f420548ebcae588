/* SPDX-License-Identifier: MIT */
/* time_range.h - a part of the time of a trace. */
#ifndef SPOOR_READER_TIME_RANGE_H
#define SPOOR_READER_TIME_RANGE_H

#include <stdbool.h>
#include <stdint.h>

/* Nanoseconds of CLOCK_MONOTONIC; `end_ns` is one past the last, UINT64_MAX where there is none. */
struct time_range {
	uint64_t begin_ns, end_ns;
};

#endif
