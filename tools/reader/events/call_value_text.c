/* SPDX-License-Identifier: MIT */
/* call_value_text.c - writes arguments and results as text. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/values_format.h"
#include "reader/events/call_values.h"

#define TEXT_MAX CALL_VALUE_TEXT_MAX

/* A decimal number of 128 bits. */
static void wide_text(const uint64_t number[2], bool is_signed, char *text)
{
	unsigned __int128 value = (unsigned __int128)number[1] << 64 | number[0];
	bool is_negative = is_signed && number[1] >> 63;
	char digits[48], *at = digits + sizeof(digits);

	if (is_negative)
		value = -value;
	*--at = '\0';
	do
		*--at = (char)('0' + (int)(value % 10));
	while (value /= 10);
	if (is_negative)
		*--at = '-';
	strcpy(text, at);
}

/* Uses the fewest digits that read back as the same number. */
static void double_text(double real, bool is_single, char *text)
{
	if (isnan(real)) {
		strcpy(text, "nan");
		return;
	}
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, TEXT_MAX, "%.*g", digits, real);
		if (is_single ? strtof(text, NULL) == (float)real : strtod(text, NULL) == real)
			break;
	}
	/* 6840 instead of 6.84e+03 */
	if (fabs(real) >= 1 && fabs(real) < 1e15 && strchr(text, 'e'))
		snprintf(text, TEXT_MAX, "%.0f", real);
}

/* An x87 number: 64 bits of mantissa, 15 of exponent, and the sign. */
static void extended_text(const uint64_t number[2], char *text)
{
	uint32_t exponent = number[1] & 0x7fff;
	bool is_negative = number[1] >> 15 & 1;
	long double real;

	if (exponent == 0x7fff) {
		snprintf(text, TEXT_MAX, "%s", number[0] << 1 ? "nan" : is_negative ? "-inf" : "inf");
		return;
	}
	real = ldexpl((long double)number[0], (int)(exponent ? exponent : 1) - 16383 - 63);
	real = is_negative ? -real : real;
	for (int digits = 1; digits <= 21; digits++) {
		snprintf(text, TEXT_MAX, "%.*Lg", digits, real);
		if (strtold(text, NULL) == real)
			break;
	}
	if (fabsl(real) >= 1 && fabsl(real) < 1e15 && strchr(text, 'e'))
		snprintf(text, TEXT_MAX, "%.0Lf", real);
}

/* A number of 16 bits with @exponent_bits of exponent. */
static double small_real(uint32_t bits, uint32_t exponent_bits)
{
	uint32_t mantissa_bits = 15 - exponent_bits, most = (1u << exponent_bits) - 1;
	uint32_t exponent = bits >> mantissa_bits & most, mantissa = bits & ((1u << mantissa_bits) - 1);
	int bias = (int)(most >> 1);
	double real;

	if (exponent == most)
		real = mantissa ? NAN : INFINITY;
	else
		real = ldexp(exponent ? (1u << mantissa_bits) + mantissa : mantissa,
			     (int)(exponent ? exponent : 1) - bias - (int)mantissa_bits);
	return bits >> 15 & 1 ? -real : real;
}

/* Gets the number of 64 bits that a number of 128 bits is. Returns false if there is none. */
static bool quad_to_double(const uint64_t number[2], double *real)
{
	uint64_t exponent = number[1] >> 48 & 0x7fff, bits;

	if (exponent - (16383 - 1022) > 2045 || number[0] << 4)
		return false;
	bits = number[1] >> 63 << 63 | (exponent - (16383 - 1023)) << 52 | (number[1] & 0xffffffffffff) << 4 | number[0] >> 60;
	memcpy(real, &bits, sizeof(*real));
	return true;
}

/* A number of 128 bits: in exact hexadecimal digits if it needs more than 64. */
static void quad_text(const uint64_t number[2], char *text)
{
	double real;
	uint32_t exponent = number[1] >> 48 & 0x7fff;
	uint64_t high = number[1] & 0xffffffffffff;
	const char *sign = number[1] >> 63 ? "-" : "";

	if (quad_to_double(number, &real))
		double_text(real, false, text);
	else if (exponent == 0x7fff)
		snprintf(text, TEXT_MAX, "%s%s", high | number[0] ? "" : sign, high | number[0] ? "nan" : "inf");
	else if (!exponent && !high && !number[0])
		snprintf(text, TEXT_MAX, "%s0", sign);
	else
		snprintf(text, TEXT_MAX, "%s0x%d.%012" PRIx64 "%016" PRIx64 "p%+d", sign, exponent != 0, high, number[0],
			 (int)(exponent ? exponent : 1) - 16383);
}

static void real_text(const struct call_value *value, char *text)
{
	double real;
	float single;
	uint32_t low = (uint32_t)value->number[0];

	switch (value->bytes) {
	case 2:
		double_text(small_real(low, value->how->type == SPOOR_TYPE_BFLOAT ? 8 : 5), true, text);
		break;
	case 4:
		memcpy(&single, &low, sizeof(single));
		double_text(single, true, text);
		break;
	case 8:
		memcpy(&real, &value->number[0], sizeof(real));
		double_text(real, false, text);
		break;
	case 10:
		extended_text(value->number, text);
		break;
	default:
		quad_text(value->number, text);
	}
}

