/* SPDX-License-Identifier: MIT */
/*
 * fuzz_unpack.c - unpacks any bytes as packed words. If that works, packing the words and
 * unpacking them again must give the same words.
 *
 * Input: 4 bytes of counter, 2 bytes of count, packed bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "format/packing.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct spoor_packing model;
	uint64_t *words, *again;
	uint8_t *packed;
	uint32_t counter;
	uint16_t count;

	if (size < 6)
		return 0;
	memcpy(&counter, bytes, 4);
	memcpy(&count, bytes + 4, 2);
	words = malloc(count * 8 + 1);
	if (spoor_unpack(bytes + 6, size - 6, counter, words, count) == 0) {
		packed = malloc(SPOOR_PACKED_BYTES_MAX(count) + 1);
		again = malloc(count * 8 + 1);
		size_t packed_bytes = spoor_pack(words, count, counter, packed, &model, NULL);
		if (packed_bytes > SPOOR_PACKED_BYTES_MAX(count) ||
		    spoor_unpack(packed, packed_bytes, counter, again, count) || memcmp(words, again, count * 8) != 0)
			abort();
		free(packed);
		free(again);
	}
	free(words);
	return 0;
}
