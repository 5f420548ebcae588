/* SPDX-License-Identifier: MIT */
/*
 * fuzz_configuration.c - reads an environment, whose strings are separated by NUL: it is
 * rejected, or all values are within their bounds.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/configuration.h"
#include "text/pattern.h"
#include "format/pool_format.h"

#define VARIABLES_MAX 64

extern char **environ;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_text(const char *text, size_t size)
{
	if (!memchr(text, 0, size))
		abort();
}

static void check(const struct spoor_configuration *configuration)
{
	uint32_t slices = spoor_configuration_reserved_slices(configuration) +
			  spoor_configuration_dynamic_slices(configuration);

	check_text(configuration->modules, sizeof(configuration->modules));
	check_text(configuration->functions, sizeof(configuration->functions));
	check_text(configuration->trace_path, sizeof(configuration->trace_path));
	check_text(configuration->recorder, sizeof(configuration->recorder));
	if (spoor_patterns_check(configuration->modules) < 0 || spoor_patterns_check(configuration->functions) < 0 ||
	    configuration->trace_path[0] != '/' || slices < 1 || slices > SPOOR_POOL_SLICE_COUNT_MAX)
		abort();
	for (uint32_t i = 0; spoor_configuration_key(i); i++) {
		char text[16];
		size_t length = spoor_configuration_text(configuration, i, text, sizeof(text));

		if (strlen(text) != (length < sizeof(text) ? length : sizeof(text) - 1))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct spoor_configuration configuration;
	char *text = malloc(size + 1), *variables[VARIABLES_MAX + 1], **before = environ;
	size_t count = 0;

	if (!text)
		abort();
	if (size)
		memcpy(text, bytes, size);
	text[size] = '\0';
	for (char *at = text; at < text + size && count < VARIABLES_MAX; at += strlen(at) + 1)
		variables[count++] = at;
	variables[count] = NULL;
	environ = variables;
	if (spoor_configuration_read(&configuration) == 0)
		check(&configuration);
	environ = before;
	free(text);
	return 0;
}
