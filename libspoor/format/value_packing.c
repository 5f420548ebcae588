/* SPDX-License-Identifier: MIT */
/*
 * value_packing.c - packs and unpacks values. value_packing.h describes the format.
 *
 * A record is packed only if the numbers that were found in it give exactly the same words again.
 */
#include "format/value_packing.h"

#include <errno.h>

#define NUMBERS_MAX 128u	/* more than a record with any layout has */
#define WORD_MASK (SPOOR_USER_MARK - 1)

/* The numbers of a record. */
struct numbers {
	uint32_t count;
	uint8_t bits[NUMBERS_MAX];	/* width of each */
	uint64_t values[NUMBERS_MAX];
};

/* A position in the stream of bits of a record. */
struct bit_stream {
	uint64_t *words;
	uint32_t most, word, used;	/* number of words; position */
	bool has_ended;			/* more bits were read or written than there are */
};

static uint64_t mask_of(uint32_t bits)
{
	return bits < 64 ? (1ull << bits) - 1 : UINT64_MAX;
}

static uint64_t take(struct bit_stream *from, uint32_t bits)
{
	uint64_t value = 0;

	for (uint32_t done = 0; done < bits;) {
		uint32_t part = SPOOR_VALUES_WORD_BITS - from->used;

		if (from->word == from->most) {
			from->has_ended = true;
			return 0;
		}
		part = part < bits - done ? part : bits - done;
		value |= ((from->words[from->word] & WORD_MASK) >> from->used & mask_of(part)) << done;
		done += part;
		from->used += part;
		if (from->used == SPOOR_VALUES_WORD_BITS) {
			from->word++;
			from->used = 0;
		}
	}
	return value;
}

static void put(struct bit_stream *to, uint64_t value, uint32_t bits)
{
	for (uint32_t done = 0; done < bits;) {
		uint32_t part = SPOOR_VALUES_WORD_BITS - to->used;

		if (to->word == to->most) {
			to->has_ended = true;
			return;
		}
		part = part < bits - done ? part : bits - done;
		if (!to->used)
			to->words[to->word] = SPOOR_USER_MARK;
		to->words[to->word] |= (value >> done & mask_of(part)) << to->used;
		done += part;
		to->used += part;
		if (to->used == SPOOR_VALUES_WORD_BITS) {
			to->word++;
			to->used = 0;
		}
	}
}

static uint32_t text_state(uint64_t number)
{
	return (uint32_t)number & 3;
}

static bool text_has_bytes(uint64_t number)
{
	return text_state(number) <= SPOOR_TEXT_CUT;
}

/* The number of numbers after a text's first one. */
static uint32_t text_numbers(uint64_t number)
{
	return text_has_bytes(number) ? (uint32_t)(number >> 2 & 1023) / 8 + ((number >> 2 & 7) != 0) :
	       text_state(number) == SPOOR_TEXT_UNREADABLE;
}

/* The width of number @at after a text's first one. */
static uint32_t text_bits(uint64_t number, uint32_t at)
{
	uint32_t left = text_has_bytes(number) ? (uint32_t)(number >> 2 & 1023) - 8 * at : 8;

	return left < 8 ? 8 * left : 64;
}

static bool add(struct numbers *numbers, uint64_t value, uint32_t bits)
{
	if (numbers->count == NUMBERS_MAX)
		return false;
	numbers->bits[numbers->count] = (uint8_t)bits;
	numbers->values[numbers->count++] = value;
	return true;
}

static bool add_text(struct numbers *numbers, struct bit_stream *from)
{
	uint64_t number = take(from, 2);

	if (text_has_bytes(number))
		number |= take(from, 10) << 2;
	if (!add(numbers, number, 12))
		return false;
	for (uint32_t i = 0; i < text_numbers(number); i++)
		if (!add(numbers, take(from, text_bits(number, i)), text_bits(number, i)))
			return false;
	return true;
}

static bool add_field(struct numbers *numbers, struct bit_stream *from, uint32_t field)
{
	uint64_t value;
	bool is_long;

	switch (field) {
	case SPOOR_FIELD_INTEGER:
		is_long = take(from, 1);
		value = take(from, 32);
		return add(numbers, is_long ? value | take(from, 32) << 32 : (uint64_t)(int64_t)(int32_t)value, 64);
	case SPOOR_FIELD_ADDRESS:
		is_long = take(from, 1);
		value = take(from, 48);
		return add(numbers, is_long ? value | take(from, 16) << 48 : value, 64);
	case SPOOR_FIELD_TEXT:
		return add_text(numbers, from);
	default:
		return add(numbers, take(from, field), field);
	}
}

