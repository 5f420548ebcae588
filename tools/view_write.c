/* SPDX-License-Identifier: MIT */
/*
 * view_write.c - the page: what it always needs, its program, and the chunks.
 *
 * All that comes from the trace but the title is compressed and in base64: a browser
 * finds no mark-up in a function's name.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "embed.h"
#include "message.h"
#include "reader/symbol_file.h"
#include "reader/unit_symbols.h"
#include "view_chunks.h"

EMBED(view_style, "view/style.css");
EMBED(view_body, "view/body.html");
EMBED(view_data, "view/data.js");
EMBED(view_statistics, "view/statistics.js");
EMBED(view_overview, "view/overview.js");
EMBED(view_timeline, "view/timeline.js");
EMBED(view_input, "view/input.js");
EMBED(view_panes, "view/panes.js");
EMBED(view_search, "view/search.js");
EMBED(view_main, "view/main.js");

#define PACK_BYTES (1u << 20)	/* of text in one element */

static const struct part {
	const char *begin, *end;
} script[] = {
	{ view_data, view_data_end }, { view_statistics, view_statistics_end }, { view_overview, view_overview_end },
	{ view_timeline, view_timeline_end }, { view_input, view_input_end }, { view_panes, view_panes_end },
	{ view_search, view_search_end }, { view_main, view_main_end },
};
#define SCRIPT_PARTS (sizeof(script) / sizeof(*script))

static void put_function(struct view_bytes *meta, struct name_table *places, const struct report_row *row)
{
	const struct report_statistics *statistics = &row->statistics;
	uint32_t library = name_table_add(places, row->library, ""), place = 0;
	const uint64_t numbers[] = { statistics->calls, statistics->counted, statistics->roots, statistics->total_ns,
				     statistics->self_ns, statistics->sum_ns, statistics->min_ns, statistics->max_ns };

	if (row->file)
		place = name_table_add(places, row->file, "");
	if (!library || (row->file && !place))
		view_no_memory();
	view_bytes_text(meta, row->name);
	view_bytes_number(meta, library);
	view_bytes_number(meta, place);
	view_bytes_number(meta, row->file ? row->line : 0);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		view_bytes_number(meta, numbers[i]);
}

static void put_pairs(struct view_bytes *meta, const struct name_table *pairs)
{
	view_bytes_number(meta, pairs->count ? pairs->count - 1 : 0);
	for (uint32_t i = 1; i < pairs->count; i++) {
		view_bytes_text(meta, pairs->list[i].function);
		view_bytes_text(meta, pairs->list[i].library);
	}
}

static void put_functions(struct view_bytes *meta, struct view *view)
{
	struct name_table places = { 0 };

	view_bytes_number(meta, view->totals.table.row_count);
	for (size_t i = 0; i < view->totals.table.row_count; i++)
		put_function(meta, &places, &view->totals.table.rows[i]);
	put_pairs(meta, &places);
	name_table_free(&places);
}

static void put_nodes(struct view_bytes *meta, const struct view *view)
{
	view_bytes_number(meta, view->node_count);
	for (uint32_t i = VIEW_NODE_MARKS + 1; i < view->node_count; i++) {
		const struct view_node *node = &view->nodes[i];

		view_bytes_number(meta, i - node->parent);
		view_bytes_number(meta, node->name);
		view_bytes_number(meta, node->calls);
		view_bytes_number(meta, node->total_ns);
	}
}

static void put_threads(struct view_bytes *meta, const struct view *view)
{
	view_bytes_number(meta, view->process_count);
	for (uint32_t i = 0; i < view->process_count; i++) {
		view_bytes_text(meta, view->processes[i].title);
		view_bytes_number(meta, (uint64_t)view->processes[i].process_id);
	}
	view_bytes_number(meta, view->thread_count);
	for (uint32_t i = 0; i < view->thread_count; i++) {
		const struct view_thread *thread = &view->threads[i];
		const uint64_t numbers[] = { thread->process, thread->thread_id, thread->lanes, thread->items, thread->losses,
					     thread->gaps, thread->orphans, thread->repaired, thread->roots };

		view_bytes_text(meta, thread->name);
		for (size_t at = 0; at < sizeof(numbers) / sizeof(*numbers); at++)
			view_bytes_number(meta, numbers[at]);
	}
}

