/* SPDX-License-Identifier: MIT */
/*
 * value_layouts.h - how the records of values divide into fields, in the header of a pool.
 *
 * The traced process adds a layout for each of its captures, and the drainer uses the layouts to pack values
 * (value_packing.h). A capture without a layout is stored as it is.
 */
#ifndef SPOOR_VALUE_LAYOUTS_H
#define SPOOR_VALUE_LAYOUTS_H

#include <stdbool.h>
#include <string.h>

#include "format/pool_format.h"
#include "format/values_format.h"

/* Fields of 1 to 64 bits have their number of bits; other fields have one of these. */
enum spoor_value_field {
	SPOOR_FIELD_INTEGER = 65,	/* SPOOR_VALUE_INTEGER */
	SPOOR_FIELD_ADDRESS = 66,	/* SPOOR_VALUE_ADDRESS */
	SPOOR_FIELD_TEXT = 67,		/* SPOOR_VALUE_TEXT, in any layout; the bytes of an object */
};

#define SPOOR_LAYOUT_FIELDS_MAX 32u
#define SPOOR_LAYOUTS_BYTES 4052u

struct spoor_value_layout {
	uint16_t head;		/* the first 16 bits of the record: capture, and arguments or result */
	uint8_t count;
	uint8_t fields[SPOOR_LAYOUT_FIELDS_MAX];
};

struct spoor_value_layouts {
	uint32_t used;		/* stored after the bytes that it counts */
	/* One after the other: head (2 bytes, little-endian), count, and `count` fields. */
	uint8_t bytes[SPOOR_LAYOUTS_BYTES];
};

_Static_assert(SPOOR_POOL_LAYOUTS_OFFSET + sizeof(struct spoor_value_layouts) <= SPOOR_POOL_BOARD_OFFSET, "must fit");

static inline struct spoor_value_layouts *spoor_pool_layouts(struct spoor_pool *pool)
{
	return (struct spoor_value_layouts *)((char *)pool + SPOOR_POOL_LAYOUTS_OFFSET);
}

/* Adds the fields of a value. Returns whether the layout has room for them. */
static inline bool spoor_value_layout_put(struct spoor_value_layout *layout, const struct spoor_capture_value *value)
{
	uint32_t bits = value->storage == SPOOR_VALUE_BITS ? value->size : value->storage == SPOOR_VALUE_BYTES ? value->size * 8u : 0;
	uint8_t field = value->storage == SPOOR_VALUE_INTEGER ? SPOOR_FIELD_INTEGER :
			value->storage == SPOOR_VALUE_ADDRESS ? SPOOR_FIELD_ADDRESS : SPOOR_FIELD_TEXT;

	if (value->storage == SPOOR_VALUE_NOTHING)
		return true;
	if (value->storage == SPOOR_VALUE_OBJECT && layout->count < SPOOR_LAYOUT_FIELDS_MAX)
		layout->fields[layout->count++] = SPOOR_FIELD_ADDRESS;
	do {
		if (layout->count == SPOOR_LAYOUT_FIELDS_MAX)
			return false;
		layout->fields[layout->count++] = bits ? (uint8_t)(bits < 64 ? bits : 64) : field;
		bits -= bits < 64 ? bits : 64;
	} while (bits);
	return true;
}

/* Adds a layout, if there is room. One writer at a time. */
static inline void spoor_value_layouts_add(struct spoor_value_layouts *layouts, const struct spoor_value_layout *layout)
{
	uint32_t used = layouts->used;

	if (used > SPOOR_LAYOUTS_BYTES || layout->count + 3u > SPOOR_LAYOUTS_BYTES - used)
		return;
	layouts->bytes[used] = (uint8_t)layout->head;
	layouts->bytes[used + 1] = (uint8_t)(layout->head >> 8);
	layouts->bytes[used + 2] = layout->count;
	memcpy(&layouts->bytes[used + 3], layout->fields, layout->count);
	__atomic_store_n(&layouts->used, used + 3 + layout->count, __ATOMIC_RELEASE);
}

/* Gets the layout at @at, which grows. Returns whether there is one. The memory may belong to another process. */
static inline bool spoor_value_layouts_next(const struct spoor_value_layouts *layouts, uint32_t *at,
					    struct spoor_value_layout *layout)
{
	uint32_t used = __atomic_load_n(&layouts->used, __ATOMIC_ACQUIRE);
	const uint8_t *bytes = layouts->bytes + *at;

	if (used > SPOOR_LAYOUTS_BYTES || *at + 3 > used)
		return false;
	layout->head = (uint16_t)(bytes[0] | bytes[1] << 8);
	layout->count = __atomic_load_n(&bytes[2], __ATOMIC_RELAXED);
	if (layout->count > SPOOR_LAYOUT_FIELDS_MAX || *at + 3 + layout->count > used)
		return false;
	memcpy(layout->fields, bytes + 3, layout->count);
	*at += 3 + layout->count;
	return true;
}

#endif
