/* SPDX-License-Identifier: MIT */
/*
 * tui_tree.h - a tree of call paths whose branches the user opens and closes.
 *
 * Invariants
 *   I1  A node comes after its parent. Node 0 is the root, which is never shown and always open.
 *   I2  visible[] has the nodes below open nodes, in the order of the lines on the screen.
 */
#ifndef SPOOR_TOOLS_TUI_TREE_H
#define SPOOR_TOOLS_TUI_TREE_H

#include "walk/stacks/stacks.h"

struct tui_node {
	uint32_t parent, name, depth;
	bool open;
	uint64_t total_ns, self_ns, calls;
};

struct tui_tree {
	struct tui_node *nodes;
	uint32_t count, capacity;
	uint32_t *first, *order;	/* the children of node i, largest first: order[first[i]] to order[first[i + 1]] */
	uint32_t *preorder, *place_of;	/* all nodes in the order of an open tree; the place of each node */
	uint32_t *visible;
	uint32_t visible_count;
};

/* Makes the tree from callers to callees. Returns 0 or -ENOMEM. Call tui_tree_free in any case. */
int tui_tree_of_callees(struct tui_tree *tree, const struct stacks *stacks);

/*
 * tui_tree_of_callers - makes the tree from a function to its callers, to 64 levels.
 *
 * Below the function, a row has the numbers of the function's calls on this path. The time of recursive
 * calls counts once. Returns the same.
 */
int tui_tree_of_callers(struct tui_tree *tree, const struct stacks *stacks, uint32_t name);
void tui_tree_free(struct tui_tree *tree);

static inline bool tui_tree_is_leaf(const struct tui_tree *tree, uint32_t node)
{
	return tree->first[node] == tree->first[node + 1];
}

/* Computes visible[] again after `open` has changed. */
void tui_tree_show(struct tui_tree *tree);

/* Opens all nodes above a node. Returns its place in visible[]. */
uint32_t tui_tree_reveal(struct tui_tree *tree, uint32_t node);

/* Opens a node and, below it, the largest child of each level. */
void tui_tree_open_largest(struct tui_tree *tree, uint32_t node);

#endif
