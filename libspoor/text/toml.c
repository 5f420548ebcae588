/* SPDX-License-Identifier: MIT */
/* toml.c - a strict parser for a part of TOML, which toml.h describes. It reads once and allocates no memory. */
#include "text/toml.h"

#include <errno.h>
#include <string.h>

void spoor_toml_begin(struct spoor_toml *toml, const void *bytes, size_t size)
{
	*toml = (struct spoor_toml){ .at = bytes, .end = (const uint8_t *)bytes + size };
}

static int fault(struct spoor_toml *toml, const char *what)
{
	toml->fault = what;
	return -EINVAL;
}

/* Returns the next byte; -1 at the end. */
static int peek(const struct spoor_toml *toml)
{
	return toml->at < toml->end ? *toml->at : -1;
}

static bool take(struct spoor_toml *toml, const char *text)
{
	size_t length = strlen(text);

	if ((size_t)(toml->end - toml->at) < length || memcmp(toml->at, text, length) != 0)
		return false;
	toml->at += length;
	return true;
}

static void skip_blanks(struct spoor_toml *toml)
{
	while (peek(toml) == ' ' || peek(toml) == '\t')
		toml->at++;
}

static bool at_line_end(const struct spoor_toml *toml)
{
	return peek(toml) < 0 || *toml->at == '\n' ||
	       (*toml->at == '\r' && toml->end - toml->at > 1 && toml->at[1] == '\n');
}

/* Returns the number of bytes of the next character in a string or comment, or -EINVAL for a control character
 * and for invalid UTF-8. */
static int character_bytes(struct spoor_toml *toml)
{
	uint8_t first = *toml->at;
	uint32_t code;
	int bytes;

	if (first < 0x80)
		return (first < 0x20 && first != '\t') || first == 0x7f ? fault(toml, "a control character") : 1;
	bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
	if (first < 0xc2 || first > 0xf4 || toml->end - toml->at < bytes)
		return fault(toml, "bytes that are not UTF-8");
	code = first & (0x7fu >> bytes);
	for (int i = 1; i < bytes; i++) {
		if ((toml->at[i] & 0xc0) != 0x80)
			return fault(toml, "bytes that are not UTF-8");
		code = code << 6 | (toml->at[i] & 0x3f);
	}
	if ((bytes == 3 && code < 0x800) || (bytes == 4 && (code < 0x10000 || code > 0x10ffff)) ||
	    (code >= 0xd800 && code < 0xe000))
		return fault(toml, "bytes that are not UTF-8");
	return bytes;
}

/* Skips blanks, a comment, and the end of the line. */
static int finish_line(struct spoor_toml *toml)
{
	skip_blanks(toml);
	if (peek(toml) == '#') {
		while (!at_line_end(toml)) {
			int bytes = character_bytes(toml);

			if (bytes < 0)
				return bytes;
			toml->at += bytes;
		}
	}
	if (!at_line_end(toml))
		return fault(toml, "text after the value");
	if (!take(toml, "\r\n"))
		take(toml, "\n");
	return 0;
}

static int hex_digit(int byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	if (byte >= 'a' && byte <= 'f')
		return byte - 'a' + 10;
	return byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 : -1;
}

static int put(struct spoor_toml *toml, struct spoor_toml_pair *pair, size_t *used, const uint8_t *bytes, int count)
{
	if (*used + (size_t)count >= sizeof(pair->text))
		return fault(toml, "a string of more than 4095 bytes");
	memcpy(pair->text + *used, bytes, (size_t)count);
	*used += (size_t)count;
	return 0;
}