/* Divides a record into numbers. */
static bool split(const struct spoor_value_layout *layout, const uint64_t *words, uint32_t count, struct numbers *numbers)
{
	struct bit_stream from = { (uint64_t *)words, count, 0, SPOOR_VALUES_HEAD_BITS, false };

	numbers->count = 0;
	for (uint32_t i = 0; i < layout->count; i++)
		if (!add_field(numbers, &from, layout->fields[i]) || from.has_ended)
			return false;
	return true;
}

bool spoor_values_number(const struct spoor_value_layout *layout, const uint64_t *words, uint32_t count, uint32_t at,
			 uint64_t *number)
{
	struct bit_stream from = { (uint64_t *)words, count, 0, SPOOR_VALUES_HEAD_BITS, false };
	struct numbers numbers;

	for (uint32_t i = 0; i <= at && i < layout->count; i++) {
		numbers.count = 0;
		if (!add_field(&numbers, &from, layout->fields[i]) || from.has_ended)
			return false;
	}
	if (at >= layout->count || layout->fields[at] == SPOOR_FIELD_TEXT)
		return false;
	*number = numbers.values[0];
	return true;
}

static void put_field(struct bit_stream *to, const struct numbers *numbers, uint32_t field, uint32_t *at)
{
	uint64_t value = numbers->values[(*at)++];
	bool is_long;

	switch (field) {
	case SPOOR_FIELD_INTEGER:
		is_long = (uint64_t)(int64_t)(int32_t)value != value;
		put(to, is_long, 1);
		put(to, value, is_long ? 64 : 32);
		break;
	case SPOOR_FIELD_ADDRESS:
		is_long = value >> 48;
		put(to, is_long, 1);
		put(to, value, is_long ? 64 : 48);
		break;
	case SPOOR_FIELD_TEXT:
		put(to, value, text_has_bytes(value) ? 12 : 2);
		for (uint32_t i = 0, count = text_numbers(value); i < count; i++)
			put(to, numbers->values[(*at)++], text_bits(value, i));
		break;
	default:
		put(to, value, field);
		break;
	}
}

/* Makes a record of numbers. Returns the number of words, or 0 if they do not fit. */
static uint32_t join(const struct spoor_value_layout *layout, const struct numbers *numbers, uint64_t *words)
{
	struct bit_stream to = { words, SPOOR_VALUES_WORDS_MAX, 0, 0, false };
	uint32_t at = 0;

	put(&to, layout->head, SPOOR_VALUES_HEAD_BITS);
	for (uint32_t i = 0; i < layout->count; i++)
		put_field(&to, numbers, layout->fields[i], &at);
	return to.has_ended ? 0 : to.word + (to.used != 0);
}

static void set_last(struct spoor_packed_function *function, const struct numbers *numbers)
{
	function->count = (uint8_t)(numbers->count < SPOOR_PACKED_LASTS_MAX ? numbers->count : SPOOR_PACKED_LASTS_MAX);
	memcpy(function->last, numbers->values, function->count * sizeof(function->last[0]));
}

static uint64_t last_of(const struct spoor_packed_function *function, uint32_t at)
{
	return at < function->count ? function->last[at] : 0;
}

void spoor_layout_index_find(struct spoor_layout_index *index, uint16_t head, struct spoor_value_layout *layout)
{
	uint32_t at, number = (head & (SPOOR_CAPTURES_MAX - 1)) | (head >> SPOOR_CAPTURE_NUMBER_BITS & 1) * SPOOR_CAPTURES_MAX;

	layout->count = 0;
	if (!index)
		return;
	for (at = index->read; spoor_value_layouts_next(index->layouts, &at, layout); index->read = at) {
		uint16_t other = layout->head;

		index->places[(other & (SPOOR_CAPTURES_MAX - 1)) |
			      (other >> SPOOR_CAPTURE_NUMBER_BITS & 1) * SPOOR_CAPTURES_MAX] = (uint16_t)(index->read + 1);
	}
	layout->count = 0;
	if (!index->places[number])
		return;
	at = index->places[number] - 1u;
	if (!spoor_value_layouts_next(index->layouts, &at, layout) || layout->head != head)
		layout->count = 0;
	for (uint32_t i = 0; i < layout->count; i++)
		if (!layout->fields[i] || layout->fields[i] > SPOOR_FIELD_TEXT)
			layout->count = 0;
}

void spoor_value_model_begin(struct spoor_value_model *model)
{
	if (++model->block == 0) {
		memset(model, 0, sizeof(*model));
		model->block = 1;
	}
}

static struct spoor_packed_function *place_of(struct spoor_value_model *model, uint32_t code)
{
	return &model->functions[code * 2654435761u >> 24];
}

struct spoor_packed_function *spoor_value_model_find(struct spoor_value_model *model, uint32_t code)
{
	struct spoor_packed_function *function = place_of(model, code);

	return function->block == model->block && function->code == code ? function : NULL;
}

