/* SPDX-License-Identifier: MIT */
/* tui_tree.c - a tree of call paths whose branches the user opens and closes. */
#include "tui/tui_tree.h"

#include <errno.h>
#include <stdlib.h>

#define CALLER_LEVELS 64u

/* Returns the node's number, or 0 without memory. */
static uint32_t add(struct tui_tree *tree, uint32_t parent, uint32_t name)
{
	if (tree->count == tree->capacity) {
		uint32_t capacity = tree->capacity ? 2 * tree->capacity : 256;
		struct tui_node *nodes = reallocarray(tree->nodes, capacity, sizeof(*nodes));

		if (!nodes || capacity < tree->capacity)
			return 0;
		tree->nodes = nodes;
		tree->capacity = capacity;
	}
	tree->nodes[tree->count] = (struct tui_node){
		.parent = parent, .name = name, .depth = tree->count ? tree->nodes[parent].depth + 1 : 0,
	};
	return tree->count++;
}

static const struct tui_node *sorted_nodes;	/* for compare; one thread sorts */

static int compare(const void *left, const void *right)
{
	const struct tui_node *a = &sorted_nodes[*(const uint32_t *)left], *b = &sorted_nodes[*(const uint32_t *)right];

	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

/* Lists all nodes as if each were open. The children of a node wait on a stack, the largest on top. */
static int make_preorder(struct tui_tree *tree)
{
	uint32_t *waiting = calloc(tree->count + 1, sizeof(*waiting)), depth = 0, count = 0;

	tree->preorder = calloc(tree->count + 1, sizeof(*tree->preorder));
	tree->place_of = calloc(tree->count + 1, sizeof(*tree->place_of));
	if (!waiting || !tree->preorder || !tree->place_of) {
		free(waiting);
		return -ENOMEM;
	}
	waiting[depth++] = 0;
	while (depth) {
		uint32_t node = waiting[--depth];

		tree->place_of[node] = count;
		tree->preorder[count++] = node;
		for (uint32_t i = tree->first[node + 1]; i-- > tree->first[node];)
			waiting[depth++] = tree->order[i];
	}
	free(waiting);
	return 0;
}

/* Sorts the children of each node, and shows the first level. */
static int finish(struct tui_tree *tree)
{
	tree->first = calloc(tree->count + 2, sizeof(*tree->first));
	tree->order = calloc(tree->count + 1, sizeof(*tree->order));
	tree->visible = calloc(tree->count + 1, sizeof(*tree->visible));
	if (!tree->first || !tree->order || !tree->visible)
		return -ENOMEM;
	for (uint32_t i = 1; i < tree->count; i++)
		tree->first[tree->nodes[i].parent + 2]++;
	for (uint32_t i = 1; i < tree->count + 2; i++)
		tree->first[i] += tree->first[i - 1];
	/* first[i + 1] moves from the begin to the end of node i's children, which is the begin of the next node's. */
	for (uint32_t i = 1; i < tree->count; i++)
		tree->order[tree->first[tree->nodes[i].parent + 1]++] = i;
	sorted_nodes = tree->nodes;
	for (uint32_t i = 0; i < tree->count; i++)
		qsort(tree->order + tree->first[i], tree->first[i + 1] - tree->first[i], sizeof(*tree->order), compare);
	tree->nodes[0].open = true;
	tui_tree_show(tree);
	return make_preorder(tree);
}

int tui_tree_of_callees(struct tui_tree *tree, const struct stacks *stacks)
{
	*tree = (struct tui_tree){ 0 };
	for (uint32_t i = 0; i < stacks->count; i++) {
		const struct stack_node *node = &stacks->nodes[i];

		if (add(tree, node->parent, node->name) != i || tree->count != i + 1)
			return -ENOMEM;
		tree->nodes[i].calls = node->calls;
		tree->nodes[i].self_ns = tree->nodes[i].total_ns = node->self_ns;
	}
	for (uint32_t i = tree->count; i-- > 1;)
		tree->nodes[tree->nodes[i].parent].total_ns += tree->nodes[i].total_ns;
	return finish(tree);
}

/* Returns whether a call of the same function is above the node. */
static bool is_nested(const struct stacks *stacks, uint32_t node)
{
	uint32_t name = stacks->nodes[node].name;

	for (node = stacks->nodes[node].parent; node; node = stacks->nodes[node].parent)
		if (stacks->nodes[node].name == name)
			return true;
	return false;
}

/* Adds one path, from its end upwards. Returns 0 or -ENOMEM. */
static int add_path(struct tui_tree *tree, struct map64 *children, const struct stacks *stacks, uint32_t node, uint64_t total_ns)
{
	const struct stack_node *end = &stacks->nodes[node];
	uint32_t row = 0;

	if (is_nested(stacks, node))
		total_ns = 0;
	for (uint32_t level = 0; node && level < CALLER_LEVELS; level++, node = stacks->nodes[node].parent) {
		uint32_t *child = map64_at(children, (uint64_t)row << 32 | stacks->nodes[node].name);

		if (child && !*child)
			*child = add(tree, row, stacks->nodes[node].name);
		if (!child || !*child)
			return -ENOMEM;
		row = *child;
		tree->nodes[row].total_ns += total_ns;
		tree->nodes[row].self_ns += end->self_ns;
		tree->nodes[row].calls += end->calls;
	}
	return 0;
}

int tui_tree_of_callers(struct tui_tree *tree, const struct stacks *stacks, uint32_t name)
{
	uint64_t *total_ns = calloc(stacks->count + 1, sizeof(*total_ns));
	struct map64 children = { 0 };
	int error = total_ns ? 0 : -ENOMEM;

	*tree = (struct tui_tree){ 0 };
	add(tree, 0, 0);
	if (!tree->count)
		error = -ENOMEM;
	for (uint32_t i = error ? 0 : stacks->count; i-- > 1;) {
		total_ns[i] += stacks->nodes[i].self_ns;
		total_ns[stacks->nodes[i].parent] += total_ns[i];
	}
	for (uint32_t i = 1; i < stacks->count && !error; i++)
		if (stacks->nodes[i].name == name)
			error = add_path(tree, &children, stacks, i, total_ns[i]);
	map64_free(&children);
	free(total_ns);
	return error ? error : finish(tree);
}

void tui_tree_free(struct tui_tree *tree)
{
	free(tree->nodes);
	free(tree->first);
	free(tree->order);
	free(tree->preorder);
	free(tree->place_of);
	free(tree->visible);
	*tree = (struct tui_tree){ 0 };
}

void tui_tree_show(struct tui_tree *tree)
{
	/* The part of visible[] that is not filled yet holds the nodes that wait, from its end on. */
	uint32_t *list = tree->visible, room = tree->count, waiting = room;

	tree->visible_count = 0;
	for (uint32_t i = tree->first[1]; i-- > tree->first[0];)
		list[--waiting] = tree->order[i];
	while (waiting < room) {
		uint32_t node = list[waiting++];

		list[tree->visible_count++] = node;
		for (uint32_t i = tree->first[node + 1]; tree->nodes[node].open && i-- > tree->first[node];)
			list[--waiting] = tree->order[i];
	}
}

uint32_t tui_tree_reveal(struct tui_tree *tree, uint32_t node)
{
	for (uint32_t above = tree->nodes[node].parent; above; above = tree->nodes[above].parent)
		tree->nodes[above].open = true;
	tui_tree_show(tree);
	for (uint32_t i = 0; i < tree->visible_count; i++)
		if (tree->visible[i] == node)
			return i;
	return 0;
}

void tui_tree_open_largest(struct tui_tree *tree, uint32_t node)
{
	for (; !tui_tree_is_leaf(tree, node); node = tree->order[tree->first[node]])
		tree->nodes[node].open = true;
	tui_tree_show(tree);
}
