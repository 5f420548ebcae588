/* SPDX-License-Identifier: MIT */
/* bound_conditions.c - finds the values of a plan that the trigger's condition names. */
#include "capture/bound_conditions.h"

#include <stdio.h>
#include <string.h>

#include "format/trigger_condition.h"
#include "format/value_layouts.h"

static bool is_whole_number(const struct spoor_capture_value *value)
{
	bool is_number = value->storage >= SPOOR_VALUE_BITS && value->storage <= SPOOR_VALUE_ADDRESS;

	return value->place != SPOOR_PLACE_CPU_TIME && (is_number || value->storage == SPOOR_VALUE_OBJECT) && !value->part &&
	       value->type >= SPOOR_TYPE_INTEGER && value->type <= SPOOR_TYPE_POINTER;
}

static bool is_unsigned(const struct spoor_capture_value *value)
{
	return value->format ? strchr("ubxp", value->format) != NULL :
			       value->type == SPOOR_TYPE_UNSIGNED || value->type == SPOOR_TYPE_POINTER;
}

/* Returns whether the condition's name means this value: the user's name for the argument, arg1, or result. */
static bool has_name(const struct spoor_plan *plan, const struct spoor_capture_value *value, const char *name)
{
	struct spoor_capture_item item = { .length = 0 };
	const char *rest = plan->items;
	char number[8];

	if (!value->argument)
		return strcmp(name, "result") == 0;
	snprintf(number, sizeof(number), "arg%u", value->argument);
	if (strcmp(name, number) == 0)
		return true;
	for (uint32_t i = 0; rest && i < value->argument; i++)
		if (!spoor_capture_item_next(&rest, plan->items_end, &item))
			return false;
	return item.length && item.length == strlen(name) && memcmp(item.name, name, item.length) == 0;
}

void spoor_condition_bind(struct spoor_pool *pool, const struct spoor_plan *plan, uint32_t number, bool is_result)
{
	struct spoor_trigger_condition *condition = spoor_pool_condition(pool);
	struct spoor_trigger_binding binding = {
		.head = (uint16_t)(number | (uint32_t)is_result << SPOOR_CAPTURE_NUMBER_BITS),
	};
	struct spoor_value_layout layout = { .count = 0 };
	bool any = false;

	for (uint32_t i = 0; i < plan->value_count; i++) {
		const struct spoor_capture_value *value = &plan->values[i];
		uint8_t field = (uint8_t)(layout.count + 1);

		if (is_result != !value->argument)
			continue;
		if (!spoor_value_layout_put(&layout, value))
			break;
		for (uint32_t name = 0; name < condition->name_count && is_whole_number(value); name++) {
			if (binding.field[name] || !has_name(plan, value, condition->names[name]))
				continue;
			binding.field[name] = field;
			binding.is_unsigned |= (uint8_t)(is_unsigned(value) << name);
			any = true;
		}
	}
	if (!any || condition->binding_count == SPOOR_TRIGGER_BINDINGS_MAX)
		return;
	condition->bindings[condition->binding_count] = binding;
	__atomic_store_n(&condition->binding_count, condition->binding_count + 1, __ATOMIC_RELEASE);
}
