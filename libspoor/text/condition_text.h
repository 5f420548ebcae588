/* SPDX-License-Identifier: MIT */
/*
 * condition_text.h - parses conditions on the arguments and the result of a call: `n > 100 && path ~ "*.so"`.
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
#ifndef SPOOR_CONDITION_TEXT_H
#define SPOOR_CONDITION_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPOOR_CONDITION_NODES_MAX 128u
#define SPOOR_CONDITION_NAME_MAX 64u
#define SPOOR_CONDITION_TEXT_MAX 256u

/* Comparisons come first. SPOOR_CONDITION_TRUE: the value is neither 0 nor false. */
enum spoor_condition_operator {
	SPOOR_CONDITION_TRUE, SPOOR_CONDITION_EQUAL, SPOOR_CONDITION_UNEQUAL, SPOOR_CONDITION_LESS,
	SPOOR_CONDITION_LESS_EQUAL, SPOOR_CONDITION_GREATER, SPOOR_CONDITION_GREATER_EQUAL, SPOOR_CONDITION_LIKE,
	SPOOR_CONDITION_UNLIKE, SPOOR_CONDITION_AND, SPOOR_CONDITION_OR, SPOOR_CONDITION_NOT,
};

struct spoor_condition_node {
	enum spoor_condition_operator operator;
	uint32_t left, right;	/* positions before its own; SPOOR_CONDITION_NOT has only left */
	/* Of a comparison. */
	char name[SPOOR_CONDITION_NAME_MAX], text[SPOOR_CONDITION_TEXT_MAX];
	bool has_number;
	long double number;
};

struct spoor_condition {
	bool uses_result;
	uint32_t count, root;
	struct spoor_condition_node nodes[SPOOR_CONDITION_NODES_MAX];
};

/*
 * spoor_condition_parse - parses a condition.
 * @wrong: out: the position of the error
 *
 * Returns null, or the error, without a full stop.
 */
const char *spoor_condition_parse(const char *text, struct spoor_condition *condition, size_t *wrong);

#endif
