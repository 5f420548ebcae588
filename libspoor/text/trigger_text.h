/* SPDX-License-Identifier: MIT */
/* trigger_text.h - parses a trigger as the user writes it: "parse*,-parse_line>10ms". */
#ifndef SPOOR_TRIGGER_TEXT_H
#define SPOOR_TRIGGER_TEXT_H

#include <stddef.h>
#include <stdint.h>

/*
 * spoor_trigger_parse - parses patterns, the last '>', and a time in ns, us, ms or s.
 * @patterns: out: the patterns; null if @size is 0; "" for "none"
 * @limit_ns: out: the time in nanoseconds; 0 for "none"; may be null
 *
 * Return: 0, or -EINVAL: invalid syntax, or a time of 0 or more than an hour.
 */
int spoor_trigger_parse(const char *text, char *patterns, size_t size, uint64_t *limit_ns);

#endif
