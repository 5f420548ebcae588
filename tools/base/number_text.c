/* SPDX-License-Identifier: MIT */
/* number_text.c - parses numbers, counts and sizes of the command line. */
#include "base/number_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool number_text_parse(const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	return !errno && *text >= '0' && *text <= '9' && !*end && *number >= least && *number <= most;
}

/* Multiplies @number by 1,000 or 1,024 for each step up to the unit. Returns false for an unknown unit. */
static bool apply_unit(const char *unit, bool is_size, double *number)
{
	static const char units[] = "kmgt";
	double step = is_size ? 1024 : 1000;
	const char *at = *unit ? strchr(units, *unit | 0x20) : NULL;

	if (!*unit)
		return true;
	if (is_size && strcmp(unit, "B") == 0)
		return true;
	if (!at)
		return false;
	if (is_size && strcmp(unit + 1, "B") == 0)
		step = 1000;
	else if (unit[1] && !(is_size && strcmp(unit + 1, "iB") == 0))
		return false;
	for (; at >= units; at--)
		*number *= step;
	return true;
}

static bool parse(const char *text, bool is_size, uint64_t least, uint64_t most, uint64_t *number)
{
	double value;
	char *end;

	/* Numbers without a unit may need all 64 bits. */
	if (number_text_parse(text, least, most, number))
		return true;
	errno = 0;
	value = strtod(text, &end);
	/* No sign, no space, no "inf", and no hexadecimal number. */
	if (errno || (*text != '.' && (*text < '0' || *text > '9')) || strpbrk(text, "xXpPeE") || !apply_unit(end, is_size, &value))
		return false;
	if (!is_size && value != (double)(uint64_t)value)
		return false;
	if (!(value < 18e18) || (uint64_t)value < least || (uint64_t)value > most)
		return false;
	*number = (uint64_t)value;
	return true;
}

bool number_text_count(const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
	return parse(text, false, least, most, number);
}

bool number_text_size(const char *text, uint64_t least, uint64_t most, uint64_t *bytes)
{
	return parse(text, true, least, most, bytes);
}
