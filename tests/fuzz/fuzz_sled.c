/* SPDX-License-Identifier: MIT */
/*
 * fuzz_sled.c - any text as a sled: a patched sled can be made dormant again, and no byte
 * after its end is read or written.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/sled.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Input: the kind of the sled, then text. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	uint8_t *text, *before, kind;

	if (size < 1 + SPOOR_SLED_BYTES)
		return 0;
	kind = bytes[0] % 3;
	size--;
	text = malloc(size);
	before = malloc(size);
	if (!text || !before)
		abort();
	memcpy(text, bytes + 1, size);
	memcpy(before, text, size);
	if (spoor_sled_check(text, kind, text, size) == SPOOR_SLED_GOOD) {
		spoor_sled_prepare(text, kind, text, 5);
		if (!spoor_sled_is_ours(text, kind))
			abort();
		spoor_sled_switch(text, kind, true);
		if (!spoor_sled_is_ours(text, kind) || memcmp(text, before, SPOOR_SLED_HEAD_BYTES) == 0)
			abort();
		spoor_sled_switch(text, kind, false);
		if (memcmp(text, before, SPOOR_SLED_HEAD_BYTES) != 0 ||
		    memcmp(text + SPOOR_SLED_BYTES, before + SPOOR_SLED_BYTES, size - SPOOR_SLED_BYTES) != 0)
			abort();
	} else if (memcmp(text, before, size) != 0) {
		abort();
	}
	free(text);
	free(before);
	return 0;
}
