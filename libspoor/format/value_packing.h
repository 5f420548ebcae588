/* SPDX-License-Identifier: MIT */
/*
 * value_packing.h - packs the values of a call as differences to the values of the same function's last call.
 *
 * Part of packing.h for SPOOR_COMPRESSION_VALUES. A block's first record of values before an entry, or before an
 * exit, of a function is stored as it is, and then
 *   1 byte   number of fields of its layout; 0: unknown, so the next such record is stored in the same way
 *   1 byte for each field (value_layouts.h)
 * From then on, each entry, or exit, of this function is followed by its record:
 *   control bytes of four codes of 2 bits, the lowest first. Before the first code of a control byte comes that byte.
 *   The first code is 0; 1: this event has no values, and its other codes are 0.
 *   Each further code belongs to a number, and says how the difference is stored:
 *     0 none: the number is the same as last time
 *     1 a byte, 2 two bytes: the difference
 *     3 a byte with the number of bytes, and these bytes
 * A difference is stored as 2 * difference, or -2 * difference - 1 if it is negative. A field is a number. A text is
 * several: its state | length << 2; then its bytes, eight at a time, or its address. Numbers from the
 * SPOOR_PACKED_LASTS_MAX-th on, and numbers that the last record did not have, are differences to 0.
 */
#ifndef SPOOR_VALUE_PACKING_H
#define SPOOR_VALUE_PACKING_H

#include <stddef.h>

#include "format/value_layouts.h"

#define SPOOR_PACKED_LASTS_MAX 24u
#define SPOOR_PACKED_FUNCTIONS 256u	/* a function may replace another one */

/* The last values of a function's entry or exit. */
struct spoor_packed_function {
	uint32_t block;		/* the block to which it belongs */
	uint32_t code;		/* upper half of the event's word */
	struct spoor_value_layout layout;
	uint8_t count;		/* number of `last` */
	uint64_t last[SPOOR_PACKED_LASTS_MAX];
};

/* Zeroed by the caller. 60 KiB. */
struct spoor_value_model {
	uint32_t block;
	struct spoor_packed_function functions[SPOOR_PACKED_FUNCTIONS];
};

/* Finds layouts by their heads. Zeroed by the caller, who sets `layouts`. */
struct spoor_layout_index {
	const struct spoor_value_layouts *layouts;
	uint32_t read;			/* bytes of the layouts */
	uint16_t places[2 * SPOOR_CAPTURES_MAX];	/* position + 1; 0: none */
};

/* Sets @layout to the one for a record with this head; an empty one if it is unknown. @index: may be null */
void spoor_layout_index_find(struct spoor_layout_index *index, uint16_t head, struct spoor_value_layout *layout);

/* Begins a block. */
void spoor_value_model_begin(struct spoor_value_model *model);

/* Returns the function of an event if its record is to be packed or unpacked; else null. @code: of any word */
struct spoor_packed_function *spoor_value_model_find(struct spoor_value_model *model, uint32_t code);

/* Notes a record that was stored as it is. Without fields, the next one is stored in the same way. */
void spoor_value_model_learn(struct spoor_value_model *model, uint32_t code, const struct spoor_value_layout *layout,
			     const uint64_t *words, uint32_t count);

/*
 * spoor_values_pack - packs a record of values.
 * @words:  the record without its first word
 * @most:   room in @bytes
 *
 * Return: the number of bytes; 0 if the record must be stored as it is.
 */
size_t spoor_values_pack(struct spoor_packed_function *function, const uint64_t *words, uint32_t count, uint8_t *bytes,
			 size_t most);

/* Gets a number of a record of values. @at: position of its field, which is no text. Returns whether the record has it. */
bool spoor_values_number(const struct spoor_value_layout *layout, const uint64_t *words, uint32_t count, uint32_t at,
			 uint64_t *number);

/* The byte that says that the event has no values. */
#define SPOOR_PACKED_NO_VALUES 1u

/*
 * spoor_values_unpack - unpacks what spoor_values_pack wrote.
 * @in:    after the event; grows
 * @words: room for SPOOR_VALUES_WORDS_MAX
 *
 * Return: the number of words; 0: the event has no values; -EBADMSG.
 */
int spoor_values_unpack(struct spoor_packed_function *function, const uint8_t **in, const uint8_t *end, uint64_t *words);

#endif
