/* SPDX-License-Identifier: MIT */
/* fuzz_filters.c - reads a file of filters; accepted rules must work for any function. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "text/filters.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char *text(void *unused, enum filter_text which)
{
	static const char *const texts[FILTER_TEXT_COUNT] = { "/src/file.c", "n::f(int)", "_ZN1n1fEi", NULL };

	(void)unused;
	return texts[which];
}

static bool has_attribute(void *unused, const char *name, const char *value)
{
	(void)unused;
	return name[0] == 'c' && !value;
}

static bool has_loop(void *unused)
{
	(void)unused;
	return true;
}

/* Skips expressions that may need endless time or memory. The author of a filters file must avoid those. */
static int is_tame(const uint8_t *bytes, size_t size)
{
	size_t repeats = 0;

	for (size_t i = 0; i < size; i++)
		repeats += bytes[i] == '{' || bytes[i] == '*' || bytes[i] == '+' || bytes[i] == '(' || bytes[i] == '\\';
	return repeats <= 8 && size <= 4096 && !memchr(bytes, '{', size);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct filter_subject subject = { text, has_attribute, has_loop, 12, NULL };
	struct spoor_fault fault = { "" };
	const struct filter_rule *rule;
	struct filters filters;

	if (!is_tame(bytes, size))
		return 0;
	if (filters_parse(&filters, "file", (const char *)bytes, size, &fault) == 0) {
		bool blocks = filters_block(&filters, &subject, &rule);

		if (blocks && (!rule || rule->allows))
			abort();
		if (rule && (rule < filters.rules || rule >= filters.rules + filters.count || !rule->line))
			abort();
	} else if (!fault.text[0]) {
		abort();
	}
	filters_free(&filters);
	return 0;
}
