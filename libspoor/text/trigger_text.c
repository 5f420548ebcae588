/* SPDX-License-Identifier: MIT */
/* trigger_text.c - parses the text of a trigger into patterns and a limit. */
#define _GNU_SOURCE
#include "text/trigger_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "text/pattern.h"

#define LIMIT_NS_MOST 3600000000000ull
#define PATTERNS_MOST 512u

static uint64_t unit_ns(const char *unit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };

	for (unsigned int i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(unit, units[i].name) == 0)
			return units[i].ns;
	}
	return 0;
}

static int parse_time(const char *text, uint64_t *ns)
{
	unsigned long long number;
	uint64_t unit;
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	number = strtoull(text, &end, 10);
	unit = unit_ns(end);
	if (errno || !number || !unit || number > LIMIT_NS_MOST / unit)
		return -EINVAL;
	*ns = number * unit;
	return 0;
}

/* Returns the parenthesis that begins the condition, which ends the text; null: there is no condition. */
static const char *find_condition(const char *text)
{
	const char *at = text + strlen(text);
	unsigned int depth = 0;

	while (at > text) {
		at--;
		depth += *at == ')';
		if (!depth)
			return NULL;
		if (*at == '(' && --depth == 0)
			return at;
	}
	return NULL;
}

bool spoor_trigger_condition(const char *text, char condition[SPOOR_TRIGGER_CONDITION_MAX])
{
	const char *begin = find_condition(text);
	size_t length = begin ? strlen(begin + 1) - 1 : 0;

	if (!begin || length >= SPOOR_TRIGGER_CONDITION_MAX)
		return false;
	memcpy(condition, begin + 1, length);
	condition[length] = '\0';
	return true;
}

int spoor_trigger_parse(const char *text, char *patterns, size_t size, uint64_t *limit_ns)
{
	/* The last '>', because names of templates may contain others. */
	const char *condition = find_condition(text), *limit = condition ? condition : strrchr(text, '>');
	char list[PATTERNS_MOST];
	uint64_t ns = 0;
	size_t length;

	if (strcmp(text, "none") == 0) {
		if (size)
			*patterns = '\0';
	} else {
		if (condition && strlen(condition) > SPOOR_TRIGGER_CONDITION_MAX)
			return -EINVAL;
		length = limit ? (size_t)(limit - text) : 0;
		if (!length || length >= sizeof(list) || (!condition && parse_time(limit + 1, &ns) < 0))
			return -EINVAL;
		if (condition)
			ns = SPOOR_TRIGGER_NO_LIMIT_NS;
		memcpy(list, text, length);
		list[length] = '\0';
		if (spoor_patterns_check(list) < 0 || (size && length >= size))
			return -EINVAL;
		if (size)
			strcpy(patterns, list);
	}
	if (limit_ns)
		*limit_ns = ns;
	return 0;
}
