/* SPDX-License-Identifier: MIT */
/*
 * condition.h - conditions on the arguments and the result of a call: `n > 100 && path ~ "*.so"`.
 *
 *   condition  = all, { "||", all }
 *   all        = one, { "&&", one }
 *   one        = "!", one | "(", condition, ")" | name, [ operator, operand ]
 *   operator   = "==" | "=" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "!~"
 *   operand    = number | "text" | 'text' | word
 *
 * A name is an argument's, as it is shown, or "result". A name alone means that the value is neither 0 nor false. "~"
 * matches a pattern with '*', '?' and '[...]'. A word is the name of an enumeration's constant, true, false or NULL. A
 * comparison with a value that the call does not have is false.
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
