/* SPDX-License-Identifier: MIT */
/*
 * write_page.c - writes the page: data, scripts and chunks.
 *
 * Everything from the trace except the title is compressed and written as base64, so a browser finds
 * no mark-up in the name of a function.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "base/message.h"
#include "view/chunks.h"
#include "view/serve.h"

EMBED(view_style, "view/page/style.css");
EMBED(view_body, "view/page/body.html");
EMBED(view_source, "view/page/source.js");
EMBED(view_format, "view/page/format.js");
EMBED(view_elide_name, "base/elide_name.js");
EMBED(view_elements, "view/page/elements.js");
EMBED(view_preferences, "view/page/preferences.js");
EMBED(view_colours, "view/page/colours.js");
EMBED(view_chunk_data, "view/page/chunk_data.js");
EMBED(view_data, "view/page/data.js");
EMBED(view_summaries, "view/page/summaries.js");
EMBED(view_statistics, "view/page/statistics.js");
EMBED(view_overview, "view/page/overview.js");
EMBED(view_boxes, "view/page/boxes.js");
EMBED(view_call_values, "view/page/call_values.js");
EMBED(view_waits, "view/page/waits.js");
EMBED(view_ruler, "view/page/ruler.js");
EMBED(view_tracks, "view/page/tracks.js");
EMBED(view_timeline, "view/page/timeline.js");
EMBED(view_input, "view/page/input.js");
EMBED(view_page_layout, "view/page/page_layout.js");
EMBED(view_page_menu, "view/page/page_menu.js");
EMBED(view_bookmarks, "view/page/bookmarks.js");
EMBED(view_function_table, "view/page/function_table.js");
EMBED(view_flame_pane, "view/page/flame_pane.js");
EMBED(view_function_calls, "view/page/function_calls.js");
EMBED(view_details, "view/page/details.js");
EMBED(view_search, "view/page/search.js");
EMBED(view_page_state, "view/page/page_state.js");
EMBED(view_main, "view/page/main.js");

#define PART(name) { view_##name, view_##name##_end }
static const struct part {
	const char *begin, *end;
} script[] = {
	PART(source), PART(format), PART(elide_name), PART(elements), PART(preferences), PART(colours),
	PART(chunk_data), PART(data), PART(summaries), PART(statistics), PART(overview), PART(boxes),
	PART(call_values), PART(waits), PART(ruler), PART(tracks), PART(timeline), PART(input), PART(page_layout), PART(page_menu),
	PART(bookmarks), PART(function_table), PART(flame_pane), PART(function_calls), PART(details),
	PART(search), PART(page_state), PART(main),
};
#define SCRIPT_PARTS (sizeof(script) / sizeof(*script))

static void write_base64(struct output *out, const uint8_t *bytes, size_t count)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < count; i += 3) {
		uint32_t three = (uint32_t)bytes[i] << 16 | (i + 1 < count ? (uint32_t)bytes[i + 1] << 8 : 0) |
				 (i + 2 < count ? bytes[i + 2] : 0);
		char *text = output_room(out, 4);

		text[0] = digits[three >> 18];
		text[1] = digits[three >> 12 & 63];
		text[2] = i + 1 < count ? digits[three >> 6 & 63] : '=';
		text[3] = i + 2 < count ? digits[three & 63] : '=';
		out->used += 4;
	}
}

static void write_packs(struct output *out, const struct view_chunks *chunks)
{
	size_t pack_bytes = SIZE_MAX;
	unsigned int packs = 0;

	for (size_t i = 0; i < chunks->count; i++) {
		const struct view_chunk *chunk = &chunks->list[i];

		if (pack_bytes > VIEW_PACK_BYTES) {
			output_string(out, packs ? "</script>\n<script type=\"text/plain\" id=\"pack" :
						   "<script type=\"text/plain\" id=\"pack");
			output_number(out, packs++);
			output_string(out, "\">");
			pack_bytes = 0;
		}
		write_base64(out, chunk->bytes, chunk->size);
		pack_bytes += view_text_bytes(chunk->size);
	}
	if (packs)
		output_string(out, "</script>\n");
}

/* Writes the page without its packs. @meta NULL: a server has the data and the chunks. */
static void write_page(struct output *out, const struct view *view, const uint8_t *meta, size_t meta_bytes)
{
	output_string(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		      "script-src 'unsafe-inline'; style-src 'unsafe-inline'");
	output_string(out, meta ? "\">\n" : "; connect-src 'self'\">\n");
	output_string(out, "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
	output_xml_string(out, view->title);
	output_string(out, " - spoor</title>\n<style>\n");
	output_put(out, view_style, (size_t)(view_style_end - view_style));
	output_string(out, "</style>\n</head>\n<body>\n");
	output_put(out, view_body, (size_t)(view_body_end - view_body));
	if (meta) {
		output_string(out, "<script type=\"text/plain\" id=\"meta\">");
		write_base64(out, meta, meta_bytes);
		output_string(out, "</script>\n");
	}
	output_string(out, "<script>\n\"use strict\";\n");
	for (size_t i = 0; i < SCRIPT_PARTS; i++)
		output_put(out, script[i].begin, (size_t)(script[i].end - script[i].begin));
	output_string(out, "</script>\n");
}

static void write_page_end(struct output *out)
{
	output_string(out, "</body>\n</html>\n");
}

void view_write_served_page(struct output *out, const struct view *view)
{
	write_page(out, view, NULL, 0);
	write_page_end(out);
}

/* Returns an upper bound for the size of the page. */
static size_t page_bytes(size_t meta_bytes, const struct view_chunks *chunks)
{
	size_t bytes = 4096 + view_text_bytes(meta_bytes) + (size_t)(view_style_end - view_style) +
		       (size_t)(view_body_end - view_body);

	for (size_t i = 0; i < SCRIPT_PARTS; i++)
		bytes += (size_t)(script[i].end - script[i].begin);
	return bytes + chunks->bytes + chunks->bytes / VIEW_PACK_BYTES * 64;
}

static int write_file(struct view *view, const uint8_t *meta, size_t meta_bytes, const struct view_chunks *chunks)
{
	struct output out;
	int error = output_begin(&out, view->path);

	if (!error) {
		write_page(&out, view, meta, meta_bytes);
		write_packs(&out, chunks);
		write_page_end(&out);
		error = output_end(&out);
	}
	if (error)
		message("%s: cannot write: %s", view->path, strerror(-error));
	return error;
}

int view_write(struct view *view)
{
	struct view_chunks chunks = { 0 };
	struct view_bytes meta = { 0 };
	uint8_t *packed;
	size_t packed_bytes;
	int error;

	for (;;) {
		uint64_t resolution_ns = view->merger.resolution_ns;
		size_t bytes, without;

		view_chunks_make(&chunks, view);
		view_meta_put(&meta, view, &chunks);
		packed = view_compress(meta.bytes, meta.count, VIEW_META_EFFORT, &packed_bytes);
		bytes = page_bytes(packed_bytes, &chunks) + 6 * strlen(view->title);
		if (bytes <= view->max_bytes)
			break;
		without = bytes - chunks.bytes;
		free(packed);
		packed = NULL;
		view_chunks_free(&chunks);
		if (without > view->max_bytes || resolution_ns / 2 > view->end_ns - view->begin_ns) {
			message("%s: the page needs at least %zu bytes: use a larger --max-size, or fewer threads",
				view->path, without > view->max_bytes ? without : bytes);
			break;
		}
		view_coarsen(view, 1);
	}
	error = packed ? write_file(view, packed, packed_bytes, &chunks) : -EFBIG;
	free(packed);
	free(meta.bytes);
	view_chunks_free(&chunks);
	return error;
}
