/* SPDX-License-Identifier: MIT */
/* fuzz_condition.c - any text as a condition on values: an error has a position in the text, and a condition can be evaluated. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/trace_format.h"
#include "reader/events/call_values.h"
#include "reader/files/capture_records.h"
#include "reader/types/condition.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The values n=5, s="ab" and real=2.5; and the result, which has no name. */
static const struct capture capture = {
	.number = 1,
	.value_count = 4,
	.values = {
		{ 0, SPOOR_VALUE_BITS, 32, SPOOR_TYPE_SIGNED, 0, 1, 0 },
		{ 1, SPOOR_VALUE_TEXT, 64, SPOOR_TYPE_TEXT, 0, 2, 0 },
		{ 8, SPOOR_VALUE_BITS, 64, SPOOR_TYPE_REAL, 0, 3, 0 },
		{ 0, SPOOR_VALUE_BITS, 32, SPOOR_TYPE_SIGNED, 0, 0, 0 },
	},
	.names = { "n", "s", "real", "" },
};

static void put(struct call_values *values, uint64_t *bit, uint64_t value, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++, ++*bit)
		values->words[*bit / SPOOR_VALUES_WORD_BITS] |= (value >> i & 1) << (*bit % SPOOR_VALUES_WORD_BITS);
}

static struct call_values *make(bool is_result)
{
	struct call_values *values = calloc(1, sizeof(*values) + 8 * sizeof(uint64_t));
	uint64_t bit = SPOOR_VALUES_HEAD_BITS, real;
	double number = 2.5;

	if (!values)
		abort();
	*values = (struct call_values){ .owners = 1, .is_result = is_result, .word_count = 8, .capture = &capture };
	put(values, &bit, 5, 32);
	if (is_result)
		return values;
	put(values, &bit, 2 << 2 | SPOOR_TEXT_WHOLE, 12);
	put(values, &bit, 'a' | 'b' << 8, 16);
	memcpy(&real, &number, sizeof(real));
	put(values, &bit, real, 64);
	return values;
}

/* A condition whose result is known from its text. */
static void check(const char *text, bool expected)
{
	struct call_values *arguments = make(false), *result = make(true);
	struct condition *condition;
	size_t wrong;

	if (condition_parse(text, &condition, &wrong) || condition_holds(condition, arguments, result) != expected)
		abort();
	condition_free(condition);
	call_values_drop(arguments);
	call_values_drop(result);
}

static void check_known(void)
{
	check("n", true);
	check("n == 5 && s == \"ab\" && real = 2.5 && result >= 5", true);
	check("n>5||n<5||n!=5", false);
	check("!(n < 0x5) && s ~ 'a?' && s !~ 'b*'", true);
	check("missing != 1 || s > 1", false);
	check("n == 1 && n == 2 || real > -1e3", true);
	check("n == 5 || n == 1 && n == 2", true);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct call_values *arguments = make(false), *result = make(true);
	char *text = malloc(size + 1);
	struct condition *condition;
	size_t wrong;

	if (!text)
		abort();
	check_known();
	memcpy(text, bytes, size);
	text[size] = '\0';
	if (condition_parse(text, &condition, &wrong)) {
		if (condition || wrong > strlen(text))
			abort();
	} else {
		condition_holds(condition, arguments, NULL);
		condition_holds(condition, arguments, result);
	}
	condition_free(condition);
	call_values_drop(arguments);
	call_values_drop(result);
	free(text);
	return 0;
}
