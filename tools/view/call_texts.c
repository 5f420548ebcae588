/* SPDX-License-Identifier: MIT */
/* call_texts.c - keeps the arguments and results of calls as texts. */
#include "view/call_texts.h"

#include <string.h>

#include "reader/types/shown_values.h"

#define TEXT_BYTES 200u		/* of one value; a longer text ends with dots */

/* Shortens a text, and does not cut a UTF-8 character in two. */
static void shorten(char *text)
{
	size_t length = strlen(text);

	if (length <= TEXT_BYTES)
		return;
	for (length = TEXT_BYTES - 3; length && ((uint8_t)text[length] & 0xc0) == 0x80;)
		length--;
	strcpy(text + length, "...");
}

static uint64_t put_values(struct view_bytes *to, const struct call_values *values, bool is_result)
{
	struct shown_values shown;
	struct shown_value value;
	uint64_t count = 0;

	if (!values)
		return 0;
	for (shown_values_begin(&shown, values); shown_values_next(&shown, &value); count++) {
		shorten(value.text);
		view_bytes_text(to, is_result ? "" : value.name);
		view_bytes_text(to, value.text);
	}
	return count;
}

uint64_t view_call_texts_add(struct view *view, const struct call *call)
{
	struct view_bytes *texts = &view->texts, *pairs = &view->text_pairs;
	uint64_t place, count;

	if (!call->arguments && !call->result)
		return 0;
	if (texts->count > view->max_bytes) {
		view->texts_left_out = true;
		return 0;
	}
	pairs->count = 0;
	count = put_values(pairs, call->arguments, false);
	count += put_values(pairs, call->result, true);
	if (!count)
		return 0;
	/* A server writes each call at once. */
	if (view->served)
		texts->count = 0;
	place = texts->count + 1;
	view_bytes_number(texts, count);
	view_bytes_number(texts, pairs->count);
	view_bytes_put(texts, pairs->bytes, pairs->count);
	return place;
}

static const uint8_t *get_number(const uint8_t *at, uint64_t *number)
{
	*number = 0;
	for (unsigned int shift = 0;; shift += 7) {
		*number |= (uint64_t)(*at & 127) << shift;
		if (*at++ < 128)
			return at;
	}
}

void view_call_texts_put(struct view_bytes *column, const struct view_bytes *texts, uint64_t place)
{
	uint64_t count, bytes;
	const uint8_t *at = get_number(get_number(texts->bytes + place - 1, &count), &bytes);

	view_bytes_number(column, count);
	view_bytes_put(column, at, bytes);
}
