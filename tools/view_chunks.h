/* SPDX-License-Identifier: MIT */
/*
 * view_chunks.h - the items of a view as a page reads them: chunks of one thread and one
 * kind, compressed each by itself, so that a page decodes what it shows and no more.
 *
 * Kinds
 *   0 to 31       calls and marks of their own, by duration: kind k > 0 has those from
 *                 64 ns * 4^(k-1) to 4 times that, kind 0 the shorter ones
 *   VIEW_RUNS     runs, with an entry for each path
 *   VIEW_LEVEL+k  all that is shorter than 64 ns * 4^k, in runs of that length, each with
 *                 its greatest path alone: for drawing
 *
 * A chunk is zlib's; within, the lengths of seven columns and then these. Numbers are as
 * view_bytes_number writes them, differences zigzag, and begin anew in each chunk.
 *              calls        runs                levels
 *   column 0   begin, as the difference to the item before
 *   column 1   duration
 *   column 2   node (d.)    number of entries   node (d.)
 *   column 3   flags        node (d.)           calls
 *   column 4   payloads     calls               how much of it is busy, of 255
 *   column 5                total
 *   column 6                least, most
 */
#ifndef SPOOR_TOOLS_VIEW_CHUNKS_H
#define SPOOR_TOOLS_VIEW_CHUNKS_H

#include "view.h"

#define VIEW_CLASSES 32u
#define VIEW_RUNS 32u
#define VIEW_LEVEL 33u
#define VIEW_LEVELS 24u
#define VIEW_KINDS (VIEW_LEVEL + VIEW_LEVELS)

struct view_chunk {
	uint32_t thread, kind, items;
	uint32_t size;			/* of the bytes, compressed */
	uint64_t begin_ns, end_ns;	/* since the view's beginning */
	uint8_t *bytes;
};

struct view_chunks {
	struct view_chunk *list;
	size_t count, capacity;
	size_t bytes;			/* of all, as text */
};

/* The room that @count bytes take as text. */
static inline size_t view_text_bytes(size_t count)
{
	return (count + 2) / 3 * 4;
}

/* Compresses @count bytes. Return: what the caller frees; its size in @size. */
uint8_t *view_compress(const uint8_t *bytes, size_t count, size_t *size);

/* Makes the chunks of all threads; they are in the order in which a page wants them. */
void view_chunks_make(struct view_chunks *chunks, struct view *view);
void view_chunks_free(struct view_chunks *chunks);

#endif
