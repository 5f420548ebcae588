/* SPDX-License-Identifier: MIT */
/*
 * trigger_text.h - parses a trigger as the user writes it: "parse*,-parse_line>10ms" for calls that take too long,
 * "handle(status>=500)" for calls with such values (condition_text.h).
 */
#ifndef SPOOR_TRIGGER_TEXT_H
#define SPOOR_TRIGGER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The limit of a trigger with a condition: no call takes so long. */
#define SPOOR_TRIGGER_NO_LIMIT_NS 1000000000000000000ull

/* The most bytes of a condition, with its NUL. */
#define SPOOR_TRIGGER_CONDITION_MAX 256u

/*
 * spoor_trigger_parse - parses patterns, the last '>', and a time in ns, us, ms or s; or patterns and a condition in
 * parentheses, which is only copied here.
 * @patterns: out: the patterns; null if @size is 0; "" for "none"
 * @limit_ns: out: the time in nanoseconds; 0 for "none"; SPOOR_TRIGGER_NO_LIMIT_NS with a condition; may be null
 *
 * Return: 0, or -EINVAL: invalid syntax, or a time of 0 or more than an hour.
 */
int spoor_trigger_parse(const char *text, char *patterns, size_t size, uint64_t *limit_ns);

/* Copies the condition of a trigger. Returns whether it has one. */
bool spoor_trigger_condition(const char *text, char condition[SPOOR_TRIGGER_CONDITION_MAX]);

#endif
