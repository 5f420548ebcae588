/* SPDX-License-Identifier: MIT */
/* rules.c - stores the choices so far, for modules that are loaded later. */
#include "module/rules.h"

#include <errno.h>
#include <string.h>

#include "base/large.h"
#include "module/choice.h"
#include "module/module_bits.h"
#include "base/permanent.h"
#include "base/warning.h"
#include "config/configuration.h"
#include "text/pattern.h"

#define RULES_MAX 256u

static struct spoor_rule rules[RULES_MAX] SPOOR_LARGE;
static uint32_t rule_count;
static struct spoor_rule saved_rules[RULES_MAX] SPOOR_LARGE;
static uint32_t aside_count;
static struct spoor_module_bits reported_nameless SPOOR_LARGE;	/* modules without names that were already reported */

/* Copies a text that is never freed. Equal texts share one copy: a program that switches its functions on and off
 * repeats the same patterns. */
static char *keep_pattern(const char *text)
{
	static struct pattern {
		struct pattern *next;
		char *text;
	} *patterns;
	struct pattern *pattern;

	for (pattern = patterns; pattern; pattern = pattern->next) {
		if (strcmp(pattern->text, text) == 0)
			return pattern->text;
	}
	pattern = spoor_permanent_alloc(sizeof(*pattern));
	if (!pattern)
		return NULL;
	pattern->text = spoor_permanent_text(text);
	if (!pattern->text)
		return NULL;
	pattern->next = patterns;
	patterns = pattern;
	return pattern->text;
}

int spoor_rules_add(const struct spoor_rule *rule)
{
	bool all = spoor_patterns_are_all(rule->modules) && spoor_patterns_are_all(rule->functions);
	struct spoor_rule copy = { .choice = rule->choice };
	uint32_t kept = 0;

	for (uint32_t i = 0; i < rule_count; i++) {
		if (!all && (strcmp(rules[i].modules, rule->modules) != 0 ||
			     strcmp(rules[i].functions, rule->functions) != 0))
			rules[kept++] = rules[i];
	}
	rule_count = kept;
	if (rule_count == RULES_MAX)
		return -ENOSPC;
	copy.modules = keep_pattern(rule->modules);
	copy.functions = keep_pattern(rule->functions);
	if (!copy.modules || !copy.functions)
		return -ENOMEM;
	rules[rule_count++] = copy;
	return 0;
}

void spoor_rules_save(void)
{
	memcpy(saved_rules, rules, sizeof(rules));
	aside_count = rule_count;
	rule_count = 0;
}

void spoor_rules_take_back(void)
{
	memcpy(rules, saved_rules, sizeof(rules));
	rule_count = aside_count;
}

/* Library calls through jump slots were chosen by patterns of their own, so the configuration's patterns do not concern
 * them. They do concern functions that call slots lead to. */
static bool is_everything(const struct spoor_rule *rule, const struct spoor_instance *instance)
{
	return instance->switch_functions && strcmp(rule->modules, spoor_configuration.modules) == 0 &&
	       strcmp(rule->functions, spoor_configuration.functions) == 0;
}

long spoor_rule_follow(const struct spoor_rule *rule, struct spoor_instance *instance)
{
	uint64_t *wanted = spoor_sleds_at(instance->position)->wanted;
	bool on = rule->choice == SPOOR_CHOICE_ENABLE;
	long result, own = 0;

	if (is_everything(rule, instance) && !instance->has_slots)
		return spoor_choice_functions(instance, "*", wanted, on);
	if (is_everything(rule, instance))
		own = instance->choose_own(instance, wanted, on);
	if (!spoor_choice_module(instance, rule->modules))
		return own;
	result = spoor_choice_functions(instance, rule->functions, wanted, on);
	if (result < 0 && !spoor_module_bit(&reported_nameless, instance->position))
		spoor_warning("cannot read the function names of %s: %s; patterns select none of its functions",
			      instance->path,
			      strerror((int)-result));
	if (result < 0)
		spoor_module_bit_set(&reported_nameless, instance->position);
	return result < 0 && own ? own : result + own;
}

bool spoor_rule_concerns(const struct spoor_rule *rule, const struct spoor_instance *instance)
{
	/* Notes which patterns match the module. */
	bool matches = spoor_choice_module(instance, rule->modules);

	return matches || is_everything(rule, instance);
}

bool spoor_rules_concern(const struct spoor_instance *instance)
{
	bool concerned = false;

	/* No early exit: spoor_choice_module notes which patterns match a module. */
	for (uint32_t i = 0; i < rule_count; i++)
		concerned |= rules[i].choice == SPOOR_CHOICE_ENABLE && spoor_rule_concerns(&rules[i], instance);
	return concerned;
}

void spoor_rules_follow(struct spoor_instance *instance)
{
	for (uint32_t i = 0; i < rule_count; i++)
		spoor_rule_follow(&rules[i], instance);
}
