/* SPDX-License-Identifier: MIT */
/* tracepoint_events.c - the arguments of a tracepoint's hit, as text. */
#include "tracepoint_events.h"

#include <inttypes.h>
#include <stdio.h>

struct tracepoint_argument tracepoint_argument(const struct spoor_tracepoint_event *event, uint32_t position)
{
	static const char *const types[2][4] = { { "u8", "u16", "u32", "u64" }, { "i8", "i16", "i32", "i64" } };
	unsigned int type = event->types >> (4 * position) & 15, logarithm = type & SPOOR_ARGUMENT_LOGARITHM;
	unsigned int unused = 64 - (8u << logarithm);
	uint64_t upwards = event->arguments[position] << unused;

	if (type & SPOOR_ARGUMENT_POINTER)
		return (struct tracepoint_argument){ TRACEPOINT_POINTER, event->arguments[position], "ptr" };
	if (type & SPOOR_ARGUMENT_SIGNED)
		return (struct tracepoint_argument){ TRACEPOINT_SIGNED, (uint64_t)((int64_t)upwards >> unused), types[1][logarithm] };
	return (struct tracepoint_argument){ TRACEPOINT_UNSIGNED, upwards >> unused, types[0][logarithm] };
}

void tracepoint_argument_text(const struct tracepoint_argument *argument, char text[TRACEPOINT_ARGUMENT_MAX])
{
	if (argument->kind == TRACEPOINT_POINTER)
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
