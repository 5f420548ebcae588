/* SPDX-License-Identifier: MIT */
/*
 * view.h - a trace as spoor view gathers and writes it.
 *
 * Gathering keeps all items in a store. Where that grows beyond what can be in the file,
 * the resolution is doubled and what is stored is merged again: memory is bounded by
 * the file's size, whatever the number of events.
 *
 * Where the page is served nothing is stored: items go through view_maker into a file.
 */
#ifndef SPOOR_TOOLS_VIEW_H
#define SPOOR_TOOLS_VIEW_H

#include "base/name_table.h"
#include "base/output.h"
#include "walk/totals.h"
#include "view/levels.h"

struct view_served;

#define VIEW_NODE_ROOT 0u	/* above all first calls */
#define VIEW_NODE_MARKS 1u	/* above what is no call; lane 0 is theirs */
#define VIEW_NODE_NONE UINT32_MAX
#define VIEW_NAME_BEYOND 0u	/* the name of paths that are not kept */

struct view_node {
	uint32_t parent;
	uint32_t name;		/* a row of the totals + 1; a label's number where the parent is VIEW_NODE_MARKS */
	uint32_t latest;
	uint32_t lane;		/* depth: 1 is that of first calls */
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
	/* To be set. */
	size_t max_bytes;		/* of the file */
	const char *path;		/* of the file; "-": stdout */
	const char *title;
	struct view_served *served;	/* null: the page is a file */

	struct totals totals;		/* what of its fields is to be set, too */
	struct call_sink counts;	/* theirs */
	struct view_node *nodes;
	uint32_t node_count, node_capacity, node_limit;
	struct map64 children;		/* parent and name to node + 1 */
	struct name_table labels, strings;
	uint32_t *path_of, path_capacity;	/* the open calls' nodes, below VIEW_NODE_ROOT */
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
	uint64_t begin_ns, end_ns;	/* of all items */
	uint64_t events;
	int error;			/* of writing: a negative errno, which has been said */
	bool written;
};

/* What a walk does for the view. @sink's other fields are null. */
void view_gather(struct view *view, struct walk_sink *sink);

/* Doubles the resolution until the store is within its limit, and at least @times. */
void view_coarsen(struct view *view, unsigned int times);
void view_free(struct view *view);

/*
 * view_write - writes the page, before names go.
 *
 * Return: 0 or a negative errno, which has been said; -EFBIG where it would be too large.
 */
int view_write(struct view *view);

/* The whole of one item with its lane. */
static inline void view_item_place(const struct view *view, struct view_item *item)
{
	item->lane = view->nodes[item->entries[0].node].lane;
}

#endif
