/* SPDX-License-Identifier: MIT */
/* test_packing.c - packed words are unpacked exactly, and damaged packings are rejected. */
#include "format/packing.h"

#include <errno.h>
#include <string.h>

#include "format/trace_format.h"
#include "tests/unit/support/unit.h"

#define WORDS SPOOR_SLICE_WORDS

static uint64_t words[WORDS], back[WORDS];
static uint8_t bytes[SPOOR_PACKED_BYTES_MAX(WORDS)];
static struct spoor_packing model;
static uint64_t random_state = 88172645463325252u;

static uint32_t draw(uint32_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 32) % below;
}

static void comes_back(size_t count, uint32_t counter)
{
	size_t size = spoor_pack(words, count, counter, bytes, &model, NULL, NULL, NULL);

	ck_assert_uint_le(size, SPOOR_PACKED_BYTES_MAX(count));
	memset(back, 0xaa, sizeof(back));
	ck_assert_int_eq(spoor_unpack(bytes, size, counter, back, count, NULL), 0);
	ck_assert_mem_eq(words, back, count * 8);
}

START_TEST(any_words_are_unpacked_exactly)
{
	for (int round = 0; round < 500; round++) {
		uint32_t time = draw(UINT32_MAX), begin = time, functions = 1 + draw(3000);
		size_t count = 0;

		while (count < WORDS - 4) {
			uint32_t kind = 1 + draw(4), length = draw(4);

			time += draw(8) ? draw(200) : draw(8) ? draw(20000) : draw(UINT32_MAX);
			if (kind < 4) {
				words[count++] = SPOOR_EVENT_WORD(kind, draw(functions), time);
				continue;
			}
			words[count++] = SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, length, draw(9));
			for (uint32_t i = 0; i < length; i++)
				words[count++] = (uint64_t)draw(UINT32_MAX) << draw(33);
		}
		comes_back(count, begin);
	}
}
END_TEST

START_TEST(packing_finds_exactly_the_functions_of_the_words)
{
	enum { FUNCTIONS = 3200 };
	uint64_t bits[FUNCTIONS / 64];

	for (int round = 0; round < 200; round++) {
		struct spoor_function_set seen = { .bits = bits, .capacity = FUNCTIONS };
		bool expected[FUNCTIONS] = { false };
		uint32_t functions = 1 + draw(FUNCTIONS);
		size_t count = 0;

		memset(bits, 0, sizeof(bits));
		while (count < 1000) {
			uint32_t kind = 1 + draw(4), index = draw(functions);

			if (kind == SPOOR_EVENT_FRAME && draw(2)) {
				words[count++] = SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, 2, SPOOR_EXTENDED_TIMED_EVENT);
				words[count++] = 1 + draw(1000);
				words[count++] = SPOOR_EVENT_CODE(SPOOR_EVENT_ENTRY, index);
				expected[index] = true;
			} else {
				words[count] = SPOOR_EVENT_WORD(kind, index, count);
				count++;
				expected[index] |= kind != SPOOR_EVENT_FRAME;
			}
		}
		spoor_pack(words, count, 0, bytes, &model, &seen, NULL, NULL);
		ck_assert(!seen.has_all);
		for (uint32_t i = 0; i < FUNCTIONS; i++)
			ck_assert_int_eq(spoor_function_set_has(&seen, i), expected[i]);
	}
}
END_TEST

START_TEST(an_index_beyond_the_set_and_an_injected_call_mean_all_functions)
{
	struct spoor_user_event event = { .counter = 1, .payload_1 = 7, .type = SPOOR_EVENT_ENTRY };
	uint64_t bits[1] = { 0 };
	struct spoor_function_set seen = { .bits = bits, .capacity = 64 };

	words[0] = SPOOR_EVENT_WORD(SPOOR_EVENT_ENTRY, 64, 0);
	spoor_pack(words, 1, 0, bytes, &model, &seen, NULL, NULL);
	ck_assert(seen.has_all && !bits[0]);
	for (uint32_t mark = 0; mark <= SPOOR_USER_SCOPE; mark++) {
		seen.has_all = false;
		event.payload_2 = mark;
		words[0] = SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, SPOOR_USER_WORDS, SPOOR_EXTENDED_USER);
		spoor_user_pack(&event, &words[1]);
		spoor_pack(words, 1 + SPOOR_USER_WORDS, 0, bytes, &model, &seen, NULL, NULL);
		ck_assert_int_eq(seen.has_all, mark != SPOOR_USER_SCOPE);
	}
}
END_TEST

START_TEST(no_words_take_no_bytes)
{
	ck_assert_uint_eq(spoor_pack(words, 0, 7, bytes, &model, NULL, NULL, NULL), 0);
	ck_assert_int_eq(spoor_unpack(bytes, 0, 7, back, 0, NULL), 0);
	ck_assert_int_eq(spoor_unpack(bytes, 1, 7, back, 0, NULL), -EBADMSG);
}
END_TEST

START_TEST(a_leaf_called_in_a_loop_takes_one_byte_an_event)
{
	size_t size;

	for (uint32_t i = 0; i < WORDS; i++)
		words[i] = SPOOR_EVENT_WORD(i % 2 ? SPOOR_EVENT_EXIT : SPOOR_EVENT_ENTRY, 5, i * 25);
	size = spoor_pack(words, WORDS, 0, bytes, &model, NULL, NULL, NULL);
	ck_assert_uint_lt(size, WORDS + 8);
	comes_back(WORDS, 0);
}
END_TEST

START_TEST(recursion_deeper_than_the_stack_is_unpacked_exactly)
{
	for (uint32_t i = 0; i < 2000; i++) {
		words[i] = SPOOR_EVENT_WORD(SPOOR_EVENT_ENTRY, i % 7, i * 30);
		words[3999 - i] = SPOOR_EVENT_WORD(SPOOR_EVENT_EXIT, i % 7, 300000 - i * 30);
	}
	comes_back(4000, 0);
}
END_TEST

START_TEST(a_packing_cut_short_or_with_more_is_EBADMSG)
{
	size_t size;

	for (uint32_t i = 0; i < 1000; i++)
		words[i] = SPOOR_EVENT_WORD(1 + i % 3, draw(50), i * 1000);
	size = spoor_pack(words, 1000, 0, bytes, &model, NULL, NULL, NULL);
	for (size_t cut = 0; cut < size; cut++)
		ck_assert_int_eq(spoor_unpack(bytes, cut, 0, back, 1000, NULL), -EBADMSG);
	bytes[size] = 0;
	ck_assert_int_eq(spoor_unpack(bytes, size + 1, 0, back, 1000, NULL), -EBADMSG);
}
END_TEST

UNIT_MAIN("packing", any_words_are_unpacked_exactly, no_words_take_no_bytes,
	  packing_finds_exactly_the_functions_of_the_words, an_index_beyond_the_set_and_an_injected_call_mean_all_functions,
	  a_leaf_called_in_a_loop_takes_one_byte_an_event,
	  recursion_deeper_than_the_stack_is_unpacked_exactly, a_packing_cut_short_or_with_more_is_EBADMSG)
