/* SPDX-License-Identifier: MIT */
/* fuzz_toml.c - reads a configuration file; all results must be well-formed. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "text/toml.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct spoor_toml_pair pair;
	struct spoor_toml toml;
	uint32_t line = 0;
	int more;

	spoor_toml_begin(&toml, bytes, size);
	while ((more = spoor_toml_next(&toml, &pair)) > 0) {
		if (toml.line <= line || !pair.key[0] || !memchr(pair.key, 0, sizeof(pair.key)) ||
		    (pair.kind == SPOOR_TOML_STRING && !memchr(pair.text, 0, sizeof(pair.text))))
			abort();
		line = toml.line;
	}
	if (toml.at > toml.end || (more < 0) != (toml.fault != NULL) || (more == 0 && toml.at != toml.end))
		abort();
	return 0;
}