/* Appends the character of \uXXXX or \UXXXXXXXX, whose digits are next. */
static int put_code(struct spoor_toml *toml, struct spoor_toml_pair *pair, size_t *used, int digits)
{
	uint8_t bytes[4];
	uint32_t code = 0;

	for (int i = 0; i < digits; i++) {
		int digit = hex_digit(peek(toml));

		if (digit < 0)
			return fault(toml, "a \\u without 4 hexadecimal digits, or a \\U without 8");
		code = code << 4 | (uint32_t)digit;
		toml->at++;
	}
	if (code == 0)
		return fault(toml, "a NUL in a string");
	if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return fault(toml, "a \\u or \\U that is not a Unicode character");
	if (code < 0x80)
		return put(toml, pair, used, &(uint8_t){ (uint8_t)code }, 1);
	bytes[3] = (uint8_t)(0x80 | (code & 0x3f));
	bytes[2] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
	bytes[1] = (uint8_t)(0x80 | (code >> 12 & 0x3f));
	if (code < 0x800) {
		bytes[2] = (uint8_t)(0xc0 | code >> 6);
		return put(toml, pair, used, bytes + 2, 2);
	}
	if (code < 0x10000) {
		bytes[1] = (uint8_t)(0xe0 | code >> 12);
		return put(toml, pair, used, bytes + 1, 3);
	}
	bytes[0] = (uint8_t)(0xf0 | code >> 18);
	return put(toml, pair, used, bytes, 4);
}

static int take_escape(struct spoor_toml *toml, struct spoor_toml_pair *pair, size_t *used)
{
	static const char names[] = "btnfr\"\\", values[] = "\b\t\n\f\r\"\\";
	int byte = peek(toml);
	const char *name = byte > 0 ? strchr(names, byte) : NULL;

	if (byte >= 0)
		toml->at++;
	if (byte == 'u' || byte == 'U')
		return put_code(toml, pair, used, byte == 'u' ? 4 : 8);
	if (!name)
		return fault(toml, "an invalid escape: write the backslash twice, or the string in '...'");
	return put(toml, pair, used, (const uint8_t *)&values[name - names], 1);
}

/* Reads the rest of a string after its opening @quote. */
static int take_string(struct spoor_toml *toml, struct spoor_toml_pair *pair, char quote)
{
	size_t used = 0;

	pair->kind = SPOOR_TOML_STRING;
	for (;;) {
		int error, bytes;

		if (at_line_end(toml))
			return fault(toml, "a string without its closing quote");
		if (peek(toml) == quote)
			break;
		if (quote == '"' && take(toml, "\\")) {
			error = take_escape(toml, pair, &used);
		} else {
			bytes = character_bytes(toml);
			error = bytes < 0 ? bytes : put(toml, pair, &used, toml->at, bytes);
			if (error == 0)
				toml->at += bytes;
		}
		if (error < 0)
			return error;
	}
	toml->at++;
	pair->text[used] = '\0';
	return 0;
}

/* Reads digits, with single underscores between them. */
static int take_digits(struct spoor_toml *toml, struct spoor_toml_pair *pair, unsigned int base)
{
	bool digit_before = false;

	pair->number = 0;
	for (;; toml->at++) {
		int digit = hex_digit(peek(toml));

		if (digit >= 0 && (unsigned int)digit < base) {
			if (__builtin_mul_overflow(pair->number, base, &pair->number) ||
			    __builtin_add_overflow(pair->number, (uint64_t)digit, &pair->number))
				return fault(toml, "a number of more than 64 bits");
			digit_before = true;
		} else if (peek(toml) == '_' && digit_before) {
			digit_before = false;
		} else {
			break;
		}
	}
	return digit_before ? 0 : fault(toml, "an invalid value: use a string, a whole number, true or false");
}

