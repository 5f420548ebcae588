/* SPDX-License-Identifier: MIT */
/* tracepoint_events.h - the arguments of a tracepoint's hit, as text. */
#ifndef SPOOR_READER_TRACEPOINT_EVENTS_H
#define SPOOR_READER_TRACEPOINT_EVENTS_H

#include "reader/events/thread_events.h"

/* Room for one argument, and for all of them with their types. */
#define TRACEPOINT_ARGUMENT_MAX 32
#define TRACEPOINT_TEXT_MAX (SPOOR_TRACEPOINT_ARGUMENTS_MAX * (TRACEPOINT_ARGUMENT_MAX + 8))

struct tracepoint_argument {
	enum { TRACEPOINT_UNSIGNED, TRACEPOINT_SIGNED, TRACEPOINT_POINTER, TRACEPOINT_REAL } kind;
	uint64_t value;			/* of a signed one, its 64 bits; of a real one, those of a double */
	const char *type;		/* "i8" to "i64", "u8" to "u64", "ptr", "f32", "f64" */
};

/* The argument at @position, which there is. */
struct tracepoint_argument tracepoint_argument(const struct spoor_tracepoint_event *event, uint32_t position);

/* What a real one is. */
double tracepoint_argument_real(const struct tracepoint_argument *argument);

/* Its number: decimal, of a pointer hexadecimal; of a real one as few digits as tell it from all others,
 * or "nan", "inf", "-inf". */
void tracepoint_argument_text(const struct tracepoint_argument *argument, char text[TRACEPOINT_ARGUMENT_MAX]);

/* All of them: "-5, 0x7ffd0010", with their types "i32 -5, ptr 0x7ffd0010". */
void tracepoint_text(const struct spoor_tracepoint_event *event, bool types, char text[TRACEPOINT_TEXT_MAX]);

#endif
