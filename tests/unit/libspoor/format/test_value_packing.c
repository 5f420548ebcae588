/* SPDX-License-Identifier: MIT */
/* test_value_packing.c - packed records of values are unpacked exactly, small differences take few bytes, and damaged ones are rejected. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/value_text.h"
#include "format/packing.h"
#include "tests/unit/support/unit.h"

#define WORDS SPOOR_SLICE_WORDS
#define FUNCTIONS 300u	/* more than SPOOR_PACKED_FUNCTIONS */

static uint64_t words[WORDS + SPOOR_VALUES_WORDS_MAX + 2], back[WORDS + SPOOR_VALUES_WORDS_MAX + 2];
static uint8_t bytes[SPOOR_PACKED_BYTES_MAX(WORDS + SPOOR_VALUES_WORDS_MAX + 2)];
static struct spoor_packing model;
static struct spoor_value_model values, other_values;
static struct spoor_value_layouts layouts;
static struct spoor_layout_index layout_index;
static uint64_t random_state = 88172645463325252u;

static uint64_t draw(uint64_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 8) % below;
}

/* Small numbers, their negatives, and others. */
static uint64_t draw_number(void)
{
	return draw(3) ? draw(200) - 100 : draw(2) ? random_state << draw(64) : random_state >> draw(64);
}

/* Describes captures 1 to 5. */
static void describe(void)
{
	static const struct spoor_capture_value all[] = {
		{ .storage = SPOOR_VALUE_BITS, .size = 32 }, { .storage = SPOOR_VALUE_INTEGER }, { .storage = SPOOR_VALUE_ADDRESS },
		{ .storage = SPOOR_VALUE_TEXT }, { .storage = SPOOR_VALUE_NOTHING }, { .storage = SPOOR_VALUE_BYTES, .size = 20 },
		{ .storage = SPOOR_VALUE_BITS, .size = 1 }, { .storage = SPOOR_VALUE_BITS, .size = 64 },
		{ .storage = SPOOR_VALUE_OBJECT, .size = 60 },
	};

	layouts.used = 0;
	layout_index = (struct spoor_layout_index){ .layouts = &layouts };
	for (uint32_t capture = 1; capture <= 5; capture++) {
		struct spoor_value_layout layout = { .head = (uint16_t)capture };

		for (uint32_t i = 0; i < sizeof(all) / sizeof(*all); i++)
			if (i % 5 + 1 >= capture || i == capture)
				ck_assert(spoor_value_layout_put(&layout, &all[i]));
		spoor_value_layouts_add(&layouts, &layout);
		layout.head |= 1u << SPOOR_CAPTURE_NUMBER_BITS;
		spoor_value_layouts_add(&layouts, &layout);
	}
}

static void put_text(struct spoor_value_bits *to)
{
	uint32_t state = (uint32_t)draw(4), length = (uint32_t)draw(60);
	static const char text[64] = "/usr/share/doc/package/readme.and.more.of.it";

	spoor_value_put(to, state, 2);
	if (state == SPOOR_TEXT_UNREADABLE) {
		spoor_value_put(to, random_state >> 32, 32);
		spoor_value_put(to, random_state & 0xffffffff, 32);
	}
	if (state > SPOOR_TEXT_CUT)
		return;
	spoor_value_put(to, length, 10);
	for (uint32_t i = 0; i < length; i++)
		spoor_value_put(to, (uint8_t)text[i], 8);
}

/* Writes a field as the event path does. */
static void put_field(struct spoor_value_bits *to, uint32_t field)
{
	uint64_t value = draw_number();
	bool is_long = field == SPOOR_FIELD_INTEGER ? (uint64_t)(int64_t)(int32_t)value != value : value >> 48;
	uint32_t low = field == SPOOR_FIELD_INTEGER ? 32 : 48;

	if (field == SPOOR_FIELD_TEXT) {
		put_text(to);
	} else if (field > 64) {
		spoor_value_put(to, is_long, 1);
		spoor_value_put(to, value & ((1ull << low) - 1), low);
		if (is_long)
			spoor_value_put(to, value >> low, 64 - low);
	} else {
		spoor_value_put(to, value & ((1ull << (field < 32 ? field : 32)) - 1), field < 32 ? field : 32);
		if (field > 32)
			spoor_value_put(to, value >> 32 & ((1ull << (field - 32)) - 1), field - 32);
	}
}

/* Appends a record and its event. Returns the number of words. */
static size_t put_call(uint64_t *to, uint32_t capture, uint32_t kind, uint32_t function, uint32_t time)
{
	struct spoor_value_bits bits = { to + 1, to + 1 + SPOOR_VALUES_WORDS_MAX, 0, 0, 0 };
	struct spoor_value_layout layout;
	uint32_t count;

	spoor_layout_index_find(&layout_index, (uint16_t)capture, &layout);
	spoor_value_put(&bits, capture | (uint32_t)(kind == SPOOR_EVENT_EXIT) << SPOOR_CAPTURE_NUMBER_BITS, SPOOR_VALUES_HEAD_BITS);
	for (uint32_t i = 0; i < layout.count; i++)
		put_field(&bits, layout.fields[i]);
	count = spoor_value_end(&bits, to + 1);
	to[0] = SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, count, SPOOR_EXTENDED_VALUES);
	to[1 + count] = SPOOR_EVENT_WORD(kind, function, time);
	return count + 2;
}

