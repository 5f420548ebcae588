/* SPDX-License-Identifier: MIT */
/* monotonic.h - the clock that never goes back. */
#ifndef SPOOR_MONOTONIC_H
#define SPOOR_MONOTONIC_H

#include <stdint.h>
#include <time.h>

/* Returns CLOCK_MONOTONIC in nanoseconds. */
static inline int64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

#endif
