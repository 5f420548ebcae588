/* SPDX-License-Identifier: MIT */
/*
 * condition.h - conditions on the arguments and the result of a call: `n > 100 && path ~ "*.so"`
 * (text/condition_text.h).
 */
#ifndef SPOOR_READER_CONDITION_H
#define SPOOR_READER_CONDITION_H

#include <stdbool.h>
#include <stddef.h>

struct call_values;
struct condition;

/*
 * condition_parse - parses a condition.
 * @condition: out: the caller frees it with condition_free
 * @wrong:     out: the position of the error
 *
 * Returns null, or the error, without a full stop.
 */
const char *condition_parse(const char *text, struct condition **condition, size_t *wrong);
void condition_free(struct condition *condition);

/* Whether it depends on the result, which is known only when the call ends. */
bool condition_uses_result(const struct condition *condition);

/* Both may be null. Any thread. */
bool condition_holds(const struct condition *condition, const struct call_values *arguments,
		     const struct call_values *result);

#endif
