/* SPDX-License-Identifier: MIT */
/* trigger_condition_text.c - checks the condition of a trigger. */
#include "text/trigger_condition_text.h"

#include <string.h>

#include "format/trigger_condition.h"

/* Checks one comparison. Returns null, or the error. */
static const char *check_node(const struct spoor_condition_node *node)
{
	if (node->operator >= SPOOR_CONDITION_AND)
		return NULL;
	if (strlen(node->name) >= SPOOR_TRIGGER_NAME_BYTES)
		return "a name is too long";
	if (node->operator == SPOOR_CONDITION_TRUE)
		return NULL;
	/* On machines without long double of 64 bits of mantissa, the limits are rounded to the same values. */
	if (!node->has_number || node->operator >= SPOOR_CONDITION_LIKE || node->number < -0x1p62L || node->number > 0x1p62L ||
	    (long double)(int64_t)node->number != node->number)
		return "a trigger compares only with whole numbers";
	return NULL;
}

const char *spoor_trigger_condition_check(const char *text, struct spoor_condition *parsed)
{
	size_t wrong;
	const char *fault = spoor_condition_parse(text, parsed, &wrong);
	uint32_t names = 0;

	if (fault)
		return fault;
	if (parsed->count > SPOOR_TRIGGER_NODES_MAX)
		return "too many parts";
	for (uint32_t i = 0; i < parsed->count && !fault; i++) {
		bool is_known = parsed->nodes[i].operator >= SPOOR_CONDITION_AND;

		fault = check_node(&parsed->nodes[i]);
		for (uint32_t j = 0; j < i && !is_known; j++)
			is_known = parsed->nodes[j].operator < SPOOR_CONDITION_AND &&
				   strcmp(parsed->nodes[i].name, parsed->nodes[j].name) == 0;
		names += !is_known;
	}
	return fault ? fault : names > SPOOR_TRIGGER_NAMES_MAX ? "too many different names" : NULL;
}
