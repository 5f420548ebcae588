/* SPDX-License-Identifier: MIT */
/*
 * test_export.c - exports are well-formed whatever names a trace has.
 *
 * Names come from files and processes. Here they contain quotes, line ends, control
 * characters, and bytes that are not UTF-8.
 */
#include "export/export.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/commands.h"
#include "walk/loss_cause.h"
#include "tests/unit/support/reading.h"

#define HOSTILE "a\"b\\c,\xc3\xa4\xff\xe2\x82\x1b[31m\n\r\t}]"
/* The names as the reader shows them: without the characters that a terminal would obey. */
#define SHOWN_CSV "\"a\"\"b\\c,\xc3\xa4\xff\xe2\x82?[31m???}]"

static char folder[64], text[65536];
static size_t text_bytes;

/* Replaces the function in spoor.c. */
const char *loss_cause_text(uint32_t cause)
{
	return cause == SPOOR_LOSS_POOL_EXHAUSTED ? "the pool was exhausted" : "?";
}

static void begin(void)
{
	struct trace_writer writer;
	struct trace_thread *thread;
	uint64_t words[SPOOR_USER_OWN_TIME_WORDS];

	strcpy(folder, reading_folder());
	trace_writer_begin(&writer, folder, "1", 1);
	trace_writer_facts(&writer, "executable=/x/" HOSTILE "\0name=" HOSTILE, sizeof("executable=/x/" HOSTILE "\0name=" HOSTILE));
	trace_writer_module(&writer, 1, 0, 5, "x", 1, "/nowhere/" HOSTILE, HOSTILE);
	trace_writer_block(&writer, SPOOR_BLOCK_THREAD, 7, HOSTILE, strlen(HOSTILE));
	thread = trace_thread_begin(&writer, 7);
	trace_thread_entry(thread, 1);
	trace_thread_exit(thread, 1);
	trace_thread_exit(thread, 2);
	spoor_user_pack(&(struct spoor_user_event){ .counter = writer.counter, .type = 0x80000009,
						    .payload_1 = UINT64_MAX, .payload_2 = 5 }, words);
	trace_thread_extended(thread, SPOOR_EXTENDED_USER, words, SPOOR_USER_WORDS);
	for (int i = 0; i < 4; i++)
		words[i] = SPOOR_USER_MARK;
	words[0] |= writer.counter;
	words[1] |= 1ull << 48 | 7;
	words[2] |= 8;
	trace_writer_block(&writer, SPOOR_BLOCK_TRACEPOINT, 0, "\1\0\0\0\0\0\0\0x:" HOSTILE "\0/" HOSTILE,
			   sizeof("\1\0\0\0\0\0\0\0x:" HOSTILE "\0/" HOSTILE));
	trace_thread_extended(thread, SPOOR_EXTENDED_TRACEPOINT, words, 4);
	words[0] = 12;
	words[1] = SPOOR_LOSS_POOL_EXHAUSTED;
	trace_thread_extended(thread, SPOOR_EXTENDED_LOST, words, 2);
	trace_thread_end(thread);
	trace_writer_end(&writer, true);
}

static void end(void)
{
	reading_remove(folder);
}

/* Exports in @format, without messages about the missing library. */
static void export_as(const char *format)
{
	char option[32], path[128];
	char *arguments[] = { (char *)(uintptr_t)"export", option, (char *)(uintptr_t)"-o", path, folder, NULL };
	FILE *file;

	snprintf(option, sizeof(option), "--format=%s", format);
	snprintf(path, sizeof(path), "%s/exported", folder);
	ck_assert(freopen("/dev/null", "w", stderr) != NULL);
	ck_assert_int_eq(export_main(5, arguments), 0);
	file = fopen(path, "r");
	text_bytes = fread(text, 1, sizeof(text) - 1, file);
	text[text_bytes] = '\0';
	fclose(file);
}

/* Reads one field of RFC 4180 from *@at. Returns the character after it: ',', '\n', or 0 if the field is broken. */
static char take_field(const char **at, char *field)
{
	if (**at != '"') {
		while (**at && **at != ',' && **at != '\n') {
			if (**at == '"' || **at == '\r')
				return 0;
			*field++ = *(*at)++;
		}
	} else {
		for (++*at; **at && (**at != '"' || (*at)[1] == '"'); ++*at) {
			*at += **at == '"';
			*field++ = **at;
		}
		if (*(*at)++ != '"')
			return 0;
	}
	*field = '\0';
	return *(*at)++;
}

