/* SPDX-License-Identifier: MIT */
/* test_slice_words.c - reads the records of a slice in their order, each with its time stamp. */
#include "format/slice_words.h"

#include <errno.h>

#include "tests/unit/support/unit.h"

#define EXTENDED(length, type) SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, length, type)

static struct spoor_words words;
static struct spoor_slice_record record;

static void begin(const uint64_t *list, size_t count, uint64_t counter)
{
	words = (struct spoor_words){ list, list + count, counter };
}

static void is_next(uint32_t kind, uint32_t index, uint64_t counter)
{
	ck_assert_int_eq(spoor_words_next(&words, &record), 1);
	ck_assert_uint_eq(record.kind, kind);
	if (spoor_kind_is_plain(kind))
		ck_assert_uint_eq(record.index, index);
	ck_assert_uint_eq(words.counter, counter);
}

START_TEST(the_time_of_a_plain_word_continues_from_the_word_before)
{
	const uint64_t base = 0x5ffffff00;
	const uint64_t list[] = {
		SPOOR_EVENT_WORD(SPOOR_EVENT_ENTRY, 7, base + 0x10),
		SPOOR_EVENT_WORD(SPOOR_EVENT_FRAME, 99, base + 0x200),	/* near the wrap of the low half */
		SPOOR_EVENT_WORD(SPOOR_EVENT_SWITCH, 5, base + 0x100),	/* backwards */
		SPOOR_EVENT_WORD(SPOOR_EVENT_TAIL_EXIT, 7, base + 0x201),
	};

	begin(list, 4, base);
	is_next(SPOOR_EVENT_ENTRY, 7, base + 0x10);
	is_next(SPOOR_EVENT_FRAME, 99, base + 0x200);
	is_next(SPOOR_EVENT_SWITCH, 5, base + 0x200);
	is_next(SPOOR_EVENT_TAIL_EXIT, 7, base + 0x201);
	ck_assert_int_eq(spoor_words_next(&words, &record), 0);
	ck_assert(!spoor_words_next_plain(&words, &record));
}
END_TEST

START_TEST(records_raise_the_counter_and_are_skipped_by_their_length)
{
	const uint64_t list[] = {
		EXTENDED(1, SPOOR_EXTENDED_TIME), 5000,
		EXTENDED(2, SPOOR_EXTENDED_TIMED_EVENT), 6000, SPOOR_EVENT_CODE(SPOOR_EVENT_EXIT, 3),
		EXTENDED(2, SPOOR_EXTENDED_LOST), 9000, 1,
		EXTENDED(1, SPOOR_EXTENDED_GAP), 5500,				/* backwards */
		EXTENDED(4, SPOOR_EXTENDED_USER), SPOOR_USER_MARK | 7000, SPOOR_USER_MARK, SPOOR_USER_MARK, SPOOR_USER_MARK,
		EXTENDED(3, SPOOR_EXTENDED_TRACEPOINT), SPOOR_USER_MARK | 8000, SPOOR_USER_MARK, SPOOR_USER_MARK,
		SPOOR_NOP_WORD,
		EXTENDED(3, 200), 1, 2, 3,					/* an unknown type */
		EXTENDED(1, SPOOR_EXTENDED_TIME), UINT64_MAX,			/* no counter */
		SPOOR_EVENT_WORD(SPOOR_EVENT_ENTRY, 7, 8001),
	};

	begin(list, sizeof(list) / 8, 100);
	is_next(SPOOR_EVENT_EXTENDED, 0, 5000);
	ck_assert_uint_eq(record.type, SPOOR_EXTENDED_TIME);
	is_next(SPOOR_EVENT_EXIT, 3, 6000);
	is_next(SPOOR_EVENT_EXTENDED, 0, 6000);
	ck_assert_uint_eq(record.type, SPOOR_EXTENDED_LOST);
	ck_assert_uint_eq(record.payload[0], 9000);
	is_next(SPOOR_EVENT_EXTENDED, 0, 6000);
	ck_assert_uint_eq(record.type, SPOOR_EXTENDED_GAP);
	is_next(SPOOR_EVENT_EXTENDED, 0, 7000);
	ck_assert_uint_eq(record.type, SPOOR_EXTENDED_USER);
	ck_assert_uint_eq(record.length, 4);
	is_next(SPOOR_EVENT_EXTENDED, 0, 8000);
	ck_assert_uint_eq(record.type, SPOOR_EXTENDED_TRACEPOINT);
	is_next(SPOOR_EVENT_EXTENDED, 0, 8000);
	ck_assert_uint_eq(record.type, SPOOR_EXTENDED_NOP);
	is_next(SPOOR_EVENT_EXTENDED, 0, 8000);
	ck_assert_uint_eq(record.type, 0);
	ck_assert_uint_eq(record.length, 3);
	is_next(SPOOR_EVENT_EXTENDED, 0, 8000);
	is_next(SPOOR_EVENT_ENTRY, 7, 8001);
	ck_assert_int_eq(spoor_words_next(&words, &record), 0);
}
END_TEST

