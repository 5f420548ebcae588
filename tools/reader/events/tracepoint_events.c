/* SPDX-License-Identifier: MIT */
/* tracepoint_events.c - formats the arguments of a tracepoint's hit. */
#include "reader/events/tracepoint_events.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tracepoint_argument real_argument(uint64_t bits, bool single)
{
	struct tracepoint_argument argument = { TRACEPOINT_REAL, bits, single ? "f32" : "f64" };
	uint32_t low = (uint32_t)bits;
	double wide;
	float real;

	if (single) {
		memcpy(&real, &low, sizeof(real));
		wide = real;
		memcpy(&argument.value, &wide, sizeof(wide));
	}
	return argument;
}

struct tracepoint_argument tracepoint_argument(const struct spoor_tracepoint_event *event, uint32_t position)
{
	static const char *const types[2][4] = { { "u8", "u16", "u32", "u64" }, { "i8", "i16", "i32", "i64" } };
	unsigned int type = event->types >> (4 * position) & 15, logarithm = type & SPOOR_ARGUMENT_LOGARITHM;
	unsigned int unused = 64 - (8u << logarithm);
	uint64_t upwards = event->arguments[position] << unused;

	if ((type & SPOOR_ARGUMENT_REAL) == SPOOR_ARGUMENT_REAL && logarithm >= 2)
		return real_argument(event->arguments[position], logarithm == 2);
	if (type & SPOOR_ARGUMENT_POINTER)
		return (struct tracepoint_argument){ TRACEPOINT_POINTER, event->arguments[position], "ptr" };
	if (type & SPOOR_ARGUMENT_SIGNED)
		return (struct tracepoint_argument){ TRACEPOINT_SIGNED, (uint64_t)((int64_t)upwards >> unused), types[1][logarithm] };
	return (struct tracepoint_argument){ TRACEPOINT_UNSIGNED, upwards >> unused, types[0][logarithm] };
}

double tracepoint_argument_real(const struct tracepoint_argument *argument)
{
	double real;

	memcpy(&real, &argument->value, sizeof(real));
	return real;
}

/* Uses the fewest digits that read back as the same number. */
static void real_text(double real, bool single, char text[TRACEPOINT_ARGUMENT_MAX])
{
	if (real != real) {
		strcpy(text, "nan");
		return;
	}
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, TRACEPOINT_ARGUMENT_MAX, "%.*g", digits, real);
		if (single ? strtof(text, NULL) == (float)real : strtod(text, NULL) == real)
			return;
	}
}

void tracepoint_argument_text(const struct tracepoint_argument *argument, char text[TRACEPOINT_ARGUMENT_MAX])
{
	if (argument->kind == TRACEPOINT_REAL)
		real_text(tracepoint_argument_real(argument), argument->type[1] == '3', text);
	else if (argument->kind == TRACEPOINT_POINTER)
		snprintf(text, TRACEPOINT_ARGUMENT_MAX, "0x%" PRIx64, argument->value);
	else if (argument->kind == TRACEPOINT_SIGNED)
		snprintf(text, TRACEPOINT_ARGUMENT_MAX, "%" PRId64, (int64_t)argument->value);
	else
		snprintf(text, TRACEPOINT_ARGUMENT_MAX, "%" PRIu64, argument->value);
}

void tracepoint_text(const struct spoor_tracepoint_event *event, bool types, char text[TRACEPOINT_TEXT_MAX])
{
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < event->count; i++) {
		struct tracepoint_argument argument = tracepoint_argument(event, i);
		char number[TRACEPOINT_ARGUMENT_MAX];

		tracepoint_argument_text(&argument, number);
		used += (size_t)snprintf(text + used, TRACEPOINT_TEXT_MAX - used, "%s%s%s%s", i ? ", " : "",
					 types ? argument.type : "", types ? " " : "", number);
	}
}
