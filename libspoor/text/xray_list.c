/* SPDX-License-Identifier: MIT */
/*
 * xray_list.c - parses XRay's attribute lists into rules.
 *
 *      [always]
 *      fun:main
 *      fun:handle_*=arg1
 *      [never]
 *      src:third_party*
 *
 * Names are linkage names; '*' matches any characters. [always] takes precedence over [never]. Arguments
 * are not logged.
 */
#define _GNU_SOURCE
#include "text/filters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum section { SECTION_NONE, SECTION_ALWAYS, SECTION_NEVER };

/* Returns the length of the next line, @line, without surrounding blanks, or 0 for a comment. */
static size_t next_line(const char **at, const char *end, const char **line)
{
	const char *stop = memchr(*at, '\n', (size_t)(end - *at));
	const char *begin = *at, *last;

	last = stop ? stop : end;
	*at = stop ? stop + 1 : end;
	while (begin < last && strchr(" \t\r", *begin))
		begin++;
	if (begin < last && *begin == '#')
		last = begin;
	while (last > begin && strchr(" \t\r", last[-1]))
		last--;
	*line = begin;
	return (size_t)(last - begin);
}

static bool is_text(const char *line, size_t length, const char *text)
{
	return length == strlen(text) && memcmp(line, text, length) == 0;
}

static bool begins_with(const char *line, size_t length, const char *text)
{
	return length >= strlen(text) && memcmp(line, text, strlen(text)) == 0;
}

bool xray_list_is_one(const char *bytes, size_t size)
{
	const char *at = bytes, *end = bytes + size, *line;
	size_t length;

	while (at < end) {
		length = next_line(&at, end, &line);
		if (length)
			return begins_with(line, length, "fun:") || begins_with(line, length, "src:") ||
			       is_text(line, length, "[always]") || is_text(line, length, "[never]");
	}
	return false;
}

static int refuse(struct spoor_fault *fault, const char *path, uint32_t line, const char *what)
{
	snprintf(fault->text, sizeof fault->text, "%.600s:%u: %s", path, line, what);
	return -EINVAL;
}

/* Return: 0 or -ENOMEM. */
static int add(struct filters *filters, bool allows, uint32_t number, const char *line, size_t length)
{
	struct filter_rule *rule = filters_add(filters, allows, number);
	struct filter_condition *condition = rule ? filter_rule_add(rule) : NULL;
	char *equals;

	if (!condition)
		return -ENOMEM;
	condition->kind = FILTER_GLOB;
	condition->of = line[0] == 's' ? FILTER_SOURCE_FILE_PATH : FILTER_FUNCTION_LINKAGE_NAME;
	condition->text = strndup(line + 4, length - 4);
	if (!condition->text)
		return -ENOMEM;
	/* The text after '=' says what XRay logs besides; spoor ignores it. */
	equals = line[0] == 'f' ? strchr(condition->text, '=') : NULL;
	if (equals)
		*equals = '\0';
	rule->name = strndup(line, length);
	return rule->name ? 0 : -ENOMEM;
}

int xray_list_parse(struct filters *filters, const char *path, const char *bytes, size_t size,
		    struct spoor_fault *fault)
{
	const char *at = bytes, *end = bytes + size, *line;
	enum section section = SECTION_NONE;
	uint32_t number = 0;

	while (at < end) {
		size_t length = next_line(&at, end, &line);

		number++;
		if (length == 0)
			continue;
		if (memchr(line, 0, length))
			return refuse(fault, path, number, "a NUL byte");
		if (is_text(line, length, "[always]")) {
			section = SECTION_ALWAYS;
		} else if (is_text(line, length, "[never]")) {
			section = SECTION_NEVER;
		} else if (line[0] == '[') {
			return refuse(fault, path, number, "unknown section: use [always] or [never]");
		} else if (!begins_with(line, length, "fun:") && !begins_with(line, length, "src:")) {
			return refuse(fault, path, number, "unknown prefix: use fun: or src:");
		} else if (length == 4) {
			return refuse(fault, path, number, "no name after the colon");
		} else if (section == SECTION_NONE) {
			return refuse(fault, path, number, "must follow a section [always] or [never]");
		} else if (add(filters, section == SECTION_ALWAYS, number, line, length) < 0) {
			return refuse(fault, path, number, "out of memory");
		}
	}
	return 0;
}
