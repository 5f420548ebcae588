/* SPDX-License-Identifier: MIT */
/* capture_text.c - parses which functions' arguments or results the user wants. */
#include "text/capture_text.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "text/pattern.h"

#define PATTERN_MAX 1024u

static bool is_item(const char *begin, const char *end)
{
	const char *colon = end - begin >= 2 && end[-2] == ':' ? end - 2 : end - begin >= 1 && end[-1] == ':' ? end - 1 : NULL;

	if (!colon || (colon + 1 < end && !strchr(SPOOR_CAPTURE_FORMATS, colon[1])))
		return false;
	for (const char *at = begin; at < colon; at++)
		if (!isalnum((unsigned char)*at) && *at != '_')
			return false;
	return true;
}

static const char *trim(const char *begin, const char **end)
{
	while (begin < *end && *begin == ' ')
		begin++;
	while (begin < *end && (*end)[-1] == ' ')
		--*end;
	return begin;
}

bool spoor_capture_item_next(const char **rest, const char *end, struct spoor_capture_item *item)
{
	const char *begin = *rest, *comma, *stop, *colon;

	if (!begin || begin > end)
		return false;
	comma = memchr(begin, ',', (size_t)(end - begin));
	stop = comma ? comma : end;
	*rest = comma ? comma + 1 : end + 1;
	begin = trim(begin, &stop);
	colon = begin < stop ? memchr(begin, ':', (size_t)(stop - begin)) : NULL;
	*item = (struct spoor_capture_item){
		.name = begin,
		.length = (size_t)((colon ? colon : stop) - begin),
		.format = colon && colon + 1 < stop ? colon[1] : 0,
		.is_wanted = begin < stop,
	};
	return true;
}

/* Returns the first colon that is not half of "::" and in no brackets, or null. */
static const char *find_colon(const char *begin, const char *end)
{
	for (const char *at = begin; at < end && !strchr("([<", *at); at++) {
		if (*at != ':')
			continue;
		if (at + 1 < end && at[1] == ':')
			at++;
		else
			return at;
	}
	return NULL;
}

/* Returns the '(' of the wanted arguments at the end of a choice, or null if the choice has no list of arguments. */
static const char *find_items(const char *begin, const char *end)
{
	const char *open = NULL;

	if (begin == end || end[-1] != ')')
		return NULL;
	for (const char *at = begin; at < end; at++)
		if (*at == '(')
			open = at;
	if (!open || open == begin)
		return NULL;
	return find_colon(open + 1, end - 1) ? open : NULL;
}

bool spoor_capture_text_next(const char **rest, struct spoor_capture_choice *choice)
{
	const char *begin, *end, *colon, *items;
	bool excludes;

	if (!spoor_patterns_next(rest, &begin, &end, &excludes))
		return false;
	items = find_items(begin, end);
	*choice = (struct spoor_capture_choice){
		.begin = begin, .end = end, .function = begin, .function_end = items ? items : end, .excludes = excludes,
	};
	if (items) {
		choice->items = items + 1;
		choice->items_end = end - 1;
	}
	colon = find_colon(begin, choice->function_end);
	if (colon) {
		choice->module = begin;
		choice->module_end = colon;
		choice->function = colon + 1;
	}
	return true;
}

static int check_pattern(const char *begin, const char *end)
{
	char pattern[PATTERN_MAX];
	size_t length = (size_t)(end - begin);

	if (length >= sizeof(pattern))
		return -EINVAL;
	memcpy(pattern, begin, length);
	pattern[length] = '\0';
	return spoor_patterns_check(pattern);
}

static int check_items(const struct spoor_capture_choice *choice)
{
	const char *rest = choice->items, *begin = rest;
	struct spoor_capture_item item;

	while (spoor_capture_item_next(&rest, choice->items_end, &item)) {
		const char *end = rest - 1;

		begin = trim(begin, &end);
		/* A name alone is an argument that is shown by its type. */
		for (const char *at = begin; at < end && !memchr(begin, ':', (size_t)(end - begin)); at++)
			if (!isalnum((unsigned char)*at) && *at != '_')
				return -EINVAL;
		if (begin < end && memchr(begin, ':', (size_t)(end - begin)) && !is_item(begin, end))
			return -EINVAL;
		begin = rest;
	}
	return 0;
}

int spoor_capture_text_check(const char *text)
{
	struct spoor_capture_choice choice;
	const char *rest = text;

	if (!*text || text[strlen(text) - 1] == ',')
		return -EINVAL;
	while (spoor_capture_text_next(&rest, &choice)) {
		if (check_pattern(choice.function, choice.function_end) < 0 ||
		    (choice.module && check_pattern(choice.module, choice.module_end) < 0) ||
		    (choice.items && (choice.excludes || check_items(&choice) < 0)))
			return -EINVAL;
	}
	return 0;
}
