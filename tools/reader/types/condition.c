/* SPDX-License-Identifier: MIT */
/* condition.c - evaluates conditions on the values of a call. */
#include "reader/types/condition.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "reader/types/shown_values.h"
#include "text/condition_text.h"

struct condition {
	struct spoor_condition parsed;
};

const char *condition_parse(const char *text, struct condition **condition, size_t *wrong)
{
	const char *fault;

	*wrong = 0;
	*condition = calloc(1, sizeof(**condition));
	if (!*condition)
		return "out of memory";
	fault = spoor_condition_parse(text, &(*condition)->parsed, wrong);
	if (fault) {
		condition_free(*condition);
		*condition = NULL;
	}
	return fault;
}

void condition_free(struct condition *condition)
{
	free(condition);
}

bool condition_uses_result(const struct condition *condition)
{
	return condition->parsed.uses_result;
}

static bool compare_numbers(enum spoor_condition_operator operator, long double left, long double right)
{
	switch (operator) {
	case SPOOR_CONDITION_EQUAL:
		return left == right;
	case SPOOR_CONDITION_UNEQUAL:
		return left != right;
	case SPOOR_CONDITION_LESS:
		return left < right;
	case SPOOR_CONDITION_LESS_EQUAL:
		return left <= right;
	case SPOOR_CONDITION_GREATER:
		return left > right;
	default:
		return left >= right;
	}
}

static bool compare(const struct spoor_condition_node *node, const struct shown_value *value)
{
	const char *text = value->is_string ? value->string : value->text;

	switch (node->operator) {
	case SPOOR_CONDITION_TRUE:
		return value->is_number ? value->number != 0 : strcmp(value->text, "NULL") != 0;
	case SPOOR_CONDITION_LIKE:
	case SPOOR_CONDITION_UNLIKE:
		return (fnmatch(node->text, text, 0) == 0) == (node->operator == SPOOR_CONDITION_LIKE);
	case SPOOR_CONDITION_EQUAL:
	case SPOOR_CONDITION_UNEQUAL:
		if (!node->has_number || !value->is_number)
			return (strcmp(node->text, text) == 0) == (node->operator == SPOOR_CONDITION_EQUAL);
		break;
	default:
		if (!value->is_number)
			return false;
	}
	return compare_numbers(node->operator, value->number, node->number);
}

/* Sets which comparisons hold. */
static void compare_all(const struct condition *condition, const struct call_values *values, bool *holds)
{
	struct shown_values shown;
	struct shown_value value;

	if (!values)
		return;
	shown_values_begin(&shown, values);
	while (shown_values_next(&shown, &value))
		for (uint32_t i = 0; i < condition->parsed.count; i++)
			if (condition->parsed.nodes[i].operator < SPOOR_CONDITION_AND && strcmp(condition->parsed.nodes[i].name, value.name) == 0)
				holds[i] = compare(&condition->parsed.nodes[i], &value);
}

bool condition_holds(const struct condition *condition, const struct call_values *arguments,
		     const struct call_values *result)
{
	bool holds[SPOOR_CONDITION_NODES_MAX] = { false };

	compare_all(condition, arguments, holds);
	if (condition->parsed.uses_result)
		compare_all(condition, result, holds);
	/* The parts of a node are before it. */
	for (uint32_t i = 0; i < condition->parsed.count; i++) {
		const struct spoor_condition_node *node = &condition->parsed.nodes[i];

		if (node->operator == SPOOR_CONDITION_NOT)
			holds[i] = !holds[node->left];
		else if (node->operator == SPOOR_CONDITION_AND)
			holds[i] = holds[node->left] && holds[node->right];
		else if (node->operator == SPOOR_CONDITION_OR)
			holds[i] = holds[node->left] || holds[node->right];
	}
	return holds[condition->parsed.root];
}