START_TEST(csv_has_as_many_fields_in_each_line_whatever_the_names)
{
	char field[1024];
	int lines = 0;

	begin();
	export_as("csv");
	for (const char *at = text; *at; lines++) {
		for (int i = 0; i < 12; i++)
			ck_assert_int_eq(take_field(&at, field), ',');
		ck_assert_int_eq(take_field(&at, field), '\n');
	}
	ck_assert_int_eq(lines, 1 + 6);
	ck_assert_ptr_nonnull(strstr(text, ",1,7,entry," SHOWN_CSV "[missing]+#1\"," SHOWN_CSV "\",0000000100000001,,,,,,\n"));
	ck_assert_ptr_nonnull(strstr(text, ",1,7,user,,,,,2147483657,,18446744073709551615,5,\n"));
	ck_assert_ptr_nonnull(strstr(text, ",1,7,lost,,,,12,,,,,\n"));
	ck_assert_ptr_nonnull(strstr(text, "[tracepoint],,,,,,,i64 -9223372036854775808\n"));
	end();
}
END_TEST

/* Returns whether the whole text is UTF-8 (RFC 3629). */
static bool is_utf8(const unsigned char *at)
{
	while (*at) {
		uint32_t value;
		int more = *at < 0x80 ? 0 : *at >> 5 == 6 ? 1 : *at >> 4 == 14 ? 2 : *at >> 3 == 30 ? 3 : -1;

		if (more < 0)
			return false;
		value = more ? *at & (0x3f >> more) : *at;
		at++;
		for (int i = 0; i < more; i++, at++) {
			if (*at >> 6 != 2)
				return false;
			value = value << 6 | (*at & 0x3f);
		}
		if ((more == 1 && value < 0x80) || (more == 2 && (value < 0x800 || value >> 11 == 27)) ||
		    (more == 3 && (value < 0x10000 || value > 0x10ffff)))
			return false;
	}
	return true;
}

static const char *skip_value(const char *at);

