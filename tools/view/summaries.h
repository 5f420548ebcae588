/* SPDX-License-Identifier: MIT */
/*
 * summaries.h - adds up the calls of each chunk by path, so that a page decodes only the chunks at the edges of a
 * range of time.
 *
 * The summaries of VIEW_SUMMARY_CHUNKS successive chunks of a thread and a kind are one chunk, of the kind
 * VIEW_SUMMARY plus their kind. It has these columns, encoded as chunks.h describes:
 *   column 0   number of entries, by chunk
 *   column 1   node of each entry, as the difference to the previous entry of the chunk
 *   column 2   items; for runs their calls
 *   column 3   total time
 *   column 4   shortest duration. For runs this is twice the duration, plus one if it is rounded
 *   column 5   longest duration, as the difference to column 4
 *   column 6   entries with items that are not calls, or are roots: the difference of the entry's number, resumed
 *              items, roots, and the time of the roots
 * The durations do not include roots.
 */
#ifndef SPOOR_TOOLS_VIEW_SUMMARIES_H
#define SPOOR_TOOLS_VIEW_SUMMARIES_H

#include "view/items.h"

#define VIEW_SUMMARY_CHUNKS 64u
#define VIEW_SUMMARY_COLUMNS 7

/* What the items of one path in a chunk add up to. */
struct view_sums {
	uint32_t node;
	uint64_t items, total_ns, least, most;
	uint64_t resumed, roots, roots_ns;
};

/* The summaries of the chunks of one kind. */
struct view_summaries {
	struct view_sums *sums;		/* of the chunk that is being filled, in any order */
	uint32_t count, capacity;
	struct view_bytes columns[VIEW_SUMMARY_COLUMNS];
	uint32_t groups;		/* of the current thread that were written; the caller counts them */
	uint32_t chunks;		/* complete chunks in the columns */
	uint32_t entries, exception;	/* in the columns; the last entry in column 6 */
	uint64_t begin_ns, end_ns;	/* over the chunks in the columns */
	uint32_t *slots;		/* by node: its possible position in @sums */
	uint32_t slot_count;
};

/* Adds an item, which may be a run. */
void view_summaries_add(struct view_summaries *summaries, const struct view_item *item);

/* Ends the chunk whose items were added. */
void view_summaries_end_chunk(struct view_summaries *summaries, uint64_t begin_ns, uint64_t end_ns);

/* Forgets the summaries after they were written. */
void view_summaries_reset(struct view_summaries *summaries);
void view_summaries_free(struct view_summaries *summaries);

#endif
