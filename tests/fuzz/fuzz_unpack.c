/* SPDX-License-Identifier: MIT */
/*
 * fuzz_unpack.c - unpacks any bytes as packed words. If that works, packing the words and
 * unpacking them again must give the same words. Both are done with and without records of values.
 *
 * Input: 4 bytes of counter, 2 bytes of count, packed bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "format/packing.h"

/* Layouts of captures 1 to 8: their fields are the first bytes of the input. */
static void make_layouts(struct spoor_value_layouts *layouts, const uint8_t *bytes, size_t size)
{
	layouts->used = 0;
	for (uint16_t capture = 1; capture <= 8; capture++) {
		struct spoor_value_layout layout = { .head = capture, .count = (uint8_t)(capture % 5) };

		for (uint32_t i = 0; i < layout.count; i++)
			layout.fields[i] = (uint8_t)(1 + bytes[(i + capture) % size] % SPOOR_FIELD_TEXT);
		spoor_value_layouts_add(layouts, &layout);
	}
}

static void check(const uint8_t *bytes, size_t size, uint32_t counter, uint16_t count, struct spoor_value_model *values,
		  struct spoor_layout_index *layouts)
{
	static struct spoor_packing model;
	uint64_t *words = malloc(count * 8 + 1), *again;
	uint8_t *packed;

	if (spoor_unpack(bytes, size, counter, words, count, values) == 0) {
		packed = malloc(SPOOR_PACKED_BYTES_MAX(count) + 1);
		again = malloc(count * 8 + 1);
		size_t packed_bytes = spoor_pack(words, count, counter, packed, &model, NULL, values, layouts);
		if (packed_bytes > SPOOR_PACKED_BYTES_MAX(count) ||
		    spoor_unpack(packed, packed_bytes, counter, again, count, values) || memcmp(words, again, count * 8) != 0)
			abort();
		free(packed);
		free(again);
	}
	free(words);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct spoor_value_model values;
	static struct spoor_value_layouts layouts;
	struct spoor_layout_index layout_index = { .layouts = &layouts };
	uint32_t counter;
	uint16_t count;

	if (size < 6)
		return 0;
	memcpy(&counter, bytes, 4);
	memcpy(&count, bytes + 4, 2);
	make_layouts(&layouts, bytes, size);
	check(bytes + 6, size - 6, counter, count, NULL, NULL);
	check(bytes + 6, size - 6, counter, count, &values, &layout_index);
	return 0;
}