/* Where each chunk is; packs are filled as write_packs does it. */
static void put_chunks(struct view_bytes *meta, const struct view_chunks *chunks)
{
	size_t pack_bytes = 0;

	view_bytes_number(meta, chunks->count);
	for (size_t i = 0; i < chunks->count; i++) {
		const struct view_chunk *chunk = &chunks->list[i];
		bool new_pack = pack_bytes > PACK_BYTES;

		view_bytes_number(meta, chunk->thread);
		view_bytes_number(meta, chunk->kind);
		view_bytes_number(meta, chunk->items);
		view_bytes_number(meta, chunk->begin_ns);
		view_bytes_number(meta, chunk->end_ns - chunk->begin_ns);
		view_bytes_number(meta, new_pack);
		view_bytes_number(meta, view_text_bytes(chunk->size));
		pack_bytes = (new_pack ? 0 : pack_bytes) + view_text_bytes(chunk->size);
	}
}

static void put_meta(struct view_bytes *meta, struct view *view, const struct view_chunks *chunks)
{
	view_bytes_number(meta, 1);	/* of this format */
	view_bytes_text(meta, PACKAGE_VERSION);
	view_bytes_text(meta, view->title);
	view_bytes_number(meta, view->begin_ns);
	view_bytes_number(meta, view->end_ns - view->begin_ns);
	view_bytes_number(meta, view->merger.resolution_ns);
	view_bytes_number(meta, view->events);
	view_bytes_number(meta, view->node_count >= view->node_limit);
	view_bytes_number(meta, view->totals.table.counted);
	put_functions(meta, view);
	put_pairs(meta, &view->labels);
	put_pairs(meta, &view->strings);
	put_nodes(meta, view);
	put_threads(meta, view);
	put_chunks(meta, chunks);
}

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

		if (pack_bytes > PACK_BYTES) {
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

static void write_page(struct output *out, const struct view *view, const uint8_t *meta, size_t meta_bytes,
		       const struct view_chunks *chunks)
{
	output_string(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		      "script-src 'unsafe-inline'; style-src 'unsafe-inline'\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
	output_xml_string(out, view->title);
	output_string(out, " - spoor</title>\n<style>\n");
	output_put(out, view_style, (size_t)(view_style_end - view_style));
	output_string(out, "</style>\n</head>\n<body>\n");
	output_put(out, view_body, (size_t)(view_body_end - view_body));
	output_string(out, "<script type=\"text/plain\" id=\"meta\">");
	write_base64(out, meta, meta_bytes);
	output_string(out, "</script>\n<script>\n\"use strict\";\n");
	for (size_t i = 0; i < SCRIPT_PARTS; i++)
		output_put(out, script[i].begin, (size_t)(script[i].end - script[i].begin));
	output_string(out, "</script>\n");
	write_packs(out, chunks);
	output_string(out, "</body>\n</html>\n");
}

/* All that is no chunk's, generously. */
static size_t page_bytes(size_t meta_bytes, const struct view_chunks *chunks)
{
	size_t bytes = 4096 + view_text_bytes(meta_bytes) + (size_t)(view_style_end - view_style) +
		       (size_t)(view_body_end - view_body);

	for (size_t i = 0; i < SCRIPT_PARTS; i++)
		bytes += (size_t)(script[i].end - script[i].begin);
	return bytes + chunks->bytes + chunks->bytes / PACK_BYTES * 64;
}

static int write_file(struct view *view, const uint8_t *meta, size_t meta_bytes, const struct view_chunks *chunks)
{
	struct output out;
	int error = output_begin(&out, view->path);

	if (!error) {
		write_page(&out, view, meta, meta_bytes, chunks);
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

	if (view->begin_ns > view->end_ns)	/* nothing at all */
		view->begin_ns = view->end_ns = 0;
	for (;;) {
		uint64_t resolution_ns = view->merger.resolution_ns;
		size_t bytes, without;

		view_chunks_make(&chunks, view);
		meta.count = 0;
		put_meta(&meta, view, &chunks);
		packed = view_compress(meta.bytes, meta.count, &packed_bytes);
		bytes = page_bytes(packed_bytes, &chunks) + 6 * strlen(view->title);
		if (bytes <= view->max_bytes)
			break;
		without = bytes - chunks.bytes;
		free(packed);
		packed = NULL;
		view_chunks_free(&chunks);
		if (without > view->max_bytes || resolution_ns / 2 > view->end_ns - view->begin_ns) {
			message("%s: it would have %zu bytes in the least: a larger --max-size is needed, or fewer threads",
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
