/* SPDX-License-Identifier: MIT */
/* time_range.h - a part of a trace's time. */
#ifndef SPOOR_READER_TIME_RANGE_H
#define SPOOR_READER_TIME_RANGE_H

#include <stdbool.h>
#include <stdint.h>

/* Nanoseconds of CLOCK_MONOTONIC. The end is exclusive; UINT64_MAX: no end. */
struct time_range {
	uint64_t begin_ns, end_ns;
};

#endif