START_TEST(a_record_that_is_too_short_has_no_type)
{
	const uint64_t list[] = {
		EXTENDED(1, SPOOR_EXTENDED_TIMED_EVENT), 6000,
		EXTENDED(1, SPOOR_EXTENDED_USER), SPOOR_USER_MARK | 7000,
		EXTENDED(2, SPOOR_EXTENDED_TIMED_EVENT), 6000, SPOOR_EVENT_CODE(SPOOR_EVENT_EXTENDED, 3),
	};

	begin(list, sizeof(list) / 8, 100);
	is_next(SPOOR_EVENT_EXTENDED, 0, 100);
	ck_assert_uint_eq(record.type, 0);
	is_next(SPOOR_EVENT_EXTENDED, 0, 100);
	ck_assert_uint_eq(record.type, 0);
	/* The record has no valid event, but a valid time. */
	is_next(SPOOR_EVENT_EXTENDED, 0, 6000);
}
END_TEST

START_TEST(words_outside_of_records_are_returned_and_a_cut_record_is_EBADMSG)
{
	const uint64_t list[] = {
		0, SPOOR_USER_MARK | 77, SPOOR_EVENT_WORD(SPOOR_EVENT_ENTRY, 1, 300), EXTENDED(2, SPOOR_EXTENDED_LOST), 1,
	};

	begin(list, sizeof(list) / 8, 200);
	ck_assert(!spoor_words_is_stored(&words));
	is_next(0, 0, 200);
	ck_assert(spoor_words_is_stored(&words));
	is_next(0, 0, 200);
	is_next(SPOOR_EVENT_ENTRY, 1, 300);
	ck_assert_int_eq(spoor_words_next(&words, &record), -EBADMSG);
	ck_assert_ptr_eq(words.word, &list[3]);
	ck_assert_int_eq(spoor_words_next(&words, &record), -EBADMSG);
	/* A position after the end has no words left. */
	words.word = words.end + 1;
	ck_assert_int_eq(spoor_words_next(&words, &record), 0);
	ck_assert(!spoor_words_is_stored(&words));
}
END_TEST

START_TEST(settled_words_end_at_the_first_empty_slot)
{
	const uint64_t list[] = {
		SPOOR_EVENT_WORD(SPOOR_EVENT_ENTRY, 1, 300), EXTENDED(1, SPOOR_EXTENDED_TIME), 400,
		SPOOR_EVENT_WORD(SPOOR_EVENT_EXIT, 1, 500), 0, SPOOR_EVENT_WORD(SPOOR_EVENT_ENTRY, 1, 600),
	};
	uint64_t counter = 200;

	ck_assert_uint_eq(spoor_slice_words_settled(list, 6, &counter), 4);
	ck_assert_uint_eq(counter, 500);
	counter = 200;
	ck_assert_uint_eq(spoor_slice_words_settled(list, 2, &counter), 1);
	ck_assert_uint_eq(counter, 300);
	ck_assert_uint_eq(spoor_slice_words_in_use(list, 5), 4);
}
END_TEST

UNIT_MAIN("slice_words", the_time_of_a_plain_word_continues_from_the_word_before,
	  records_raise_the_counter_and_are_skipped_by_their_length, a_record_that_is_too_short_has_no_type,
	  words_outside_of_records_are_returned_and_a_cut_record_is_EBADMSG,
	  settled_words_end_at_the_first_empty_slot)
