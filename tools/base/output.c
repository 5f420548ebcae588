/* SPDX-License-Identifier: MIT */
/* output.c - writes text and bytes to a descriptor through one large buffer. output_file.c opens the descriptor. */
#include "base/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The longest number has 20 digits and 6 separators. */
#define NUMBER_MAX 32

/* Writes the last three digits of @number. */
static void three_digits(char *room, unsigned int number)
{
	room[0] = (char)('0' + number / 100);
	room[1] = (char)('0' + number / 10 % 10);
	room[2] = (char)('0' + number % 10);
}

/* The numbers up to 999 in three characters, padded with zeros or blanks. */
static struct {
	char zeros[1000][4], blanks[1000][4];
} three;

void output_numbers_begin(void)
{
	if (three.zeros[0][0])
		return;
	for (unsigned int i = 0; i < 1000; i++) {
		three_digits(three.zeros[i], i);
		memcpy(three.blanks[i], three.zeros[i], 3);
		if (i < 100)
			three.blanks[i][0] = ' ';
		if (i < 10)
			three.blanks[i][1] = ' ';
	}
}

void output_write_through(struct output *out, const char *bytes, size_t count)
{
	while (count && !out->error) {
		ssize_t written = write(out->fd, bytes, count);

		if (written < 0) {
			if (errno != EINTR)
				out->error = -errno;
			continue;
		}
		out->written += (uint64_t)written;
		bytes += written;
		count -= (size_t)written;
	}
}

static void write_all(struct output *out, const char *bytes, size_t count)
{
	if (out->take && count)
		out->take(out->take_context, bytes, count);
	else if (!out->take)
		output_write_through(out, bytes, count);
}

void output_flush(struct output *out)
{
	write_all(out, out->buffer, out->used);
	out->used = 0;
}

void output_put_large(struct output *out, const void *bytes, size_t count)
{
	output_flush(out);
	write_all(out, bytes, count);
}

void output_append(struct output *out, struct output *temporary)
{
	off_t at = 0;
	ssize_t count = 1;

	output_flush(temporary);
	output_flush(out);
	while (!temporary->error && !out->error && count > 0) {
		count = pread(temporary->fd, out->buffer, OUTPUT_BYTES, at);
		if (count < 0 && errno == EINTR) {
			count = 1;
			continue;
		}
		if (count < 0)
			out->error = -errno;
		if (count > 0)
			write_all(out, out->buffer, (size_t)count);
		at += count;
	}
	if (!temporary->error && (ftruncate(temporary->fd, 0) || lseek(temporary->fd, 0, SEEK_SET) < 0))
		temporary->error = -errno;
	if (!out->error)
		out->error = temporary->error;
}

void output_spaces(struct output *out, size_t count)
{
	while (count) {
		size_t some = count < OUTPUT_BYTES / 2 ? count : OUTPUT_BYTES / 2;

		memset(output_room(out, some), ' ', some);
		out->used += some;
		count -= some;
	}
}

