/* SPDX-License-Identifier: MIT */
/*
 * fuzz_capture.c - any text as choices of functions, and any bytes as a function's description: the choices stay within
 * the text, and every place is in the saved registers or on the stack.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "capture/argument_places.h"
#include "text/capture_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_part(const struct spoor_part *part)
{
	bool is_object = part->layout > SPOOR_LAYOUT_OBJECT && part->layout <= SPOOR_LAYOUT_OBJECT + SPOOR_OBJECT_MOST;
	uint32_t words = part->value.storage == SPOOR_VALUE_BYTES ? (part->value.size + 7u) / 8 : 1;

	if (part->value.place == SPOOR_PLACE_NONE || !part->value.storage || !part->value.size ||
	    (part->layout > SPOOR_LAYOUT_LENGTH_BEFORE && !is_object) ||
	    (!(part->value.place & SPOOR_PLACE_STACK) && part->value.place + words > SPOOR_PLACE_X87 + 2))
		abort();
}

static void find_places(const uint8_t *bytes, size_t size)
{
	static struct spoor_places places;

	if (size > SPOOR_SIGNATURE_MAX || spoor_places_find(bytes, size, &places) < 0)
		return;
	if (places.argument_count > SPOOR_PARTS_MAX || places.result_count > SPOOR_PARTS_MAX)
		abort();
	for (uint32_t i = 0; i < places.argument_count; i++)
		check_part(&places.arguments[i]);
	for (uint32_t i = 0; i < places.result_count; i++)
		check_part(&places.results[i]);
}

/* Input: a description up to the first newline; then choices. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const uint8_t *newline = memchr(bytes, '\n', size);
	size_t length = newline ? (size_t)(newline - bytes) : size;
	char *text = malloc(size - length + 1);
	struct spoor_capture_choice choice;
	const char *rest = text;

	if (!text)
		abort();
	find_places(bytes, length);
	if (newline)
		memcpy(text, newline + 1, size - length - 1);
	text[newline ? size - length - 1 : 0] = '\0';
	if (spoor_capture_text_check(text) == 0) {
		while (spoor_capture_text_next(&rest, &choice)) {
			const char *items = choice.items;
			struct spoor_capture_item item;

			while (items && spoor_capture_item_next(&items, choice.items_end, &item))
				if (item.name < choice.items || item.name + item.length > choice.items_end)
					abort();
		}
	}
	free(text);
	return 0;
}