static size_t comes_back(size_t count)
{
	size_t size = spoor_pack(words, count, 7, bytes, &model, NULL, &values, &layout_index);

	ck_assert_uint_le(size, SPOOR_PACKED_BYTES_MAX(count));
	memset(back, 0xaa, sizeof(back));
	ck_assert_int_eq(spoor_unpack(bytes, size, 7, back, count, &other_values), 0);
	ck_assert_mem_eq(words, back, count * 8);
	return size;
}

START_TEST(any_calls_with_values_are_unpacked_exactly)
{
	describe();
	for (int round = 0; round < 300; round++) {
		uint32_t time = 100, functions = 1 + (uint32_t)draw(round % 10 ? 20 : FUNCTIONS);
		size_t count = 0;

		while (count < WORDS) {
			uint32_t function = (uint32_t)draw(functions), kind = SPOOR_EVENT_ENTRY + (uint32_t)draw(2);

			time += (uint32_t)draw(500);
			/* Capture 6 has no layout. A function may change its capture, or lack values for a while. */
			if (draw(20))
				count += put_call(&words[count], draw(30) ? 1 + function % 6 : 1 + (uint32_t)draw(6), kind, function, time);
			else
				words[count++] = SPOOR_EVENT_WORD(kind + draw(5), function, time);
		}
		comes_back(count);
	}
}
END_TEST

START_TEST(any_words_in_a_record_are_unpacked_exactly)
{
	describe();
	for (int round = 0; round < 300; round++) {
		size_t count = 0;

		while (count < WORDS) {
			uint32_t length = (uint32_t)draw(5);

			words[count++] = SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, length, SPOOR_EXTENDED_VALUES);
			for (uint32_t i = 0; i < length; i++)
				words[count++] = (draw(4) ? SPOOR_USER_MARK : 0) | (draw(2) ? random_state : 1 + draw(5) + (draw(99) << 16));
			if (draw(9)) {
				words[count] = SPOOR_EVENT_WORD(1 + draw(3), draw(4), count);
				count++;
			}
		}
		comes_back(count);
		comes_back(count - 1);
	}
}
END_TEST

START_TEST(a_call_with_three_small_integers_takes_at_most_eight_bytes)
{
	struct spoor_value_layout layout = { .head = 9, .count = 3, .fields = { 32, 32, SPOOR_FIELD_INTEGER } };
	size_t count = 0;
	uint32_t calls = 0;

	describe();
	spoor_value_layouts_add(&layouts, &layout);
	for (; count + 8 < WORDS; calls++) {
		struct spoor_value_bits bits = { &words[count + 1], &words[count + 8], 9, SPOOR_VALUES_HEAD_BITS, 0 };

		spoor_value_put(&bits, calls, 32);
		spoor_value_put(&bits, (uint32_t)(draw(100) - 50), 32);
		spoor_value_put(&bits, draw(100) << 1, 33);
		ck_assert_uint_eq(spoor_value_end(&bits, &words[count + 1]), 2);
		words[count] = SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, 2, SPOOR_EXTENDED_VALUES);
		words[count + 3] = SPOOR_EVENT_WORD(SPOOR_EVENT_ENTRY, 5, calls * 200);
		words[count + 4] = SPOOR_EVENT_WORD(SPOOR_EVENT_EXIT, 5, calls * 200 + 60);
		count += 5;
	}
	ck_assert_uint_le(comes_back(count), 8 * calls + 50);
}
END_TEST

START_TEST(a_packing_cut_short_is_EBADMSG)
{
	size_t count = 0, size;

	describe();
	for (uint32_t i = 0; i < 100; i++)
		count += put_call(&words[count], 1 + i % 3, SPOOR_EVENT_ENTRY, i % 3, i * 50);
	size = spoor_pack(words, count, 0, bytes, &model, NULL, &values, &layout_index);
	for (size_t cut = 0; cut < size; cut++)
		ck_assert_int_eq(spoor_unpack(bytes, cut, 0, back, count, &other_values), -EBADMSG);
	ck_assert_int_eq(spoor_unpack(bytes, size, 0, back, count - 1, &other_values), -EBADMSG);
}
END_TEST

START_TEST(hostile_layouts_are_ignored)
{
	struct spoor_value_layout layout;

	for (uint32_t round = 0; round < 1000; round++) {
		layout_index = (struct spoor_layout_index){ .layouts = &layouts };
		layouts.used = draw(2) ? (uint32_t)draw(SPOOR_LAYOUTS_BYTES + 10) : (uint32_t)random_state;
		for (uint32_t i = 0; i < SPOOR_LAYOUTS_BYTES; i++)
			layouts.bytes[i] = (uint8_t)draw(round % 2 ? 70 : 256);
		for (uint32_t head = 0; head < 65536; head += 1 + (uint32_t)draw(40)) {
			spoor_layout_index_find(&layout_index, (uint16_t)head, &layout);
			ck_assert_uint_le(layout.count, SPOOR_LAYOUT_FIELDS_MAX);
			for (uint32_t i = 0; i < layout.count; i++)
				ck_assert(layout.fields[i] && layout.fields[i] <= SPOOR_FIELD_TEXT);
		}
	}
}
END_TEST

UNIT_MAIN("value packing", any_calls_with_values_are_unpacked_exactly, any_words_in_a_record_are_unpacked_exactly,
	  a_call_with_three_small_integers_takes_at_most_eight_bytes, a_packing_cut_short_is_EBADMSG,
	  hostile_layouts_are_ignored)
