/* SPDX-License-Identifier: MIT */
/*
 * time_source.h - what events are dated by: the processor's time stamp counter or, where that
 * is not to be relied on, CLOCK_MONOTONIC in nanoseconds.
 *
 * The trampolines read the time stamp counter in any case. Where it is not the counter the
 * `quarter` of each thread is one that it never has, so that every event takes the slow path
 * and is stored with a full time stamp, of the clock.
 */
#ifndef SPOOR_COUNTER_H
#define SPOOR_COUNTER_H

#include <stdint.h>

#include "base/system.h"

/* A counter >> SPOOR_QUARTER_SHIFT that stands for a moment in years only. */
#define SPOOR_QUARTER_NEVER 0x80000000u

/* Decided once, before the first event. */
extern int spoor_counter_is_clock;

/* CLOCK_MONOTONIC by the system call: where vector registers are the program's. */
int64_t spoor_steady_ns(void);

static inline uint64_t spoor_counter(void)
{
	return __builtin_expect(spoor_counter_is_clock, 0) ? (uint64_t)spoor_steady_ns() : spoor_cycles();
}

/*
 * spoor_counter_begin - decides.
 * @wanted: false where the clock is to be used whatever the processor says
 *
 * Return: 0, or -EPERM where reading the time stamp counter is forbidden to this process:
 * each event would end it.
 */
int spoor_counter_begin(int wanted);

#endif
