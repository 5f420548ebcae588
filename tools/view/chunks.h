/* SPDX-License-Identifier: MIT */
/*
 * chunks.h - the items of a view as a page reads them: chunks of one thread and one
 * kind, compressed each by itself, so that a page decodes what it shows and no more.
 *
 * Kinds
 *   0 to 31       calls and marks of their own, by duration: kind k > 0 has those from
 *                 64 ns * 4^(k-1) to 4 times that, kind 0 the shorter ones
 *   VIEW_RUNS     runs, with an entry for each path
 *   VIEW_LEVEL+k  all that is shorter than 64 ns * 4^k, in runs of that length, each with
 *                 its greatest path alone: for drawing
 *
 * Chunks stand in the page's file, or in one that spoor view --serve hands them out of.
 * A chunk is zlib's; within, the lengths of seven columns and then these. Numbers are as
 * view_bytes_number writes them, differences zigzag, and begin anew in each chunk.
 *              calls        runs                levels
 *   column 0   begin, as the difference to the item before; 0 is the chunk's first_ns
 *   column 1   duration
 *   column 2   node (d.)    number of entries   node (d.)
 *   column 3   flags        node (d.)           calls
 *   column 4   payloads     calls               how much of it is busy, of 255
 *   column 5                total
 *   column 6                least, most
 */
#ifndef SPOOR_TOOLS_VIEW_CHUNKS_H
#define SPOOR_TOOLS_VIEW_CHUNKS_H

#include "view/view.h"

#define VIEW_CLASSES 32u
#define VIEW_RUNS 32u
#define VIEW_LEVEL 33u
#define VIEW_LEVELS 24u
#define VIEW_KINDS (VIEW_LEVEL + VIEW_LEVELS)

#define VIEW_PACK_BYTES (1u << 20)	/* of chunks as text in one element of a page, and the one that goes beyond */
#define VIEW_META_EFFORT 6

struct view_chunk {
	uint32_t thread, kind, items;
	uint32_t size;			/* of the bytes, compressed */
	uint64_t first_ns;		/* where its first item begins */
	uint64_t begin_ns, end_ns;	/* of all its items */
	uint8_t *bytes;			/* null: in the file, at `offset` */
	uint64_t offset;
};

struct view_chunks {
	struct output *file;		/* that chunks go to; null: they stay in memory */
	struct view_chunk *list;
	size_t count, capacity;
	size_t bytes;			/* of all, as text */
};

/* The room that @count bytes take as text. */
static inline size_t view_text_bytes(size_t count)
{
	return (count + 2) / 3 * 4;
}

/* Compresses @count bytes, by zlib's levels of effort. Return: what the caller frees; its size in @size. */
uint8_t *view_compress(const uint8_t *bytes, size_t count, int effort, size_t *size);

/*
 * Makes chunks of what it is told, thread by thread; at the end they are in the order in
 * which a page wants them. Its memory is a chunk of each kind and an open run of each lane
 * and level, whatever the number of items; into a file, what a chunk leaves is its entry.
 */
struct view_maker;

/* What is shorter than @resolution_ns is in runs already; nothing is longer than @span_ns. */
struct view_maker *view_maker_begin(struct view_chunks *chunks, uint64_t resolution_ns, uint64_t span_ns);
void view_maker_begin_thread(struct view_maker *maker, uint32_t thread);

/* The item may be changed. */
void view_maker_add(struct view_maker *maker, struct view_item *item);
void view_maker_end_thread(struct view_maker *maker);
void view_maker_end(struct view_maker *maker);

/* The chunks of all that is in the view's store. */
void view_chunks_make(struct view_chunks *chunks, struct view *view);
void view_chunks_free(struct view_chunks *chunks);

/* What a page knows before it has any chunk: names, paths, threads, and where chunks are. */
void view_meta_put(struct view_bytes *meta, struct view *view, const struct view_chunks *chunks);

#endif
