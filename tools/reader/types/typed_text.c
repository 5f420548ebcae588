/* SPDX-License-Identifier: MIT */
/* typed_text.c - writes bytes as a value of a source type. */
#include "reader/types/typed_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "format/values_format.h"
#include "reader/events/call_values.h"

#define DEPTH_MAX 16u
#define ELEMENTS_MAX 64u

struct text {
	char *at, *end;		/* room for the NUL is not counted */
};

static void put(struct text *text, const char *added)
{
	size_t length = strlen(added), room = (size_t)(text->end - text->at);

	length = length < room ? length : room;
	memcpy(text->at, added, length);
	text->at += length;
	*text->at = '\0';
}

static void put_type(struct text *text, const struct value_type *type, const uint8_t *data, size_t bytes, unsigned int depth);

static uint64_t low_bytes(const uint8_t *data, size_t bytes)
{
	uint64_t value = 0;

	memcpy(&value, data, bytes < 8 ? bytes : 8);
	return value;
}

/* Uses the text of values without a source type. */
static void put_scalar(struct text *text, enum spoor_value_type type, char format, const uint8_t *data, size_t bytes)
{
	struct spoor_capture_value how = {
		.storage = bytes > 8 ? SPOOR_VALUE_BYTES : SPOOR_VALUE_BITS, .size = (uint8_t)(bytes > 8 ? bytes : 8 * bytes),
		.type = (uint8_t)type, .format = (uint8_t)format,
	};
	struct call_value value = { .how = &how, .name = "", .bytes = (uint32_t)bytes };
	char number[CALL_VALUE_TEXT_MAX];

	memcpy(value.number, data, bytes < sizeof(value.number) ? bytes : sizeof(value.number));
	call_value_text(&value, number);
	put(text, number);
}

static size_t real_bytes(const struct value_type *type, size_t bytes)
{
	return type->is_extended ? 10 : bytes;
}

static void put_real(struct text *text, const struct value_type *type, const uint8_t *data, size_t bytes)
{
	put_scalar(text, SPOOR_TYPE_REAL, 0, data, real_bytes(type, bytes));
}

static void put_character(struct text *text, const uint8_t *data, size_t bytes)
{
	uint64_t c = low_bytes(data, bytes);
	char utf[12];

	if (c < 0x80 || bytes == 1) {
		put_scalar(text, SPOOR_TYPE_UNSIGNED, 'c', data, 1);
		return;
	}
	if (c < 0x800)
		snprintf(utf, sizeof(utf), "'%c%c'", (int)(0xc0 | c >> 6), (int)(0x80 | (c & 0x3f)));
	else if (c < 0x10000 && (c < 0xd800 || c > 0xdfff))
		snprintf(utf, sizeof(utf), "'%c%c%c'", (int)(0xe0 | c >> 12), (int)(0x80 | (c >> 6 & 0x3f)), (int)(0x80 | (c & 0x3f)));
	else if (c >= 0x10000 && c < 0x110000)
		snprintf(utf, sizeof(utf), "'%c%c%c%c'", (int)(0xf0 | c >> 18), (int)(0x80 | (c >> 12 & 0x3f)),
			 (int)(0x80 | (c >> 6 & 0x3f)), (int)(0x80 | (c & 0x3f)));
	else
		snprintf(utf, sizeof(utf), "0x%x", (unsigned int)c);
	put(text, utf);
}

/* Tells if the constants are flags: at least two single bits, and all others are made of those. */
static bool are_flags(const struct value_type *type)
{
	uint64_t bits = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < type->count; i++) {
		uint64_t value = type->enumerators[i].value;

		if (value && !(value & (value - 1))) {
			count += !(bits & value);
			bits |= value;
		}
	}
	for (uint32_t i = 0; i < type->count; i++)
		if (type->enumerators[i].value & ~bits)
			return false;
	/* 0, 1, 2 are more likely a plain enumeration, whose unknown values are not sums. */
	return count > 2 || (count == 2 && bits != 3);
}

