/* SPDX-License-Identifier: MIT */
/* trigger_text.h - a trigger as the user writes it: "parse*,-parse_line>10ms". */
#ifndef SPOOR_TRIGGER_TEXT_H
#define SPOOR_TRIGGER_TEXT_H

#include <stddef.h>
#include <stdint.h>

/*
 * spoor_trigger_parse - patterns, the last '>', and a time in ns, us, ms or s.
 * @patterns: room for the patterns; may be null where @size is 0
 * @limit_ns: may be null; 0 for "none"
 *
 * Return: 0; -EINVAL where it is none, or the time is 0 or more than an hour.
 */
int spoor_trigger_parse(const char *text, char *patterns, size_t size, uint64_t *limit_ns);

#endif
