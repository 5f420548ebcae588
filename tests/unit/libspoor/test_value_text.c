/* SPDX-License-Identifier: MIT */
/* test_value_text.c - text is stored bit by bit after any number of bits, and no byte after it is read. */
#include "event/value_text.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/support/unit.h"

#define MOST 64u

static char *end;	/* of a page before one that cannot be read */

static void set_up(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(memory, MAP_FAILED);
	ck_assert_int_eq(mprotect(memory + page, page, PROT_NONE), 0);
	end = memory + page;
	spoor_readable[0] = (struct spoor_readable){ (uint64_t)memory, (uint64_t)(end - memory) };
	spoor_readable_count = 1;
}

/* Fills the last @length bytes of the page with bytes that are not 0. */
static char *make_text(uint32_t length)
{
	for (uint32_t i = 0; i < length; i++)
		end[-1 - (int)i] = (char)(1 + (i * 37 + length) % 255);
	return end - length;
}

static uint32_t bit_at(const uint64_t *words, uint32_t bit)
{
	return words[bit / SPOOR_VALUES_WORD_BITS] >> bit % SPOOR_VALUES_WORD_BITS & 1;
}

static uint64_t number_at(const uint64_t *words, uint32_t bit, uint32_t count)
{
	uint64_t number = 0;

	for (uint32_t i = 0; i < count; i++)
		number |= (uint64_t)bit_at(words, bit + i) << i;
	return number;
}

/* Checks the text that was appended after @before bits, all of which are 1. */
static void is_stored(struct spoor_value_bits *bits, const uint64_t *words, uint32_t before, const char *text,
		      uint32_t length, enum spoor_text_state state)
{
	uint32_t count = spoor_value_end(bits, words), used = before + 12 + 8 * length;

	ck_assert_uint_eq(count, (used + SPOOR_VALUES_WORD_BITS - 1) / SPOOR_VALUES_WORD_BITS);
	for (uint32_t i = 0; i < count; i++)
		ck_assert_uint_eq(words[i] >> SPOOR_VALUES_WORD_BITS, 1);
	for (uint32_t i = 0; i < before; i++)
		ck_assert_uint_eq(bit_at(words, i), 1);
	ck_assert_uint_eq(number_at(words, before, 2), state);
	ck_assert_uint_eq(number_at(words, before + 2, 10), length);
	for (uint32_t i = 0; i < length; i++)
		ck_assert_uint_eq(number_at(words, before + 12 + 8 * i, 8), (uint8_t)text[i]);
	for (uint32_t i = used; i < count * SPOOR_VALUES_WORD_BITS; i++)
		ck_assert_uint_eq(bit_at(words, i), 0);
}

START_TEST(each_length_of_text_is_stored_after_each_number_of_bits)
{
	uint64_t words[SPOOR_VALUES_WORDS_MAX];

	set_up();
	for (uint32_t before = 0; before < SPOOR_VALUES_WORD_BITS; before++) {
		for (uint32_t length = 0; length <= MOST; length++) {
			struct spoor_value_bits bits = { words, words + SPOOR_VALUES_WORDS_MAX, (1ull << before) - 1, before, 0 };
			const char *text = make_text(length);

			spoor_value_put_range(&bits, (uint64_t)text, length, MOST);
			is_stored(&bits, words, before, text, length, SPOOR_TEXT_WHOLE);
		}
	}
}
END_TEST

START_TEST(text_ends_at_its_nul_or_at_the_most_bytes)
{
	uint64_t words[SPOOR_VALUES_WORDS_MAX];

	set_up();
	for (uint32_t before = 0; before < SPOOR_VALUES_WORD_BITS; before += 3) {
		for (uint32_t length = 0; length <= MOST; length++) {
			struct spoor_value_bits bits = { words, words + SPOOR_VALUES_WORDS_MAX, (1ull << before) - 1, before, 0 };
			char *text = make_text(MOST + 1);

			/* Bytes after the NUL do not count. */
			text[length] = '\0';
			spoor_value_put_text(&bits, (uint64_t)text, MOST);
			is_stored(&bits, words, before, text, length, SPOOR_TEXT_WHOLE);
			if (length == MOST)
				continue;
			make_text(length + 1);
			bits = (struct spoor_value_bits){ words, words + SPOOR_VALUES_WORDS_MAX, (1ull << before) - 1, before, 0 };
			spoor_value_put_text(&bits, (uint64_t)end - length - 1, length);
			is_stored(&bits, words, before, end - length - 1, length, SPOOR_TEXT_CUT);
		}
	}
}
END_TEST

START_TEST(text_without_room_is_cut)
{
	uint64_t words[3];
	struct spoor_value_bits bits = { words, words + 3, 1, 1, 0 };
	const char *text;

	set_up();
	text = make_text(MOST);
	spoor_value_put_range(&bits, (uint64_t)text, MOST, MOST);
	is_stored(&bits, words, 1, text, (3 * SPOOR_VALUES_WORD_BITS - 1 - 12) / 8, SPOOR_TEXT_CUT);
}
END_TEST

UNIT_MAIN("value_text", each_length_of_text_is_stored_after_each_number_of_bits, text_ends_at_its_nul_or_at_the_most_bytes,
	  text_without_room_is_cut)
