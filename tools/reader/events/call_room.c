/* SPDX-License-Identifier: MIT */
/* call_room.c - manages the memory of a call tree: its open calls, and the numbers of open calls by function and
 * by frame. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/events/call_tree_parts.h"

int call_tree_grow(struct call_tree *tree, size_t depth)
{
	size_t capacity = tree->capacity ? tree->capacity : 64;
	struct call *calls;

	while (capacity < depth)
		capacity *= 2;
	calls = reallocarray(tree->calls, capacity, sizeof(*calls));
	if (!calls)
		return -ENOMEM;
	tree->calls = calls;
	tree->capacity = capacity;
	return 0;
}

int call_tree_make_open(struct call_tree *tree, uint32_t function)
{
	size_t count = tree->open_count ? tree->open_count : 256;
	uint32_t *open;

	if (function < tree->open_count)
		return 0;
	while (count <= function)
		count *= 2;
	open = reallocarray(tree->open, count, sizeof(*open));
	if (!open)
		return -ENOMEM;
	memset(open + tree->open_count, 0, (count - tree->open_count) * sizeof(*open));
	tree->open = open;
	tree->open_count = count;
	return 0;
}

int call_tree_frame_opens(struct call_tree *tree, uint32_t frame)
{
	uint32_t *number = map64_at(&tree->frames, frame);

	if (!number)
		return -ENOMEM;
	*number += *number ? 1 : 2;
	return 0;
}

bool call_tree_has_frame(const struct call_tree *tree, uint32_t frame)
{
	return map64_find(&tree->frames, frame) > 1;
}

int call_tree_count_open(struct call_tree *tree)
{
	for (size_t i = 0; i < tree->depth; i++) {
		if (call_tree_make_open(tree, tree->calls[i].function)) {
			while (i--)
				tree->open[tree->calls[i].function]--;
			return -ENOMEM;
		}
		tree->open[tree->calls[i].function]++;
	}
	tree->counting = true;
	return 0;
}
