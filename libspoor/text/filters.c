/* SPDX-License-Identifier: MIT */
/* filters.c - applies the rules that choose which functions are instrumented. */
#define _GNU_SOURCE
#include "text/filters.h"

#include "text/pattern.h"

#include <stdlib.h>
#include <string.h>

/* Makes room for one more element at the end and zeroes it. The list grows at powers of two. Returns null
 * without memory; the old list is still valid. */
static void *grow(void *list, size_t count, size_t size)
{
	if (!(count & (count - 1)))
		list = reallocarray(list, count ? 2 * count : 1, size);
	if (list)
		memset((char *)list + count * size, 0, size);
	return list;
}

struct filter_rule *filters_add(struct filters *filters, bool allows, uint32_t line)
{
	struct filter_rule *rules = grow(filters->rules, filters->count, sizeof *rules);

	if (!rules)
		return NULL;
	filters->rules = rules;
	rules[filters->count].allows = allows;
	rules[filters->count].line = line;
	return &rules[filters->count++];
}

struct filter_condition *filter_rule_add(struct filter_rule *rule)
{
	struct filter_condition *conditions = grow(rule->conditions, rule->count, sizeof *conditions);

	if (!conditions)
		return NULL;
	rule->conditions = conditions;
	return &conditions[rule->count++];
}

void filters_free(struct filters *filters)
{
	for (size_t i = 0; i < filters->count; i++) {
		struct filter_rule *rule = &filters->rules[i];

		for (size_t j = 0; j < rule->count; j++) {
			if (rule->conditions[j].kind == FILTER_EXPRESSION && rule->conditions[j].truth)
				regfree(&rule->conditions[j].expression);
			free(rule->conditions[j].text);
			free(rule->conditions[j].literal);
		}
		free(rule->conditions);
		free(rule->name);
	}
	free(filters->rules);
	*filters = (struct filters){NULL, 0};
}

static bool has_attribute(const struct filter_subject *subject, const char *text)
{
	char name[256];
	const char *equals = strchr(text, '=');
	size_t length = equals ? (size_t)(equals - text) : strlen(text);

	if (length >= sizeof name)
		return false;
	memcpy(name, text, length);
	name[length] = '\0';
	return subject->has_attribute(subject->context, name, equals ? equals + 1 : NULL);
}

static bool holds(const struct filter_condition *condition, const struct filter_subject *subject)
{
	const char *text;

	switch (condition->kind) {
	case FILTER_EXPRESSION:
		text = subject->text(subject->context, condition->of);
		/* Searching for the literal costs a hundredth of the time of the expression. */
		return text && (!condition->literal || strstr(text, condition->literal)) &&
		       regexec(&condition->expression, text, 0, NULL, 0) == 0;
	case FILTER_GLOB:
		text = subject->text(subject->context, condition->of);
		return text && spoor_glob_matches(condition->text, condition->text + strlen(condition->text), text);
	case FILTER_FEWER:
		return subject->instructions < condition->number;
	case FILTER_MORE:
		return subject->instructions > condition->number;
	case FILTER_LOOP:
		return subject->has_loop(subject->context) == condition->truth;
	case FILTER_ATTRIBUTE:
		return has_attribute(subject, condition->text);
	}
	return false;
}

static bool matches(const struct filter_rule *rule, const struct filter_subject *subject)
{
	for (size_t i = 0; i < rule->count; i++)
		if (!holds(&rule->conditions[i], subject))
			return false;
	return true;
}

static const struct filter_rule *first_match(const struct filters *filters, const struct filter_subject *subject,
					     bool allows)
{
	for (size_t i = 0; i < filters->count; i++)
		if (filters->rules[i].allows == allows && matches(&filters->rules[i], subject))
			return &filters->rules[i];
	return NULL;
}

bool filters_block(const struct filters *filters, const struct filter_subject *subject,
		   const struct filter_rule **rule)
{
	const struct filter_rule *allows, *blocks = first_match(filters, subject, false);

	/* A rule that allows matters only if another rule blocks. */
	allows = blocks ? first_match(filters, subject, true) : NULL;
	*rule = allows ? allows : blocks;
	return blocks && !allows;
}
