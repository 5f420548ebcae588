/* SPDX-License-Identifier: MIT */
/* time_text.h - lengths and ranges of time as people write them: 1.5ms, 2s..3s. */
#ifndef SPOOR_TOOLS_TIME_TEXT_H
#define SPOOR_TOOLS_TIME_TEXT_H

#include <stdint.h>

/*
 * time_text_parse - a number with a unit, "1.5ms": ns, us, ms, s; 0 needs none. A fraction of a
 * nanosecond is cut off.
 *
 * Return: 0, or -EINVAL.
 */
int time_text_parse(const char *text, uint64_t *ns);

/*
 * time_text_range - "BEGIN..END", where one of the two may be missing: then it is 0, or UINT64_MAX.
 *
 * Return: 0, or -EINVAL; -ERANGE where it ends before it begins, or is empty.
 */
int time_text_range(const char *text, uint64_t *begin_ns, uint64_t *end_ns);

#endif
