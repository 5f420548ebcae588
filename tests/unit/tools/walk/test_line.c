/* SPDX-License-Identifier: MIT */
/* test_line.c - writes a line of a call tree with its margin, indentation and notes. */
#include "walk/lines/line.h"

#include <stdio.h>

#include "tests/unit/support/unit.h"

static struct output out;
static struct replay_lines lines = { .out = &out };

static void begin(void)
{
	ck_assert_int_eq(output_begin(&out, "/dev/null"), 0);
	lines.with_time = false;
}

/* Returns a line with the text @string. */
static const char *line(uint64_t time_ns, bool with_duration, uint64_t duration_ns, size_t depth, const char *string)
{
	static char text[2 * REPLAY_TEXT_MAX];
	char *at = replay_line_begin(&lines, time_ns, with_duration, duration_ns, depth, strlen(string));

	replay_line_end(&lines, replay_put_string(at, string));
	memcpy(text, out.buffer, out.used);
	text[out.used] = '\0';
	out.used = 0;
	return text;
}

START_TEST(a_line_has_its_duration_and_two_blanks_a_level)
{
	begin();
	ck_assert_str_eq(line(0, true, 1234, 0, "f"), "  1.234 us   f\n");
	ck_assert_str_eq(line(0, false, 0, 0, "f"), "             f\n");
	ck_assert_str_eq(line(0, true, 5, 3, "f"), "      5 ns         f\n");
	ck_assert_str_eq(line(0, true, UINT64_MAX, 0, "f"), "18446744073.710 s    f\n");
	output_end(&out);
}
END_TEST

START_TEST(a_time_is_in_microseconds_since_the_begin)
{
	begin();
	lines.with_time = true;
	lines.begin_ns = 1000000;
	ck_assert_str_eq(line(1234567, true, 5, 0, "f"), "       234.567        5 ns   f\n");
	ck_assert_str_eq(line(1000000, true, 5, 0, "f"), "         0.000        5 ns   f\n");
	ck_assert_str_eq(line(999, true, 5, 0, "f"), "         0.000        5 ns   f\n");
	output_end(&out);
}
END_TEST

START_TEST(a_very_deep_call_says_how_deep_it_is)
{
	char expected[256];

	begin();
	snprintf(expected, sizeof(expected), "      5 ns   %*sf\n", 128, "");
	ck_assert_str_eq(line(0, true, 5, 64, "f"), expected);
	snprintf(expected, sizeof(expected), "      5 ns   %*s+1 f\n", 128, "");
	ck_assert_str_eq(line(0, true, 5, 65, "f"), expected);
	snprintf(expected, sizeof(expected), "      5 ns   %*s+999936 f\n", 128, "");
	ck_assert_str_eq(line(0, true, 5, 1000000, "f"), expected);
	output_end(&out);
}
END_TEST

START_TEST(a_text_of_any_length_is_cut_to_whole_characters)
{
	static char name[3 * REPLAY_TEXT_MAX];

	begin();
	memset(name, 'n', sizeof(name) - 1);
	for (uint32_t length = 0; length < 3 * REPLAY_PIECE; length++) {
		char *at = replay_line_begin(&lines, 0, true, 1, 2, replay_text_bytes(length));
		char *end = replay_put_text(at, name, replay_text_bytes(length));

		ck_assert_ptr_eq(end, at + length);
		ck_assert_mem_eq(at, name, length);
		replay_line_end(&lines, end);
	}
	ck_assert_uint_eq(replay_text_bytes(sizeof(name)), REPLAY_TEXT_MAX);
	out.used = 0;
	ck_assert_uint_eq(strlen(line(0, true, 1, 0, name)), 13 + REPLAY_TEXT_MAX + 1);
	output_end(&out);
}
END_TEST

static const char *notes(enum call_end how, bool unreliable)
{
	static char text[256];

	*replay_put_notes(&lines, text, how, unreliable) = '\0';
	return text;
}

START_TEST(each_end_but_a_plain_return_has_a_note)
{
	ck_assert_str_eq(notes(CALL_EXIT, false), "");
	ck_assert_str_eq(notes(CALL_TAIL, false), "  # tail call");
	ck_assert_str_eq(notes(CALL_UNWOUND, false), "  # unwound");
	ck_assert_str_eq(notes(CALL_LEFT, false), "  # left without returning");
	ck_assert_str_eq(notes(CALL_UNRECORDED, false), "  # still running when recording stopped");
	ck_assert_str_eq(notes(CALL_UNFINISHED, false), "  # still running when the trace ends");
	ck_assert_str_eq(notes(CALL_EXIT, true), "  # events are missing within");
	ck_assert_str_eq(notes(CALL_TAIL, true), "  # tail call  # events are missing within");
}
END_TEST

static const char *note(struct event event)
{
	static char text[256];

	*replay_put_lost(text, &event) = '\0';
	return text;
}

START_TEST(losses_are_notes)
{
	ck_assert_str_eq(note((struct event){ .kind = EVENT_LOST, .cause = EVENT_LOST_UNKNOWN, .count = 1 }),
			 "# 1 event lost");
	ck_assert_str_eq(note((struct event){ .kind = EVENT_LOST, .cause = SPOOR_LOSS_WRITE, .count = UINT64_MAX }),
			 "# 18446744073709551615 events lost: cause 3");
	ck_assert_str_eq(note((struct event){ .kind = EVENT_LOST, .cause = EVENT_LOST_SLICES, .count = 2 }),
			 "# 2 slices of events missing");
	ck_assert_str_eq(note((struct event){ .kind = EVENT_LOST, .cause = EVENT_LOST_UNREADABLE, .count = 1 }),
			 "# a slice of events cannot be unpacked");
}
END_TEST

/* Replaces the function in spoor.c, which has main. */
const char *loss_cause_text(uint32_t cause);
const char *loss_cause_text(uint32_t cause)
{
	static char text[32];

	snprintf(text, sizeof(text), "cause %u", cause);
	return text;
}

UNIT_MAIN("replay_line", a_line_has_its_duration_and_two_blanks_a_level,
	  a_time_is_in_microseconds_since_the_begin, a_very_deep_call_says_how_deep_it_is,
	  a_text_of_any_length_is_cut_to_whole_characters, each_end_but_a_plain_return_has_a_note,
	  losses_are_notes)
