/* SPDX-License-Identifier: MIT */
/*
 * view.h - the data of a trace that spoor view collects and writes into a page.
 *
 * All items go to a store. If the store grows beyond the size that fits into the file, the resolution
 * is doubled and the stored items are merged again. So the size of the file limits the memory, for any
 * number of events.
 *
 * With --serve there is no store: a view_maker writes the items to a file.
 */
#ifndef SPOOR_TOOLS_VIEW_H
#define SPOOR_TOOLS_VIEW_H

#include "base/name_table.h"
#include "base/output.h"
#include "walk/totals.h"
#include "view/levels.h"

struct view_served;
struct view_waits;

#define VIEW_NODE_ROOT 0u	/* parent of the first calls of all threads */
#define VIEW_NODE_MARKS 1u	/* parent of the marks, which are in lane 0 */
#define VIEW_NODE_NONE UINT32_MAX
#define VIEW_NAME_BEYOND 0u	/* name of the paths beyond node_limit */

struct view_node {
	uint32_t parent;
	uint32_t name;		/* row of the totals, from 1; a label's number if the parent is VIEW_NODE_MARKS */
	uint32_t latest;	/* the child that was found last */
	uint32_t lane;		/* depth; 1 for first calls */
	uint64_t calls, total_ns;
};

struct view_thread {
	char *name;
	uint32_t process;
	uint32_t thread_id;
	uint64_t items;
	uint32_t lanes;
	uint64_t losses, gaps, orphans, repaired, roots;
};

struct view_process {
	char *title;
	int64_t process_id;
};

struct view {
	/* Set by the caller: */
	size_t max_bytes;		/* of the file */
	const char *path;		/* of the file; "-": stdout */
	const char *title;
	struct view_served *served;	/* NULL: the page is a file */
	struct view_waits *waits;	/* when threads had no processor */

	struct totals totals;		/* the caller sets the fields that totals.h names */
	struct call_sink counts;	/* the sink of the totals */
	struct view_node *nodes;
	uint32_t node_count, node_capacity, node_limit;
	struct map64 children;		/* parent and name to node + 1 */
	struct name_table labels, strings;
	struct view_bytes texts, text_pairs;	/* values of calls (call_texts.h); the values of the current call */
	bool texts_left_out;		/* the texts of some calls, because of the size */
	uint32_t *path_of, path_capacity;	/* nodes of the open calls, by depth */
	uint32_t *name_of, name_of_count;	/* by function number, of the current process */

	struct view_thread *threads;
	uint32_t thread_count, thread_capacity;
	struct view_process *processes;
	uint32_t process_count;
	const struct walk *walk;
	struct process *process;
	struct functions *functions;

	struct view_store store;
	size_t store_limit;
	struct view_merger merger;
	uint64_t begin_ns, end_ns;	/* over all items */
	uint64_t events;
	int error;			/* of writing: a negative errno, after a message */
	bool written;
};

/* Sets @sink to collect the calls for the view. */
void view_gather(struct view *view, struct walk_sink *sink);

/* Doubles the resolution at least @times times, and until the store is within its limit. */
void view_coarsen(struct view *view, unsigned int times);
void view_free(struct view *view);

/*
 * view_write - writes the page, before names are freed.
 *
 * Returns 0, or a negative errno after a message; -EFBIG if the page exceeds max_bytes.
 */
int view_write(struct view *view);

/* Sets the lane of an item from its node. */
static inline void view_item_place(const struct view *view, struct view_item *item)
{
	item->lane = view->nodes[item->entries[0].node].lane;
}

#endif
