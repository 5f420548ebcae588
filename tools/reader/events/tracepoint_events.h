/* SPDX-License-Identifier: MIT */
/* tracepoint_events.h - formats the arguments of a tracepoint's hit. */
#ifndef SPOOR_READER_TRACEPOINT_EVENTS_H
#define SPOOR_READER_TRACEPOINT_EVENTS_H

#include "reader/events/thread_events.h"

/* Size of the text of one argument, and of all of them with their types. */
#define TRACEPOINT_ARGUMENT_MAX 32
#define TRACEPOINT_TEXT_MAX (SPOOR_TRACEPOINT_ARGUMENTS_MAX * (TRACEPOINT_ARGUMENT_MAX + 8))

struct tracepoint_argument {
	enum { TRACEPOINT_UNSIGNED, TRACEPOINT_SIGNED, TRACEPOINT_POINTER, TRACEPOINT_REAL } kind;
	uint64_t value;			/* signed: sign-extended to 64 bits; real: the bits of a double */
	const char *type;		/* "i8" to "i64", "u8" to "u64", "ptr", "f32", "f64" */
};

/* Returns the argument at @position, which must exist. */
struct tracepoint_argument tracepoint_argument(const struct spoor_tracepoint_event *event, uint32_t position);

/* Returns the value of a real argument. */
double tracepoint_argument_real(const struct tracepoint_argument *argument);

/* Writes its value: decimal; a pointer, hexadecimal; a real number, with the fewest digits that distinguish it
 * from all others, or "nan", "inf", "-inf". */
void tracepoint_argument_text(const struct tracepoint_argument *argument, char text[TRACEPOINT_ARGUMENT_MAX]);

/* Writes all arguments: "-5, 0x7ffd0010", or with @types "i32 -5, ptr 0x7ffd0010". */
void tracepoint_text(const struct spoor_tracepoint_event *event, bool types, char text[TRACEPOINT_TEXT_MAX]);

#endif