/* Writes digits that end at @end. Returns the first one. */
static char *digits_before(char *end, uint64_t number)
{
	for (; number >= 1000; number /= 1000) {
		end -= 3;
		memcpy(end, three.zeros[number % 1000], 3);
	}
	do {
		*--end = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	return end;
}

void output_number(struct output *out, uint64_t number)
{
	char digits[2 * NUMBER_MAX], *end = digits + NUMBER_MAX, *begin = digits_before(end, number);

	/* A copy of constant size is faster than one of the exact size. */
	memcpy(output_room(out, NUMBER_MAX), begin, NUMBER_MAX);
	out->used += (size_t)(end - begin);
}

void output_hex(struct output *out, uint64_t number, unsigned int digits)
{
	char *room = output_room(out, digits);

	for (unsigned int i = 0; i < digits; i++)
		room[i] = "0123456789abcdef"[number >> 4 * (digits - 1 - i) & 15];
	out->used += digits;
}

size_t output_grouped_at(char *at, uint64_t number)
{
	char digits[NUMBER_MAX], *end = digits + NUMBER_MAX, *begin = end;
	int in_group = 0;

	do {
		if (in_group++ == 3) {
			*--begin = ',';
			in_group = 1;
		}
		*--begin = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	memcpy(at, begin, (size_t)(end - begin));
	return (size_t)(end - begin);
}

void output_grouped(struct output *out, uint64_t number, int width)
{
	char text[OUTPUT_GROUPED_MAX];
	size_t length = output_grouped_at(text, number);

	if ((int)length < width)
		output_spaces(out, (size_t)width - length);
	output_put(out, text, length);
}

void output_microseconds(struct output *out, uint64_t ns)
{
	output_number(out, ns / 1000);
	char *room = output_room(out, 4);
	room[0] = '.';
	memcpy(room + 1, three.zeros[ns % 1000], 3);
	out->used += 4;
}

void output_milliseconds(struct output *out, uint64_t ns)
{
	output_number(out, ns / 1000000);
	char *room = output_room(out, 7);
	room[0] = '.';
	memcpy(room + 1, three.zeros[ns / 1000 % 1000], 3);
	memcpy(room + 4, three.zeros[ns % 1000], 3);
	out->used += 7;
}

char *output_duration_at(char *at, uint64_t ns)
{
	static const char units[][4] = { " us", " ms", " s " };
	unsigned int unit = 0;

	if (ns < 1000) {
		memcpy(at, "    ", 4);
		memcpy(at + 4, three.blanks[ns], 4);
		memcpy(at + 7, " ns", 3);
		return at + OUTPUT_DURATION_WIDTH;
	}
	/* Rounds once, to the nearest number with three decimals: 999,999,500 ns are 1.000 s. */
	if (ns >= 999999500) {
		ns = ns / 1000000 + (ns % 1000000 >= 500000);
		unit = 2;
	} else if (ns >= 1000000) {
		ns = (ns + 500) / 1000;
		unit = 1;
	}
	if (ns < 1000000) {
		memcpy(at, three.blanks[ns / 1000], 3);
		at += 3;
	} else {	/* 1,000 seconds and more */
		char digits[NUMBER_MAX], *end = digits + NUMBER_MAX, *begin = digits_before(end, ns / 1000);

		memcpy(at, begin, (size_t)(end - begin));
		at += end - begin;
	}
	*at = '.';
	memcpy(at + 1, three.zeros[ns % 1000], 3);
	memcpy(at + 4, units[unit], 3);
	return at + 7;
}

void output_duration(struct output *out, uint64_t ns)
{
	char *room = output_room(out, OUTPUT_DURATION_MAX);

	out->used += (size_t)(output_duration_at(room, ns) - room);
}

void output_csv_field(struct output *out, const char *string)
{
	size_t plain = strcspn(string, ",\"\r\n");

	if (!string[plain]) {
		output_put(out, string, plain);
		return;
	}
	output_char(out, '"');
	for (; *string; string++) {
		if (*string == '"')
			output_char(out, '"');
		output_char(out, *string);
	}
	output_char(out, '"');
}

/* Returns the length of the UTF-8 sequence at @s; 0 if the bytes are not valid UTF-8. */
static size_t utf8_sequence(const unsigned char *s)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t bytes = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : s[0] >> 3 == 30 ? 4 : 0;
	uint32_t code = bytes < 2 ? s[0] : s[0] & (0x7fu >> bytes);

	for (size_t i = 1; i < bytes; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (bytes && (code < smallest[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)))
		return 0;
	return bytes;
}

void output_json_string(struct output *out, const char *string)
{
	const unsigned char *s = (const unsigned char *)string;

	while (*s) {
		size_t bytes = utf8_sequence(s);

		if (!bytes) {
			output_string(out, "\\ufffd");
			s++;
			continue;
		}
		if (*s == '"' || *s == '\\') {
			output_char(out, '\\');
			output_char(out, (char)*s);
		} else if (*s < 0x20) {
			output_string(out, "\\u");
			output_hex(out, *s, 4);
		} else {
			output_put(out, s, bytes);
		}
		s += bytes;
	}
}

void output_tsdl_string(struct output *out, const char *string)
{
	const unsigned char *s = (const unsigned char *)string;

	while (*s) {
		size_t bytes = utf8_sequence(s);

		if (*s == '"' || *s == '\\')
			output_char(out, '\\');
		if (!bytes || *s < 0x20)
			output_string(out, "\xef\xbf\xbd");
		else
			output_put(out, s, bytes);
		s += bytes ? bytes : 1;
	}
}

void output_xml_string(struct output *out, const char *string)
{
	const unsigned char *s = (const unsigned char *)string;

	while (*s) {
		size_t bytes = utf8_sequence(s);
		const char *escaped = NULL;

		if (!bytes || (*s < 0x20 && *s != '\t' && *s != '\n'))
			escaped = "\xef\xbf\xbd";
		else if (*s == '&')
			escaped = "&amp;";
		else if (*s == '<')
			escaped = "&lt;";
		else if (*s == '>')
			escaped = "&gt;";
		else if (*s == '"')
			escaped = "&quot;";
		if (escaped)
			output_string(out, escaped);
		else
			output_put(out, s, bytes);
		s += bytes ? bytes : 1;
	}
}
