/* SPDX-License-Identifier: MIT */
/*
 * time_source.h - the source of time stamps: the processor's time stamp counter or, if the counter is
 * unreliable, CLOCK_MONOTONIC in nanoseconds.
 *
 * The trampolines always read the time stamp counter. If the clock is used instead, the `quarter` of
 * each thread is set to a value that the counter does not reach. So every event takes the slow path,
 * which stores a full time stamp of the clock.
 */
#ifndef SPOOR_TIME_SOURCE_H
#define SPOOR_TIME_SOURCE_H

#include <stdint.h>

#include "base/system.h"

/* A value of counter >> SPOOR_QUARTER_SHIFT that the counter reaches only after years. */
#define SPOOR_QUARTER_NEVER 0x80000000u

/* Nonzero: events use CLOCK_MONOTONIC. Set once, before the first event. */
extern int spoor_counter_is_clock;

/* CLOCK_MONOTONIC in nanoseconds through a system call: does not change vector registers. */
int64_t spoor_steady_ns(void);

static inline uint64_t spoor_counter(void)
{
	return __builtin_expect(spoor_counter_is_clock, 0) ? (uint64_t)spoor_steady_ns() : spoor_cycles();
}

/*
 * spoor_counter_begin - chooses the source of time stamps.
 * @wanted: 0 to use CLOCK_MONOTONIC in any case
 *
 * Return: 0, or -EPERM if the process must not read the time stamp counter: each event would kill it.
 */
int spoor_counter_begin(int wanted);

#endif
