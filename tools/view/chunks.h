/* SPDX-License-Identifier: MIT */
/*
 * chunks.h - the items of a view in the form that a page reads.
 *
 * A chunk has items of one thread and one kind. Each chunk is compressed separately, so that a page
 * decodes only the chunks that it shows.
 *
 * Kinds
 *   0 to 31       single calls and marks, by duration: kind k > 0 has those from
 *                 64 ns * 4^(k-1) to 4 times that, kind 0 the shorter ones
 *   VIEW_RUNS     runs, with an entry for each path
 *   VIEW_LEVEL+k  for drawing: all items shorter than 64 ns * 4^k, merged into runs of that
 *                 length; of each run only the path with the most time
 *   VIEW_SUMMARY+k  the sums of chunks of kind k, as summaries.h describes
 *   VIEW_WAITS    when the thread had no processor, as thread_waits.h describes
 *
 * Chunks are in the page's file, or in a file from which spoor view --serve sends them.
 * A chunk is compressed by zlib. It has the lengths of seven columns, then the columns. Numbers have
 * the encoding of view_bytes_number. Differences are zigzag-encoded and start from 0 in each chunk.
 *              calls        runs                levels
 *   column 0   begin, as the difference to the previous item; the first to the chunk's first_ns
 *   column 1   duration
 *   column 2   node (diff.) number of entries   node (diff.)
 *   column 3   flags        node (diff.)        calls
 *   column 4   payloads     calls               busy part of the run, of 255
 *   column 5   values       total
 *   column 6                least, most
 */
#ifndef SPOOR_TOOLS_VIEW_CHUNKS_H
#define SPOOR_TOOLS_VIEW_CHUNKS_H

#include "view/summaries.h"
#include "view/view.h"

#define VIEW_CLASSES 32u
#define VIEW_RUNS 32u
#define VIEW_LEVEL 33u
#define VIEW_LEVELS 24u
#define VIEW_KINDS (VIEW_LEVEL + VIEW_LEVELS)
#define VIEW_SUMMARY VIEW_KINDS

/* The chunks of a page are in packs, each the text of one element. A pack ends with the chunk that exceeds this. */
#define VIEW_PACK_BYTES (1u << 20)
#define VIEW_META_EFFORT 6		/* zlib's level of compression */

struct view_chunk {
	uint32_t thread, kind, items;
	uint32_t ordinal;		/* among the chunks of its thread and kind, in the order in which they ended */
	uint32_t size;			/* bytes, compressed */
	uint64_t first_ns;		/* begin of its first item */
	uint64_t begin_ns, end_ns;	/* over all its items */
	uint8_t *bytes;			/* owned; NULL: in the file, at @offset */
	uint64_t offset;
};

struct view_chunks {
	struct output *file;		/* chunks are written to it; NULL: they stay in memory */
	const struct view_bytes *texts;	/* the values of calls, owned by the view */
	struct view_chunk *list;
	size_t count, capacity;
	size_t bytes;			/* of all chunks as base64 text */
};

/* Returns the length of @count bytes as base64 text. */
static inline size_t view_text_bytes(size_t count)
{
	return (count + 2) / 3 * 4;
}

/*
 * Compresses @count bytes with zlib's level @effort. Returns the result, of @size bytes, which the
 * caller frees. Exits without memory.
 */
uint8_t *view_compress(const uint8_t *bytes, size_t count, int effort, size_t *size);

/* Compresses the columns, empties them, and adds @chunk, whose other fields are set. Exits without memory. */
void view_chunks_put(struct view_chunks *chunks, struct view_bytes columns[VIEW_SUMMARY_COLUMNS], struct view_chunk chunk);

/*
 * A maker makes chunks of the items that it gets, thread by thread. view_maker_end sorts them in the
 * order in which a page wants them. The maker's memory does not depend on the number of items: it
 * holds one chunk of each kind, and an open run for each lane and level. If chunks go to a file, the
 * list keeps only their entries.
 */
struct view_maker;

/* @resolution_ns: shorter items are in runs already. @span_ns: no item is longer. */
struct view_maker *view_maker_begin(struct view_chunks *chunks, uint64_t resolution_ns, uint64_t span_ns);
void view_maker_begin_thread(struct view_maker *maker, uint32_t thread);

/* Adds an item, and may change it. */
void view_maker_add(struct view_maker *maker, struct view_item *item);
void view_maker_end_thread(struct view_maker *maker);
void view_maker_end(struct view_maker *maker);

/* Makes the chunks of all items in the view's store. */
void view_chunks_make(struct view_chunks *chunks, struct view *view);
void view_chunks_free(struct view_chunks *chunks);

/* Writes the data that a page needs before any chunk: names, paths, threads, and the places of chunks. */
void view_meta_put(struct view_bytes *meta, struct view *view, const struct view_chunks *chunks);

#endif