static int take_number(struct spoor_toml *toml, struct spoor_toml_pair *pair)
{
	bool sign = peek(toml) == '+' || peek(toml) == '-';
	int error;

	pair->kind = SPOOR_TOML_INTEGER;
	pair->negative = peek(toml) == '-';
	toml->at += sign;
	if (!sign && take(toml, "0x"))
		return take_digits(toml, pair, 16);
	if (!sign && take(toml, "0o"))
		return take_digits(toml, pair, 8);
	if (!sign && take(toml, "0b"))
		return take_digits(toml, pair, 2);
	if (peek(toml) == '0' && toml->end - toml->at > 1 &&
	    (toml->at[1] == '_' || (toml->at[1] >= '0' && toml->at[1] <= '9')))
		return fault(toml, "a number that begins with 0: octal numbers begin with 0o");
	error = take_digits(toml, pair, 10);
	if (error < 0)
		return error;
	if (peek(toml) == '.' || peek(toml) == 'e' || peek(toml) == 'E' || peek(toml) == '-' || peek(toml) == ':')
		return fault(toml, "a fraction or a date: use a whole number");
	return 0;
}

static int take_value(struct spoor_toml *toml, struct spoor_toml_pair *pair)
{
	if (take(toml, "\"\"\"") || take(toml, "'''"))
		return fault(toml, "a string of several lines is not supported");
	if (take(toml, "\""))
		return take_string(toml, pair, '"');
	if (take(toml, "'"))
		return take_string(toml, pair, '\'');
	if (take(toml, "true") || take(toml, "false")) {
		pair->kind = SPOOR_TOML_BOOLEAN;
		pair->boolean = toml->at[-2] == 'u';
		return 0;
	}
	if (peek(toml) == '[' || peek(toml) == '{')
		return fault(toml, "an array or a table is not supported");
	return take_number(toml, pair);
}

static bool is_key_byte(int byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
	       byte == '_' || byte == '-';
}

/* Reads a bare key. @what: the error if there is none */
static int take_name(struct spoor_toml *toml, struct spoor_toml_pair *pair, const char *what)
{
	size_t length = 0;

	if (peek(toml) == '"' || peek(toml) == '\'')
		return fault(toml, "a key in quotes is not supported");
	for (; is_key_byte(peek(toml)); toml->at++) {
		if (length + 1 == sizeof(pair->key))
			return fault(toml, "a key of more than 79 characters");
		pair->key[length++] = (char)*toml->at;
	}
	pair->key[length] = '\0';
	if (!length)
		return fault(toml, what);
	skip_blanks(toml);
	if (peek(toml) == '.')
		return fault(toml, "a dotted key is not supported");
	return 0;
}

/* Reads the rest of [[name]]. */
static int take_table(struct spoor_toml *toml, struct spoor_toml_pair *pair)
{
	int error;

	if (!toml->tables || !take(toml, "[["))
		return fault(toml, toml->tables ? "a table in single brackets: use two, as in [[name]]" :
			     "a table is not supported");
	skip_blanks(toml);
	pair->kind = SPOOR_TOML_TABLE;
	error = take_name(toml, pair, "no name in [[ ]]");
	if (error < 0)
		return error;
	return take(toml, "]]") ? finish_line(toml) : fault(toml, "no ']]' after the name");
}

static int take_key(struct spoor_toml *toml, struct spoor_toml_pair *pair)
{
	int error = take_name(toml, pair, "no key at the beginning of the line");

	if (error < 0)
		return error;
	if (!take(toml, "="))
		return fault(toml, "no '=' after the key");
	skip_blanks(toml);
	return 0;
}

int spoor_toml_next(struct spoor_toml *toml, struct spoor_toml_pair *pair)
{
	int error;

	/* Each round begins at the start of a line. */
	for (;;) {
		toml->line++;
		skip_blanks(toml);
		if (peek(toml) < 0)
			return 0;
		if (peek(toml) != '#' && !at_line_end(toml))
			break;
		error = finish_line(toml);
		if (error < 0)
			return error;
	}
	if (peek(toml) == '[') {
		error = take_table(toml, pair);
		return error < 0 ? error : 1;
	}
	error = take_key(toml, pair);
	if (error == 0)
		error = take_value(toml, pair);
	if (error == 0)
		error = finish_line(toml);
	return error < 0 ? error : 1;
}
