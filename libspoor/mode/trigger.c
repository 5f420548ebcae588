/* SPDX-License-Identifier: MIT */
/* trigger.c - looks up the functions that a trigger names. */
#include "mode/trigger.h"

#include <stdbool.h>
#include <string.h>

#include "base/large.h"
#include "module/choice.h"
#include "event/event_path.h"
#include "base/memory.h"
#include "base/warning.h"
#include "config/configuration.h"
#include "mode/mode.h"
#include "module/module_bits.h"
#include "format/trigger_condition.h"
#include "text/trigger_condition_text.h"

static char patterns[sizeof(spoor_configuration.trigger)];
static bool any_chosen;	/* a function of the trigger was chosen */
static bool checked;
static struct spoor_module_bits looked_up SPOOR_LARGE;	/* modules that were looked up for the trigger of this pool */

/* Returns the position of a name in the condition's list; the list is full if it is SPOOR_TRIGGER_NAMES_MAX. */
static uint32_t name_number(struct spoor_trigger_condition *condition, const char *name)
{
	uint32_t i = 0;

	while (i < condition->name_count && strcmp(condition->names[i], name) != 0)
		i++;
	if (i == condition->name_count && i < SPOOR_TRIGGER_NAMES_MAX)
		strcpy(condition->names[condition->name_count++], name);
	return i;
}

/* Writes the condition of the configuration, which was checked, into the pool. */
static void write_condition(struct spoor_trigger_condition *condition)
{
	static struct spoor_condition parsed SPOOR_LARGE;	/* large; under the registry's lock */
	char text[SPOOR_TRIGGER_CONDITION_MAX];

	if (!spoor_trigger_condition(spoor_configuration.trigger, text) || spoor_trigger_condition_check(text, &parsed))
		return;
	for (uint32_t i = 0; i < parsed.count; i++) {
		const struct spoor_condition_node *from = &parsed.nodes[i];
		struct spoor_trigger_node *node = &condition->nodes[i];

		node->operator = (uint8_t)from->operator;
		node->left = (uint8_t)from->left;
		node->right = (uint8_t)from->right;
		if (from->operator >= SPOOR_CONDITION_AND)
			continue;
		node->name = (uint8_t)name_number(condition, from->name);
		node->number = from->has_number ? (int64_t)from->number : 0;
	}
	condition->root = parsed.root;
	condition->uses_result = parsed.uses_result;
	condition->node_count = parsed.count;
}

void spoor_trigger_begin(struct spoor_pool *pool)
{
	struct spoor_trigger *trigger = spoor_pool_trigger(pool);

	if (spoor_trigger_parse(spoor_configuration.trigger, patterns, sizeof(patterns), &trigger->limit_ns) < 0)
		trigger->limit_ns = 0;
	any_chosen = checked = false;
	spoor_module_bits_clear(&looked_up);
	write_condition(spoor_pool_condition(pool));
	trigger->before_ms = (uint32_t)spoor_configuration.trigger_before_ms;
	trigger->after_ms = (uint32_t)spoor_configuration.trigger_after_ms;
	trigger->most = (uint32_t)spoor_configuration.trigger_count;
}

/* Tells if the trigger already has the module's functions: a module that was loaded again has the same indexes. */
static bool has_module(const struct spoor_trigger *trigger, const struct spoor_instance *instance)
{
	for (uint32_t i = 0; i < trigger->range_count; i++) {
		if (trigger->ranges[i].begin - instance->base < instance->count)
			return true;
	}
	return false;
}

static void add_range(struct spoor_trigger *trigger, uint32_t begin, uint32_t end)
{
	static bool warned;
	uint32_t count = trigger->range_count;

	if (count == SPOOR_TRIGGER_RANGES_MAX) {
		if (!warned)
			spoor_warning("trigger '%.200s' matches too many separate groups of functions: only the first "
				      "%u groups are watched; use patterns that match fewer functions",
				      spoor_configuration.trigger, SPOOR_TRIGGER_RANGES_MAX);
		warned = true;
		return;
	}
	trigger->ranges[count] = (struct spoor_trigger_range){ begin, end };
	__atomic_store_n(&trigger->range_count, count + 1, __ATOMIC_RELEASE);
}

void spoor_trigger_module(struct spoor_instance *instance)
{
	struct spoor_trigger *trigger = spoor_pool ? spoor_pool_trigger(spoor_pool) : NULL;
	size_t bytes = (size_t)(instance->count + 63) / 64 * 8;
	uint32_t begin = 0;
	bool inside = false;
	uint64_t *bits;

	if (!trigger || !trigger->limit_ns || spoor_module_bit(&looked_up, instance->position) ||
	    has_module(trigger, instance))
		return;
	spoor_module_bit_set(&looked_up, instance->position);
	bits = spoor_memory_map(bytes + 1);
	if (!bits || spoor_choice_functions(instance, patterns, bits, true) <= 0)
		goto unmap;
	for (uint32_t i = 0; i <= instance->count; i++) {
		bool watched = i < instance->count && bits[i / 64] >> i % 64 & 1;

		if (watched && !inside)
			begin = i;
		else if (!watched && inside)
			add_range(trigger, instance->base + begin, instance->base + i);
		inside = watched;
	}
unmap:
	spoor_memory_unmap(bits, bytes + 1);
}

static void note_chosen(const struct spoor_instance *instance, const uint64_t *chosen)
{
	const struct spoor_trigger *trigger = spoor_pool ? spoor_pool_trigger(spoor_pool) : NULL;

	if (any_chosen || !trigger || !trigger->limit_ns)
		return;
	for (uint32_t i = 0; i < trigger->range_count && !any_chosen; i++) {
		for (uint32_t at = trigger->ranges[i].begin; at < trigger->ranges[i].end && !any_chosen; at++) {
			uint32_t local = at - instance->base;

			any_chosen = local < instance->count && chosen[local / 64] >> local % 64 & 1;
		}
	}
}

void spoor_trigger_check(void)
{
	const struct spoor_trigger *trigger = spoor_pool ? spoor_pool_trigger(spoor_pool) : NULL;

	if (checked || !trigger || !trigger->limit_ns)
		return;
	checked = true;
	if (trigger->range_count && any_chosen && !spoor_pool_condition(spoor_pool)->binding_count &&
	    spoor_pool_condition(spoor_pool)->node_count)
		spoor_warning("trigger '%.200s' has no effect: no captured number has a name of its condition; name arguments "
			      "as in SPOOR_RUNTIME_ARGS='parse(size:)', or use arg1, arg2, or result with SPOOR_RUNTIME_RETVAL",
			      spoor_configuration.trigger);
	else if (!trigger->range_count)
		spoor_warning("trigger '%.200s' has no effect: no traced function has a matching name",
			      spoor_configuration.trigger);
	else if (!any_chosen)
		spoor_warning("trigger '%.200s' has no effect: SPOOR_RUNTIME_MODULES and SPOOR_RUNTIME_FUNCTIONS "
			      "select none of its functions",
			      spoor_configuration.trigger);
}

static int look_up_waking(struct spoor_instance *instance, const uint64_t *target)
{
	if (spoor_mode_is_elsewhere())
		return 0;
	spoor_trigger_module(instance);
	note_chosen(instance, target);
	return 0;
}

const struct spoor_module_observer spoor_trigger_modules = { .waking = look_up_waking };