static const char *skip_blank(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

static const char *skip_string(const char *at)
{
	if (*at++ != '"')
		return NULL;
	for (; *at != '"'; at++) {
		if ((unsigned char)*at < 0x20)
			return NULL;
		if (*at != '\\')
			continue;
		at++;
		if (*at == 'u' && strspn(at + 1, "0123456789abcdefABCDEF") >= 4)
			at += 4;
		else if (!*at || !strchr("\"\\/bfnrt", *at))
			return NULL;
	}
	return at + 1;
}

static const char *skip_members(const char *at, char closing)
{
	at = skip_blank(at + 1);
	if (*at == closing)
		return at + 1;
	for (;;) {
		if (closing == '}') {
			at = skip_string(skip_blank(at));
			if (!at || *(at = skip_blank(at)) != ':')
				return NULL;
			at++;
		}
		at = skip_value(skip_blank(at));
		if (!at)
			return NULL;
		at = skip_blank(at);
		if (*at == closing)
			return at + 1;
		if (*at++ != ',')
			return NULL;
	}
}

/* Returns the end of a JSON value (RFC 8259), or null if it is invalid. */
static const char *skip_value(const char *at)
{
	static const char *const literals[] = { "null", "true", "false" };
	size_t digits;

	if (*at == '{' || *at == '[')
		return skip_members(at, *at == '{' ? '}' : ']');
	if (*at == '"')
		return skip_string(at);
	for (size_t i = 0; i < sizeof(literals) / sizeof(*literals); i++)
		if (strncmp(at, literals[i], strlen(literals[i])) == 0)
			return at + strlen(literals[i]);
	at += *at == '-';
	digits = strspn(at, "0123456789");
	if (!digits || (*at == '0' && digits > 1))
		return NULL;
	at += digits;
	if (*at == '.') {
		digits = strspn(at + 1, "0123456789");
		if (!digits)
			return NULL;
		at += 1 + digits;
	}
	return at;
}

START_TEST(json_is_json_in_UTF_8_whatever_the_names)
{
	const char *rest;

	begin();
	export_as("chrome");
	ck_assert(is_utf8((const unsigned char *)text));
	rest = skip_value(text);
	ck_assert_msg(rest && !*skip_blank(rest), "%s", text);
	ck_assert_ptr_nonnull(strstr(text, "\"name\":\"a\\\"b\\\\c,\xc3\xa4\\ufffd\\ufffd\\ufffd?[31m???}][missing]+#1\""));
	ck_assert_ptr_nonnull(strstr(text, "return from a\\\"b"));
	ck_assert_ptr_nonnull(strstr(text, "{\"type\":2147483657,\"payload_1\":\"18446744073709551615\",\"payload_2\":5}"));
	ck_assert_ptr_nonnull(strstr(text, "\"12 events lost\""));
	ck_assert_ptr_nonnull(strstr(text, "\"args\":{\"arg1\":\"-9223372036854775808\"}"));
	end();
}
END_TEST

START_TEST(arguments_of_a_tracepoint_are_texts_in_json)
{
	const char *rest;

	begin();
	export_as("json");
	ck_assert(is_utf8((const unsigned char *)text));
	rest = skip_value(text);
	ck_assert_msg(rest && !*skip_blank(rest), "%s", text);
	ck_assert_ptr_nonnull(strstr(text, "\"arguments\":[{\"type\":\"i64\",\"value\":\"-9223372036854775808\"}]"));
	end();
}
END_TEST

START_TEST(a_firefox_profile_is_json_in_UTF_8_whatever_the_names)
{
	const char *rest;

	begin();
	export_as("firefox");
	ck_assert(is_utf8((const unsigned char *)text));
	rest = skip_value(text);
	ck_assert_msg(rest && !*skip_blank(rest), "%s", text);
	ck_assert_ptr_nonnull(strstr(text, "\n\"a\\\"b\\\\c,\xc3\xa4\\ufffd\\ufffd\\ufffd?[31m???}][missing]+#1\""));
	ck_assert_ptr_nonnull(strstr(text, "\"payload_1\":\"18446744073709551615\",\"payload_2\":5}"));
	ck_assert_ptr_nonnull(strstr(text, "\"text\":\"12 events lost\",\"count\":12}"));
	end();
}
END_TEST

START_TEST(names_in_metadata_of_CTF_are_UTF_8_and_properly_terminated)
{
	char path[160], option[] = "--format=ctf";
	char *arguments[] = { (char *)(uintptr_t)"export", option, (char *)(uintptr_t)"-o", path, folder, NULL };
	FILE *file;

	begin();
	snprintf(path, sizeof(path), "%s/ctf", folder);
	ck_assert(freopen("/dev/null", "w", stderr) != NULL);
	ck_assert_int_eq(export_main(5, arguments), 0);
	snprintf(path, sizeof(path), "%s/ctf/metadata", folder);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	ck_assert(is_utf8((const unsigned char *)text));
	ck_assert_ptr_nonnull(strstr(text, "\t\"a\\\"b\\\\c,\xc3\xa4" "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd?[31m???}][missing]+#1\" = 1,\n"));
	end();
}
END_TEST

/* Tests skip_value itself. */
START_TEST(the_checker_rejects_invalid_json)
{
	static const char *const bad[] = { "", "{", "{\"a\"}", "[1,]", "\"\n\"", "\"\\x\"", "\"\\u12\"", "01", "1.", "{a:1}", "nul" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ck_assert_msg(!skip_value(bad[i]), "%s", bad[i]);
	ck_assert(!is_utf8((const unsigned char *)"\xff"));
	ck_assert(!is_utf8((const unsigned char *)"\xc0\xaf"));
	ck_assert(is_utf8((const unsigned char *)"\xc3\xa4\xf0\x9f\x98\x80"));
}
END_TEST

/* Returns the end of a string that follows its length, or null if the text ends first. */
static const char *skip_counted(const char *at)
{
	size_t length = 0;
	int shift = 0;

	for (; at < text + text_bytes && (unsigned char)*at >= 0x80; shift += 7)
		length |= (size_t)(*at++ & 0x7f) << shift;
	if (at == text + text_bytes)
		return NULL;
	length |= (size_t)*at++ << shift;
	return length <= (size_t)(text + text_bytes - at) ? at + length : NULL;
}

START_TEST(rows_have_their_stated_length_whatever_the_names)
{
	/* A process, a thread, two functions, a call path, a call, four events, two notes. */
	static const int wanted[] = { 0, 1, 1, 2, 1, 1, 4, 2, 0 };
	int kinds[9] = { 0 };
	const char *at = text;

	begin();
	export_as("rowbinary");
	while (at < text + text_bytes) {
		ck_assert_uint_lt((unsigned char)*at, 9);
		kinds[(unsigned char)*at]++;
		ck_assert_int_gt(text + text_bytes - at, 67);
		at = skip_counted(at + 67);
		ck_assert_ptr_nonnull(at);
		at = skip_counted(at);
		ck_assert_ptr_nonnull(at);
	}
	for (int kind = 0; kind < 9; kind++)
		ck_assert_msg(kinds[kind] == wanted[kind], "%d of kind %d", kinds[kind], kind);
	end();
}
END_TEST

START_TEST(an_event_that_is_no_call_has_a_text)
{
	struct export export = { 0 };
	struct event event = { .kind = EVENT_LOST, .cause = EVENT_LOST_SLICES, .count = 3 };
	char words[16];

	export_event_text(&export, &event, words, sizeof(words));
	ck_assert_str_eq(words, "3 slices of eve");
	event.cause = EVENT_LOST_UNREADABLE;
	export_event_text(&export, &event, text, sizeof(text));
	ck_assert_str_eq(text, "a slice of events cannot be unpacked");
	event.cause = EVENT_LOST_UNKNOWN;
	export_event_text(&export, &event, text, sizeof(text));
	ck_assert_str_eq(text, "3 events lost");
}
END_TEST

UNIT_MAIN("export", csv_has_as_many_fields_in_each_line_whatever_the_names,
	  json_is_json_in_UTF_8_whatever_the_names, arguments_of_a_tracepoint_are_texts_in_json,
	  the_checker_rejects_invalid_json, rows_have_their_stated_length_whatever_the_names,
	  a_firefox_profile_is_json_in_UTF_8_whatever_the_names,
	  names_in_metadata_of_CTF_are_UTF_8_and_properly_terminated, an_event_that_is_no_call_has_a_text)
