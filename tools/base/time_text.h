/* SPDX-License-Identifier: MIT */
/* time_text.h - parses durations and ranges of time, such as 1.5ms and 2s..3s. */
#ifndef SPOOR_TOOLS_TIME_TEXT_H
#define SPOOR_TOOLS_TIME_TEXT_H

#include <stdint.h>

/*
 * time_text_parse - parses a number with a unit, such as "1.5ms". The units are ns, us, ms, s, min and h; 0
 * needs no unit. Fractions of a nanosecond are dropped.
 *
 * Returns 0, or -EINVAL.
 */
int time_text_parse(const char *text, uint64_t *ns);

/*
 * time_text_range - parses "BEGIN..END". A missing BEGIN is 0, a missing END is UINT64_MAX.
 *
 * Returns 0, or -EINVAL; -ERANGE if the range is empty or ends before it begins.
 */
int time_text_range(const char *text, uint64_t *begin_ns, uint64_t *end_ns);

#endif