void spoor_value_model_learn(struct spoor_value_model *model, uint32_t code, const struct spoor_value_layout *layout,
			     const uint64_t *words, uint32_t count)
{
	struct spoor_packed_function *function = place_of(model, code);
	struct numbers numbers;

	function->block = 0;
	if (!layout->count || !split(layout, words, count, &numbers))
		return;
	function->block = model->block;
	function->code = code;
	function->layout = *layout;
	function->layout.head = (uint16_t)words[0];
	set_last(function, &numbers);
}

/* The difference between two numbers of @bits bits, with its sign in the lowest bit. */
static uint64_t difference_of(uint64_t value, uint64_t last, uint32_t bits)
{
	int64_t difference = (int64_t)((value - last) << (64 - bits)) >> (64 - bits);

	return (uint64_t)difference << 1 ^ (uint64_t)(difference >> 63);
}

static uint64_t apply(uint64_t last, uint64_t difference, uint32_t bits)
{
	return (last + (difference >> 1 ^ -(difference & 1))) & mask_of(bits);
}

static uint32_t bytes_of(uint64_t difference)
{
	return difference ? (71u - (uint32_t)__builtin_clzll(difference)) / 8 : 0;
}

size_t spoor_values_pack(struct spoor_packed_function *function, const uint64_t *words, uint32_t count, uint8_t *bytes,
			 size_t most)
{
	uint64_t again[SPOOR_VALUES_WORDS_MAX];
	uint8_t *out = bytes, *control = NULL;
	struct numbers numbers;

	if ((uint16_t)words[0] != function->layout.head || !split(&function->layout, words, count, &numbers) ||
	    join(&function->layout, &numbers, again) != count || memcmp(words, again, count * sizeof(*words)) != 0)
		return 0;
	/* Code 0 is the first one of the first control byte. */
	for (uint32_t i = 0; i <= numbers.count; i++) {
		uint64_t difference = i ? difference_of(numbers.values[i - 1], last_of(function, i - 1), numbers.bits[i - 1]) : 0;
		uint32_t length = bytes_of(difference);

		if ((size_t)(out - bytes) + 10 > most)
			return 0;
		if (i % 4 == 0) {
			control = out++;
			*control = 0;
		}
		*control |= (uint8_t)((length < 3 ? length : 3) << (i % 4 * 2));
		if (length > 2)
			*out++ = (uint8_t)length;
		for (; length; length--, difference >>= 8)
			*out++ = (uint8_t)difference;
	}
	set_last(function, &numbers);
	return (size_t)(out - bytes);
}

/* The rest of a packed record. */
struct packed {
	const uint8_t *in, *end;
	uint32_t control, at;		/* the last control byte; number of codes so far */
	bool is_wrong;
};

static uint32_t next_byte(struct packed *packed)
{
	if (packed->in == packed->end) {
		packed->is_wrong = true;
		return 0;
	}
	return *packed->in++;
}

static uint32_t next_code(struct packed *packed)
{
	uint32_t at = packed->at++ % 4;

	if (!at)
		packed->control = next_byte(packed);
	return packed->control >> (at * 2) & 3;
}

static uint64_t next_number(struct packed *packed, const struct spoor_packed_function *function, struct numbers *numbers,
			    uint32_t bits)
{
	uint32_t length = next_code(packed);
	uint64_t difference = 0, value;

	if (length == 3)
		length = next_byte(packed);
	if (length > 8)
		packed->is_wrong = true;
	for (uint32_t i = 0; i < length && !packed->is_wrong; i++)
		difference |= (uint64_t)next_byte(packed) << (8 * i);
	value = apply(last_of(function, numbers->count), difference, bits);
	if (!add(numbers, value, bits))
		packed->is_wrong = true;
	return value;
}

int spoor_values_unpack(struct spoor_packed_function *function, const uint8_t **in, const uint8_t *end, uint64_t *words)
{
	struct packed packed = { *in, end, 0, 0, false };
	struct numbers numbers = { .count = 0 };
	uint32_t first = next_code(&packed), count;

	if (first == SPOOR_PACKED_NO_VALUES && packed.control == SPOOR_PACKED_NO_VALUES && !packed.is_wrong) {
		*in = packed.in;
		return 0;
	}
	packed.is_wrong |= first != 0;
	for (uint32_t i = 0; i < function->layout.count && !packed.is_wrong; i++) {
		uint32_t field = function->layout.fields[i];
		uint64_t text = next_number(&packed, function, &numbers,
					    field == SPOOR_FIELD_TEXT ? 12 : field > 64 ? 64 : field);

		for (uint32_t n = 0; field == SPOOR_FIELD_TEXT && n < text_numbers(text) && !packed.is_wrong; n++)
			next_number(&packed, function, &numbers, text_bits(text, n));
	}
	if (packed.is_wrong)
		return -EBADMSG;
	count = join(&function->layout, &numbers, words);
	if (!count)
		return -EBADMSG;
	set_last(function, &numbers);
	*in = packed.in;
	return (int)count;
}