/* Writes the flags in their order, and the remaining bits as a number. */
static void put_flags(struct text *text, const struct value_type *type, uint64_t value)
{
	const char *between = "";
	char number[24];

	/* A constant of several bits stands for all of them. */
	for (int several = 1; several >= 0; several--) {
		for (uint32_t i = 0; i < type->count; i++) {
			uint64_t flag = type->enumerators[i].value;

			if (!flag || (value & flag) != flag || ((flag & (flag - 1)) != 0) != several)
				continue;
			put(text, between);
			put(text, type->enumerators[i].name);
			between = "|";
			value &= ~flag;
		}
	}
	if (!value && *between)
		return;
	snprintf(number, sizeof(number), "%s0x%llx", between, (unsigned long long)value);
	put(text, number);
}

static uint64_t enum_value(const struct value_type *type, const uint8_t *data, size_t bytes)
{
	uint64_t value = low_bytes(data, bytes);
	uint32_t unused = bytes < 8 ? 64 - 8 * (uint32_t)bytes : 0;

	return type->is_signed ? (uint64_t)((int64_t)(value << unused) >> unused) : value;
}

static void put_enum(struct text *text, const struct value_type *type, const uint8_t *data, size_t bytes)
{
	uint64_t value = enum_value(type, data, bytes);

	for (uint32_t i = 0; i < type->count; i++) {
		if (type->enumerators[i].value == value) {
			put(text, type->enumerators[i].name);
			return;
		}
	}
	if (are_flags(type))
		put_flags(text, type, value);
	else
		put_scalar(text, type->is_signed ? SPOOR_TYPE_SIGNED : SPOOR_TYPE_UNSIGNED, 0, data, bytes);
}

static void put_bit_field(struct text *text, const struct type_member *member, const uint8_t *data)
{
	uint32_t size = member->bit_size < 64 ? member->bit_size : 64, unused = 64 - size;
	const struct value_type *type = member->type;
	bool is_signed = type->kind == TYPE_SIGNED || (type->kind == TYPE_ENUM && type->is_signed);
	unsigned __int128 bytes = 0;
	uint64_t value;

	memcpy(&bytes, data + member->bit / 8, (member->bit % 8 + size + 7) / 8);
	value = (uint64_t)(bytes >> (member->bit % 8)) << unused;
	value = is_signed ? (uint64_t)((int64_t)value >> unused) : value >> unused;
	put_type(text, type, (const uint8_t *)&value, type->size < 8 ? type->size : 8, 1);
}

static void put_member(struct text *text, const struct type_member *member, const uint8_t *data, size_t bytes,
		       unsigned int depth)
{
	if (*member->name) {
		put(text, member->name);
		put(text, "=");
	}
	if (member->bit_size && ((uint64_t)member->bit + member->bit_size + 7) / 8 <= bytes)
		put_bit_field(text, member, data);
	else if (!member->bit_size && member->offset < bytes)
		put_type(text, member->type, data + member->offset, bytes - member->offset, depth + 1);
	else
		put(text, "...");
}

static void put_members(struct text *text, const struct value_type *type, const uint8_t *data, size_t bytes, unsigned int depth)
{
	bool is_first = true;

	put(text, "{");
	for (uint32_t i = 0; i < type->count && text->at < text->end; i++) {
		const struct type_member *member = &type->members[i];

		/* An empty base class has nothing to show. */
		if (member->type->kind == TYPE_STRUCT && !member->type->count)
			continue;
		put(text, is_first ? "" : ", ");
		is_first = false;
		put_member(text, member, data, bytes, depth);
	}
	put(text, "}");
}

static void put_string(struct text *text, const uint8_t *data, size_t bytes, bool is_whole)
{
	static const struct spoor_capture_value how = { .storage = SPOOR_VALUE_TEXT, .type = SPOOR_TYPE_TEXT };
	struct call_value value = { .how = &how, .name = "", .is_cut = !is_whole };
	char string[CALL_VALUE_TEXT_MAX];

	value.bytes = (uint32_t)strnlen((const char *)data, bytes < sizeof(value.text) - 1 ? bytes : sizeof(value.text) - 1);
	value.is_cut &= value.bytes == bytes;
	memcpy(value.text, data, value.bytes);
	call_value_text(&value, string);
	put(text, string);
}

