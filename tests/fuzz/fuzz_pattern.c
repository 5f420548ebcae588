/* SPDX-License-Identifier: MIT */
/* fuzz_pattern.c - matches a pattern list with the name after its first NUL. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "text/pattern.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *text = malloc(size + 2);
	const char *name;

	memcpy(text, bytes, size);
	text[size] = text[size + 1] = '\0';
	name = text + strlen(text) + 1;
	if (spoor_patterns_check(text) == 0)
		spoor_patterns_choose(text, &name, 1);
	free(text);
	return 0;
}
