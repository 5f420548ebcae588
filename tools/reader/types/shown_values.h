/* SPDX-License-Identifier: MIT */
/*
 * shown_values.h - the arguments or the result of a call as people read them: with the names and types of the source
 * if debug information has them, and one value for each parameter.
 */
#ifndef SPOOR_READER_SHOWN_VALUES_H
#define SPOOR_READER_SHOWN_VALUES_H

#include "reader/events/call_values.h"
#include "reader/types/value_owners.h"

struct shown_value {
	char name[128];
	char text[CALL_VALUE_TEXT_MAX];
	bool is_number;			/* an integer, character, address, real number or enumeration */
	long double number;
	bool is_string;			/* `string` is text of the program, without quotes */
	char string[1024];
};

struct shown_values {
	const struct call_values *values;
	const struct function_types *types;	/* null: unknown */
	struct call_values_reader reader;
	struct call_value next;
	bool has_next;
	struct value_owner owners[SPOOR_CAPTURE_VALUES_MAX];
};

/* Reads the types of the call's function if they have not been read. Any thread. */
void shown_values_begin(struct shown_values *shown, const struct call_values *values);

/* Returns whether there was another value. */
bool shown_values_next(struct shown_values *shown, struct shown_value *value);

/*
 * shown_values_text - writes all values: "n=3, arg2={1, 2}", or of a result only its value.
 * @with_cpu_time: also the processor time that the thread had used (SPOOR_CPU_TIME_NAME)
 *
 * Returns a string that the caller frees, or null if memory runs out.
 */
char *shown_values_text(const struct call_values *values, bool with_cpu_time);

#endif