static void put_elements(struct text *text, const struct value_type *type, const uint8_t *data, size_t bytes, unsigned int depth)
{
	uint64_t size = type->element->size;
	uint32_t i;

	if (type->element->kind == TYPE_CHARACTER && size == 1) {
		put_string(text, data, bytes < type->size ? bytes : type->size, bytes >= type->size);
		return;
	}
	put(text, "[");
	for (i = 0; i < type->count && i < ELEMENTS_MAX && (i + 1) * size <= bytes; i++) {
		put(text, i ? ", " : "");
		put_type(text, type->element, data + i * size, size, depth + 1);
	}
	put(text, i < type->count ? i ? ", ...]" : "...]" : "]");
}

static void put_complex(struct text *text, const struct value_type *type, const uint8_t *data)
{
	size_t half = type->size / 2, real = real_bytes(type, half);

	if (!real || real > half) {
		put(text, "...");
		return;
	}
	put_real(text, type, data, half);
	/* A sign is part of the second number. */
	if (!(data[half + real - 1] >> 7))
		put(text, "+");
	put_real(text, type, data + half, half);
	put(text, "i");
}

static void put_words(struct text *text, const uint8_t *data, size_t bytes)
{
	put_scalar(text, SPOOR_TYPE_BYTES, 0, data, bytes < 64 ? bytes : 64);
}

static void put_type(struct text *text, const struct value_type *type, const uint8_t *data, size_t bytes, unsigned int depth)
{
	bool is_scalar = type->kind != TYPE_STRUCT && type->kind != TYPE_UNION && type->kind != TYPE_ARRAY && type->kind != TYPE_VECTOR;
	size_t size = type->size;

	if (depth == DEPTH_MAX || (is_scalar && (!size || size > bytes) && type->kind != TYPE_REAL)) {
		put(text, "...");
		return;
	}
	switch (type->kind) {
	case TYPE_BOOL:
		put_scalar(text, SPOOR_TYPE_UNSIGNED, low_bytes(data, size) > 1 ? 0 : 'b', data, size);
		break;
	case TYPE_CHARACTER:
		put_character(text, data, size);
		break;
	case TYPE_SIGNED:
	case TYPE_UNSIGNED:
		put_scalar(text, type->kind == TYPE_SIGNED ? SPOOR_TYPE_SIGNED : SPOOR_TYPE_UNSIGNED, 0, data, size);
		break;
	case TYPE_REAL:
		if (real_bytes(type, size) <= bytes)
			put_real(text, type, data, size);
		else
			put(text, "...");
		break;
	case TYPE_COMPLEX:
		put_complex(text, type, data);
		break;
	case TYPE_POINTER:
		put_scalar(text, SPOOR_TYPE_POINTER, 'x', data, size);
		break;
	case TYPE_ENUM:
		put_enum(text, type, data, size);
		break;
	case TYPE_STRUCT:
	case TYPE_UNION:
		put_members(text, type, data, size < bytes ? size : bytes, depth);
		break;
	case TYPE_ARRAY:
	case TYPE_VECTOR:
		put_elements(text, type, data, bytes, depth);
		break;
	default:
		put_words(text, data, size < bytes ? size : bytes);
	}
}

void typed_text(const struct value_type *type, const uint8_t *data, size_t bytes, char *text, size_t size)
{
	struct text out = { text, text + size - 1 };

	*text = '\0';
	put_type(&out, type, data, bytes, 0);
}

bool typed_number(const struct value_type *type, const uint8_t *data, size_t bytes, long double *number)
{
	uint64_t value = low_bytes(data, type->size < bytes ? type->size : bytes);
	uint32_t unused = type->size < 8 ? 64 - 8 * (uint32_t)type->size : 0;
	double real;
	float single;

	if (!type->size || type->size > 8 || type->size > bytes)
		return false;
	switch (type->kind) {
	case TYPE_SIGNED:
		*number = (int64_t)(value << unused) >> unused;
		return true;
	case TYPE_ENUM:
		*number = type->is_signed ? (long double)(int64_t)enum_value(type, data, type->size) : (long double)value;
		return true;
	case TYPE_BOOL:
	case TYPE_CHARACTER:
	case TYPE_UNSIGNED:
	case TYPE_POINTER:
		*number = value;
		return true;
	case TYPE_REAL:
		if (type->size == sizeof(single)) {
			memcpy(&single, data, sizeof(single));
			*number = single;
		} else if (type->size == sizeof(real)) {
			memcpy(&real, data, sizeof(real));
			*number = real;
		}
		return type->size == sizeof(single) || type->size == sizeof(real);
	default:
		return false;
	}
}
