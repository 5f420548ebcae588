/* SPDX-License-Identifier: MIT */
/* meta.c - writes the data that a page needs before any chunk: names, paths, threads, and the places of chunks. */
#include "config.h"

#include <string.h>

#include "reader/symbols/symbol_file.h"
#include "reader/symbols/unit_symbols.h"
#include "view/chunks.h"

static void put_function(struct view_bytes *meta, struct name_table *places, const struct report_row *row)
{
	const struct report_statistics *statistics = &row->statistics;
	uint32_t library = name_table_add(places, row->library, ""), place = 0;
	const uint64_t numbers[] = { statistics->calls, statistics->counted, statistics->roots, statistics->total_ns,
				     statistics->self_ns, statistics->sum_ns, statistics->min_ns, statistics->max_ns,
				     report_statistics_percentile(statistics, 50),
				     report_statistics_percentile(statistics, 99) };

	if (row->file)
		place = name_table_add(places, row->file, "");
	if (!library || (row->file && !place))
		view_no_memory();
	view_bytes_text(meta, row->short_name);
	/* The whole name, if it is not the same. */
	view_bytes_text(meta, strcmp(row->name, row->short_name) == 0 ? "" : row->name);
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

/* Writes the place of each chunk: in a pack of the page, as write_page.c fills them, or in a file. */
static void put_chunks(struct view_bytes *meta, const struct view *view, const struct view_chunks *chunks)
{
	size_t pack_bytes = 0;

	view_bytes_number(meta, chunks->count);
	for (size_t i = 0; i < chunks->count; i++) {
		const struct view_chunk *chunk = &chunks->list[i];
		size_t bytes = chunks->file ? chunk->size : view_text_bytes(chunk->size);
		bool new_pack = !chunks->file && pack_bytes > VIEW_PACK_BYTES;

		view_bytes_number(meta, chunk->thread);
		view_bytes_number(meta, chunk->kind);
		view_bytes_number(meta, chunk->items);
		view_bytes_number(meta, chunk->begin_ns - view->begin_ns);
		view_bytes_number(meta, chunk->end_ns - chunk->begin_ns);
		view_bytes_number(meta, chunk->first_ns - chunk->begin_ns);
		view_bytes_number(meta, new_pack);
		view_bytes_number(meta, bytes);
		view_bytes_number(meta, chunk->ordinal);
		pack_bytes = (new_pack ? 0 : pack_bytes) + bytes;
	}
}

void view_meta_put(struct view_bytes *meta, struct view *view, const struct view_chunks *chunks)
{
	meta->count = 0;
	view_bytes_number(meta, 3);	/* version of this format */
	view_bytes_text(meta, PACKAGE_VERSION);
	view_bytes_text(meta, view->title);
	view_bytes_number(meta, view->begin_ns);
	/* The begin may be before the trace's begin: a program can give the times of its events. */
	view_bytes_number(meta, view_zigzag(view->begin_ns - view->walk->origin_ns));
	view_bytes_number(meta, view->end_ns - view->begin_ns);
	view_bytes_number(meta, view->merger.resolution_ns);
	view_bytes_number(meta, view->events);
	view_bytes_number(meta, view->node_count >= view->node_limit);
	view_bytes_number(meta, view->texts_left_out);
	view_bytes_number(meta, view->totals.table.counted);
	put_functions(meta, view);
	put_pairs(meta, &view->labels);
	put_pairs(meta, &view->strings);
	put_nodes(meta, view);
	put_threads(meta, view);
	put_chunks(meta, view, chunks);
}
