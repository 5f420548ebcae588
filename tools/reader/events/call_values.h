/* SPDX-License-Identifier: MIT */
/*
 * call_values.h - the arguments or the result of one call, as the trace has them, and their text.
 *
 * Several owners share an object: call_values_keep and call_values_drop count them. Any thread may call these.
 */
#ifndef SPOOR_READER_CALL_VALUES_H
#define SPOOR_READER_CALL_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct functions;
struct process;
struct symbol_file;

struct call_values {
	uint32_t owners;
	bool is_result;
	uint32_t word_count;
	uint32_t local;			/* local function ID in `symbols` */
	struct symbol_file *symbols;	/* null: the function is unknown */
	const struct capture *capture;	/* owned by the process */
	uint64_t words[];		/* as in the trace */
};

/*
 * call_values_read - makes an object of a record SPOOR_EXTENDED_VALUES.
 * @values: out: null if the trace does not describe the record's capture
 *
 * Returns 0 or -ENOMEM.
 */
int call_values_read(const struct process *process, const uint64_t *words, uint32_t count, struct call_values **values);

/* Notes the function to which the values belong. @number: as in symbols/functions.h */
void call_values_set_function(struct call_values *values, const struct functions *functions, uint32_t number);

/* For call_values_keep and call_values_drop, whose argument may be null. Most calls have no values. */
void call_values_add_owner(struct call_values *values);
void call_values_remove_owner(struct call_values *values);

/* Returns its argument. */
static inline struct call_values *call_values_keep(struct call_values *values)
{
	if (__builtin_expect(values != NULL, 0))
		call_values_add_owner(values);
	return values;
}

static inline void call_values_drop(struct call_values *values)
{
	if (__builtin_expect(values != NULL, 0))
		call_values_remove_owner(values);
}

/* Returns whether the trace has the thread's processor time at this entry or exit, in @cpu_ns. @values: may be null */
bool call_values_cpu_time(const struct call_values *values, uint64_t *cpu_ns);

/* One value. */
struct call_value {
	const struct spoor_capture_value *how;
	const char *name;		/* given by the user; or "" */
	uint64_t number[8];		/* the lowest 64 bits first; of text: the address */
	uint32_t bytes;			/* that are valid; of text: its length */
	bool is_cut, is_unreadable, is_null;	/* of text */
	uint32_t object_bytes;		/* in `text`: of the object whose address the value is */
	char text[1024];		/* with NUL, and NULs of its own replaced */
};

/* Reads the values in order. */
struct call_values_reader {
	const struct call_values *values;
	uint32_t next;			/* position in the capture */
	uint64_t bit;			/* position in the words */
};

void call_values_begin(struct call_values_reader *reader, const struct call_values *values);

/* Returns whether there was another value. */
bool call_values_next(struct call_values_reader *reader, struct call_value *value);

/* The most characters of one value's text, with its NUL. */
#define CALL_VALUE_TEXT_MAX 4200

/* Writes a value: "-3", "0x7f00", "1.5", "\"abc\"", "<unreadable 0x10>". */
void call_value_text(const struct call_value *value, char text[CALL_VALUE_TEXT_MAX]);

#endif