static void integer_text(const struct call_value *value, bool is_signed, char *text)
{
	uint32_t width = value->how->storage == SPOOR_VALUE_BITS ? value->how->size : 64;
	uint64_t upwards = value->number[0] << (64 - width);

	if (value->bytes > 8)
		wide_text(value->number, is_signed, text);
	else if (width == 1)
		strcpy(text, value->number[0] ? "true" : "false");
	else if (is_signed)
		snprintf(text, TEXT_MAX, "%" PRId64, (int64_t)upwards >> (64 - width));
	else
		snprintf(text, TEXT_MAX, "%" PRIu64, value->number[0]);
}

static void hexadecimal_text(const struct call_value *value, char *text)
{
	if (value->bytes > 8 && value->number[1])
		snprintf(text, TEXT_MAX, "0x%" PRIx64 "%016" PRIx64, value->number[1], value->number[0]);
	else
		snprintf(text, TEXT_MAX, "0x%" PRIx64, value->number[0]);
}

/* The words of a structure or vector, whose members are unknown. */
static void bytes_text(const struct call_value *value, char *text)
{
	size_t used = 0;

	for (uint32_t i = 0; i < value->bytes; i += 8)
		used += (size_t)snprintf(text + used, TEXT_MAX - used, "%s0x%" PRIx64, i ? ", " : "{", value->number[i / 8]);
	snprintf(text + used, TEXT_MAX - used, "%s}", value->how->type == SPOOR_TYPE_BYTES && value->how->part ? ", ..." : "");
}

static char *put_character(char *at, unsigned char c, char quote)
{
	static const char codes[] = "\a\b\t\n\v\f\r", letters[] = "abtnvfr";
	const char *code = c ? strchr(codes, c) : NULL;

	if (code)
		return at + sprintf(at, "\\%c", letters[code - codes]);
	if (c == (unsigned char)quote || c == '\\')
		return at + sprintf(at, "\\%c", c);
	/* Bytes of UTF-8 are kept. */
	if (c < ' ' || c == 0x7f)
		return at + sprintf(at, "\\%03o", c);
	*at = (char)c;
	return at + 1;
}

/* Only on AArch64, if the entry was not recorded, or if another call took the place of its note. */
static void unknown_result_text(char *text)
{
	strcpy(text, "<in memory at an unknown address>");
}

static void string_text(const struct call_value *value, char *text)
{
	char *at = text;

	if (value->is_null && value->how->place == SPOOR_PLACE_X8 && !value->how->argument) {
		unknown_result_text(text);
		return;
	}
	if (value->is_null) {
		strcpy(text, "NULL");
		return;
	}
	if (value->is_unreadable) {
		snprintf(text, TEXT_MAX, "<unreadable 0x%" PRIx64 ">", value->number[0]);
		return;
	}
	*at++ = '"';
	for (uint32_t i = 0; i < value->bytes; i++)
		at = put_character(at, (unsigned char)value->text[i], '"');
	strcpy(at, value->is_cut ? "\"..." : "\"");
}

static void character_text(const struct call_value *value, char *text)
{
	char *at = text;

	*at++ = '\'';
	at = put_character(at, (unsigned char)value->number[0], '\'');
	strcpy(at, "'");
}

/* By the format that the user wants. Returns whether it fits the type. */
static bool formatted_text(const struct call_value *value, char *text)
{
	switch (value->how->format) {
	case 'x':
	case 'p':
		hexadecimal_text(value, text);
		return true;
	case 'd':
		integer_text(value, true, text);
		return true;
	case 'u':
		integer_text(value, false, text);
		return true;
	case 'c':
		character_text(value, text);
		return true;
	case 'b':
		strcpy(text, value->number[0] ? "true" : "false");
		return true;
	default:
		return false;
	}
}

void call_value_text(const struct call_value *value, char text[CALL_VALUE_TEXT_MAX])
{
	uint32_t type = value->how->type;

	if (type >= SPOOR_TYPE_INTEGER && type <= SPOOR_TYPE_POINTER && formatted_text(value, text))
		return;
	switch (type) {
	case SPOOR_TYPE_INTEGER:
	case SPOOR_TYPE_SIGNED:
		integer_text(value, true, text);
		break;
	case SPOOR_TYPE_UNSIGNED:
		integer_text(value, false, text);
		break;
	case SPOOR_TYPE_POINTER:
		hexadecimal_text(value, text);
		break;
	case SPOOR_TYPE_REAL:
	case SPOOR_TYPE_BFLOAT:
		real_text(value, text);
		break;
	case SPOOR_TYPE_TEXT:
		string_text(value, text);
		break;
	case SPOOR_TYPE_RESULT_ADDRESS:
		if (value->number[0])
			snprintf(text, TEXT_MAX, "<in memory at 0x%" PRIx64 ">", value->number[0]);
		else
			unknown_result_text(text);
		break;
	default:
		bytes_text(value, text);
	}
}
