/* SPDX-License-Identifier: MIT */
/* watched_values.c - evaluates the trigger's condition. The pool may belong to a hostile process, so all of it is checked. */
#include "drain/watched_values.h"

#include "text/condition_text.h"

static bool is_valid(const struct spoor_trigger_condition *condition)
{
	if (!condition->node_count || condition->node_count > SPOOR_TRIGGER_NODES_MAX || condition->root >= condition->node_count)
		return false;
	for (uint32_t i = 0; i < condition->node_count; i++) {
		const struct spoor_trigger_node *node = &condition->nodes[i];

		if (node->operator > SPOOR_CONDITION_NOT || node->name >= SPOOR_TRIGGER_NAMES_MAX ||
		    (node->operator >= SPOOR_CONDITION_AND && node->left >= i) ||
		    ((node->operator == SPOOR_CONDITION_AND || node->operator == SPOOR_CONDITION_OR) && node->right >= i))
			return false;
	}
	return true;
}

bool watched_values_begin(struct watched_values *values, struct spoor_pool *pool)
{
	values->condition = *spoor_pool_condition(pool);
	values->condition.binding_count = 0;
	values->layouts.layouts = spoor_pool_layouts(pool);
	return is_valid(&values->condition);
}

void watched_values_renew(struct watched_values *values, struct spoor_pool *pool)
{
	const struct spoor_trigger_condition *pools = spoor_pool_condition(pool);
	uint32_t count = __atomic_load_n(&pools->binding_count, __ATOMIC_ACQUIRE);

	if (count > SPOOR_TRIGGER_BINDINGS_MAX)
		count = SPOOR_TRIGGER_BINDINGS_MAX;
	for (; values->condition.binding_count < count; values->condition.binding_count++)
		values->condition.bindings[values->condition.binding_count] = pools->bindings[values->condition.binding_count];
}

static bool compare(const struct spoor_trigger_node *node, uint64_t value, bool is_unsigned)
{
	/* -1, 0 or 1. A number above the range of int64_t is larger than each number of a condition. */
	int order = is_unsigned && value > INT64_MAX ? 1 : ((int64_t)value > node->number) - ((int64_t)value < node->number);

	switch (node->operator) {
	case SPOOR_CONDITION_TRUE:
		return value != 0;
	case SPOOR_CONDITION_EQUAL:
		return order == 0;
	case SPOOR_CONDITION_UNEQUAL:
		return order != 0;
	case SPOOR_CONDITION_LESS:
		return order < 0;
	case SPOOR_CONDITION_LESS_EQUAL:
		return order <= 0;
	case SPOOR_CONDITION_GREATER:
		return order > 0;
	case SPOOR_CONDITION_GREATER_EQUAL:
		return order >= 0;
	default:
		return false;
	}
}

/* Gets the value that a binding has for a name. Returns whether there is one. */
static bool find_value(const struct spoor_trigger_binding *binding, const struct spoor_value_layout *layout, uint32_t name,
		       const uint64_t *words, uint32_t count, uint64_t *value, bool *is_unsigned)
{
	uint32_t field = binding->field[name];

	if (!field || !spoor_values_number(layout, words, count, field - 1, value))
		return false;
	*is_unsigned = binding->is_unsigned >> name & 1;
	if (!*is_unsigned && layout->fields[field - 1] < 64)
		*value = (uint64_t)((int64_t)(*value << (64 - layout->fields[field - 1])) >> (64 - layout->fields[field - 1]));
	return true;
}

uint32_t watched_values_compare(struct watched_values *values, const uint64_t *words, uint32_t count)
{
	const struct spoor_trigger_condition *condition = &values->condition;
	const struct spoor_trigger_binding *binding = condition->bindings;
	uint16_t head = count ? (uint16_t)words[0] : 0;
	struct spoor_value_layout layout;
	uint32_t comparisons = 0;

	while (binding < condition->bindings + condition->binding_count && binding->head != head)
		binding++;
	if (binding == condition->bindings + condition->binding_count || count > SPOOR_VALUES_WORDS_MAX)
		return 0;
	spoor_layout_index_find(&values->layouts, head, &layout);
	for (uint32_t i = 0; i < condition->node_count; i++) {
		const struct spoor_trigger_node *node = &condition->nodes[i];
		bool is_unsigned;
		uint64_t value;

		if (node->operator < SPOOR_CONDITION_AND &&
		    find_value(binding, &layout, node->name, words, count, &value, &is_unsigned) && compare(node, value, is_unsigned))
			comparisons |= 1u << i;
	}
	return comparisons;
}

bool watched_values_hold(const struct watched_values *values, uint32_t comparisons)
{
	const struct spoor_trigger_condition *condition = &values->condition;

	/* The parts of a node are before it. */
	for (uint32_t i = 0; i < condition->node_count; i++) {
		const struct spoor_trigger_node *node = &condition->nodes[i];
		bool left = comparisons >> (node->left & 31) & 1, right = comparisons >> (node->right & 31) & 1;
		bool holds = node->operator == SPOOR_CONDITION_AND ? left && right :
			     node->operator == SPOOR_CONDITION_OR ? left || right : node->operator == SPOOR_CONDITION_NOT && !left;

		comparisons |= (uint32_t)holds << i;
	}
	return comparisons >> condition->root & 1;
}
