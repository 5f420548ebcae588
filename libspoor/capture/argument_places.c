/* SPDX-License-Identifier: MIT */
/* argument_places.c - reads the description of a function, and computes the places of its arguments and result. */
#include "capture/argument_places.h"

#include <errno.h>

struct reader {
	const uint8_t *at, *end;
	bool is_bad;
};

static uint32_t take(struct reader *reader)
{
	if (reader->at < reader->end)
		return *reader->at++;
	reader->is_bad = true;
	return 0;
}

static uint64_t take_leb(struct reader *reader)
{
	uint64_t value = 0;

	for (uint32_t shift = 0; shift < 63; shift += 7) {
		uint32_t byte = take(reader);

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	reader->is_bad = true;
	return 0;
}

/* One item with its operands. */
struct item {
	enum spoor_signature_item kind;
	uint64_t size;		/* width in bits, or size in bytes */
	uint32_t alignment;	/* logarithm */
};

static struct item take_item(struct reader *reader)
{
	struct item item = { .kind = (enum spoor_signature_item)take(reader) };

	switch (item.kind) {
	case SPOOR_SIGNATURE_INTEGER:
	case SPOOR_SIGNATURE_SIGNED:
	case SPOOR_SIGNATURE_UNSIGNED:
	case SPOOR_SIGNATURE_REAL:
	case SPOOR_SIGNATURE_VECTOR:
	case SPOOR_SIGNATURE_STRUCT:
	case SPOOR_SIGNATURE_ARRAY:
	case SPOOR_SIGNATURE_TEXT:
		item.size = take(reader);
		break;
	case SPOOR_SIGNATURE_BYVAL:
		item.size = take_leb(reader);
		item.alignment = take(reader);
		break;
	case SPOOR_SIGNATURE_SRET:
		item.size = take_leb(reader);
		break;
	default:
		break;
	}
	return item;
}

static bool is_integer(enum spoor_signature_item kind)
{
	return kind == SPOOR_SIGNATURE_INTEGER || kind == SPOOR_SIGNATURE_SIGNED || kind == SPOOR_SIGNATURE_UNSIGNED;
}

static bool is_general(enum spoor_signature_item kind)
{
	return is_integer(kind) || kind == SPOOR_SIGNATURE_POINTER;
}

/* Says how a scalar is stored, all but its place. Returns its size in words; 0 if that is unknown. */
static uint32_t describe(const struct item *item, struct spoor_capture_value *value)
{
	switch (item->kind) {
	case SPOOR_SIGNATURE_INTEGER:
	case SPOOR_SIGNATURE_SIGNED:
	case SPOOR_SIGNATURE_UNSIGNED:
		if (!item->size || item->size > 128)
			return 0;
		value->type = item->kind == SPOOR_SIGNATURE_SIGNED ? SPOOR_TYPE_SIGNED :
			      item->kind == SPOOR_SIGNATURE_UNSIGNED ? SPOOR_TYPE_UNSIGNED : SPOOR_TYPE_INTEGER;
		value->storage = item->size < 64 ? SPOOR_VALUE_BITS : item->size == 64 ? SPOOR_VALUE_INTEGER : SPOOR_VALUE_BYTES;
		value->size = (uint8_t)(item->size <= 64 ? item->size : (item->size + 7) / 8);
		return item->size <= 64 ? 1 : 2;
	case SPOOR_SIGNATURE_POINTER:
		value->type = SPOOR_TYPE_POINTER;
		value->storage = SPOOR_VALUE_ADDRESS;
		value->size = 64;
		return 1;
	case SPOOR_SIGNATURE_REAL:
		if (item->size != 16 && item->size != 32 && item->size != 64 && item->size != 80 && item->size != 128)
			return 0;
		value->type = SPOOR_TYPE_REAL;
		value->storage = item->size <= 64 ? SPOOR_VALUE_BITS : SPOOR_VALUE_BYTES;
		value->size = (uint8_t)(item->size <= 64 ? item->size : item->size / 8);
		return item->size <= 64 ? 1 : 2;
	case SPOOR_SIGNATURE_BFLOAT:
		value->type = SPOOR_TYPE_BFLOAT;
		value->storage = SPOOR_VALUE_BITS;
		value->size = 16;
		return 1;
	case SPOOR_SIGNATURE_VECTOR:
		if (item->size != 8 && item->size != 16)
			return 0;
		value->type = SPOOR_TYPE_VECTOR;
		value->storage = SPOOR_VALUE_BYTES;
		value->size = (uint8_t)item->size;
		return (uint32_t)item->size / 8;
	default:
		return 0;
	}
}

/* Returns whether the place is known. */
static bool place_argument(struct spoor_used_places *used, const struct item *item, struct spoor_part *part)
{
	uint32_t words = describe(item, &part->value);

	if (item->kind == SPOOR_SIGNATURE_BYVAL && item->size) {
		words = (uint32_t)((item->size + 7) / 8);
		if (item->size > 1u << 16 || item->alignment > 12)
			return false;
		part->bytes = (uint32_t)item->size;
		part->value.type = SPOOR_TYPE_BYTES;
		part->value.storage = SPOOR_VALUE_BYTES;
		part->value.size = (uint8_t)(item->size < SPOOR_OBJECT_MOST ? item->size : SPOOR_OBJECT_MOST);
		part->value.part = item->size > SPOOR_OBJECT_MOST;
		part->value.place = spoor_place_stack(used, words, item->alignment > 3 ? 1u << (item->alignment - 3) : 1);
	} else if (!words) {
		return false;
	} else if (is_general(item->kind)) {
		part->value.place = spoor_place_general(used, words);
	} else if (item->kind == SPOOR_SIGNATURE_REAL && item->size == 80) {
		part->value.place = spoor_place_x87(used);
	} else {
		part->value.place = spoor_place_vector(used, words);
	}
	return part->value.place != SPOOR_PLACE_NONE;
}

/* An array's parts have one type, so one look at the first part is enough. Returns the bytes of a part if the parts are
 * in memory and share words; else 0. */
static uint32_t begin_array(struct reader reader, struct spoor_used_places *used, uint32_t count)
{
	struct item first = take_item(&reader);
	uint32_t words = is_integer(first.kind) && first.size > 64 ? 2 : 1;
	struct spoor_capture_value value = { 0 };

	if (!spoor_place_array(used, is_general(first.kind) ? words * count : 0, is_general(first.kind) ? 0 : count) ||
	    !describe(&first, &value) || value.storage != SPOOR_VALUE_BITS || value.size == 64)
		return 0;
	return value.size / 8;
}

static bool is_layout(uint64_t number)
{
	return number <= SPOOR_LAYOUT_LENGTH_BEFORE ||
	       (number > SPOOR_LAYOUT_OBJECT && number <= SPOOR_LAYOUT_OBJECT + SPOOR_OBJECT_MOST);
}

/* Takes a description of text or of an object. Returns the layout; 0: there is none that is known. */
static uint8_t take_layout(struct reader *reader, struct item *item)
{
	uint8_t layout;

	if (item->kind != SPOOR_SIGNATURE_TEXT)
		return 0;
	layout = is_layout(item->size) ? (uint8_t)item->size : 0;
	*item = take_item(reader);
	return layout;
}

/* Returns the layout of part @at, from 0, of an argument that has @count parts. */
static uint8_t layout_of(uint8_t layout, uint32_t at, uint32_t count)
{
	return at == (count > 1 && layout == SPOOR_LAYOUT_LENGTH_BEFORE) ? layout : 0;
}

/* Returns whether the places of this argument and of later ones are known. */
static bool take_argument(struct reader *reader, struct spoor_used_places *used, struct item item, uint32_t number,
			  uint8_t layout, struct spoor_places *places)
{
	bool has_parts = item.kind == SPOOR_SIGNATURE_STRUCT || item.kind == SPOOR_SIGNATURE_ARRAY;
	uint32_t count = has_parts ? (uint32_t)item.size : 1;
	uint32_t packed = item.kind == SPOOR_SIGNATURE_ARRAY && count ? begin_array(*reader, used, count) : 0;

	if (packed) {
		for (uint32_t i = 0; i < count; i++)
			take_item(reader);
		item = (struct item){ .kind = SPOOR_SIGNATURE_BYVAL, .size = packed * count };
		has_parts = false;
		count = 1;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct spoor_part part = { .value = { .argument = (uint8_t)number, .part = (uint8_t)(has_parts ? i + 1 : 0) } };

		part.layout = layout_of(layout, i, count);
		if (has_parts)
			item = take_item(reader);
		if (!place_argument(used, &item, &part) || places->argument_count == SPOOR_PARTS_MAX)
			return false;
		places->arguments[places->argument_count++] = part;
	}
	return true;
}

static void take_arguments(struct reader *reader, struct spoor_places *places)
{
	struct spoor_used_places used = { 0 };
	uint32_t number = 0;

	for (;;) {
		struct item item = take_item(reader);
		uint8_t layout = take_layout(reader, &item);

		if (item.kind == SPOOR_SIGNATURE_END || reader->is_bad)
			return;
		if (item.kind == SPOOR_SIGNATURE_NEST)
			continue;
		if (item.kind == SPOOR_SIGNATURE_SRET) {
			uint16_t place = spoor_place_result_address(&used);

			if (!places->result_count)
				places->results[places->result_count++] = (struct spoor_part){
					.value = { place, SPOOR_VALUE_ADDRESS, 64, SPOOR_TYPE_RESULT_ADDRESS, 0, 0, 0 },
					.layout = layout,
					.bytes = (uint32_t)item.size,
				};
			continue;
		}
		if (++number > UINT8_MAX || !take_argument(reader, &used, item, number, layout, places)) {
			places->arguments_cut = true;
			return;
		}
	}
}

/* Returns whether the result is in registers, or there is none. */
static bool take_result(struct reader *reader, struct spoor_places *places)
{
	uint32_t general = 0, vectors = 0, x87 = 0, count = 1;
	struct item item = take_item(reader);
	uint8_t layout = take_layout(reader, &item);
	bool has_parts = item.kind == SPOOR_SIGNATURE_STRUCT || item.kind == SPOOR_SIGNATURE_ARRAY;

	if (item.kind == SPOOR_SIGNATURE_END)
		return true;
	if (has_parts)
		count = (uint32_t)item.size;
	for (uint32_t i = 0; i < count; i++) {
		struct spoor_part part = { .value = { .part = (uint8_t)(has_parts ? i + 1 : 0) } };
		uint32_t words;

		if (has_parts)
			item = take_item(reader);
		words = describe(&item, &part.value);
		part.layout = layout_of(layout, i, count);
		if (!words || i == SPOOR_PARTS_MAX)
			return false;
		if (is_general(item.kind)) {
			part.value.place = (uint16_t)general;
			general += words;
		} else if (item.kind == SPOOR_SIGNATURE_REAL && item.size == 80) {
			part.value.place = SPOOR_PLACE_X87;
			x87++;
		} else {
			part.value.place = (uint16_t)(SPOOR_PLACE_VECTORS + 2 * vectors++);
		}
		places->results[places->result_count++] = part;
	}
	if (take_item(reader).kind != SPOOR_SIGNATURE_END)
		return false;
	return spoor_results_fit(general, vectors, x87);
}

int spoor_places_find(const uint8_t *signature, size_t bytes, struct spoor_places *places)
{
	struct reader reader = { signature, signature + bytes, false };
	uint32_t flags = take(&reader);

	*places = (struct spoor_places){ .is_variadic = flags & SPOOR_SIGNATURE_VARIADIC };
	/* LLVM returns what does not fit through memory, whose address is then the first argument. */
	if (!take_result(&reader, places)) {
		places->result_count = 0;
		places->result_unknown = places->arguments_cut = true;
		return reader.is_bad ? -EBADMSG : 0;
	}
	take_arguments(&reader, places);
	places->arguments_cut |= flags & SPOOR_SIGNATURE_CUT;
	return reader.is_bad ? -EBADMSG : 0;
}
