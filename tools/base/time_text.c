/* SPDX-License-Identifier: MIT */
/* time_text.c - parses durations and ranges of time, such as 1.5ms and 2s..3s. */
#include "base/time_text.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const struct {
	const char *name;
	uint64_t ns;
} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	    { "min", 60000000000 }, { "h", 3600000000000 } };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Parses the text in [@text, @end). */
static int parse(const char *text, const char *end, uint64_t *ns)
{
	uint64_t whole = 0, unit = 0, fraction = 0, scale = 1;
	const char *at = text, *point = NULL, *fraction_end;
	size_t left;

	for (; at < end && is_digit(*at); at++)
		if (__builtin_mul_overflow(whole, 10, &whole) || __builtin_add_overflow(whole, *at - '0', &whole))
			return -EINVAL;
	if (at == text)
		return -EINVAL;
	if (at < end && *at == '.') {
		point = at++;
		while (at < end && is_digit(*at))
			at++;
		if (at == point + 1)
			return -EINVAL;
	}
	fraction_end = at;
	left = (size_t)(end - at);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strlen(units[i].name) == left && strncmp(at, units[i].name, left) == 0)
			unit = units[i].ns;
	if (!left && !whole && !point)
		unit = 1;
	if (!unit || __builtin_mul_overflow(whole, unit, ns))
		return -EINVAL;
	/* A minute is not a power of ten, so the digits are multiplied before they are divided. */
	for (at = point ? point + 1 : fraction_end; at < fraction_end && scale <= unit; at++) {
		scale *= 10;
		fraction = fraction * 10 + (uint64_t)(*at - '0');
	}
	fraction = (uint64_t)((unsigned __int128)fraction * unit / scale);
	return __builtin_add_overflow(*ns, fraction, ns) ? -EINVAL : 0;
}

int time_text_parse(const char *text, uint64_t *ns)
{
	return parse(text, text + strlen(text), ns);
}

int time_text_range(const char *text, uint64_t *begin_ns, uint64_t *end_ns)
{
	const char *dots = strstr(text, ".."), *end;

	*begin_ns = 0;
	*end_ns = UINT64_MAX;
	if (!dots || !text[2])
		return -EINVAL;
	end = dots + 2;
	if ((dots != text && parse(text, dots, begin_ns)) || (*end && time_text_parse(end, end_ns)))
		return -EINVAL;
	return *begin_ns < *end_ns ? 0 : -ERANGE;
}
