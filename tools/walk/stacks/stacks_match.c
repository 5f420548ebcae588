/* SPDX-License-Identifier: MIT */
/* stacks_match.c - finds the call paths of one tree in another one, also if a library was renamed. */
#include "walk/stacks/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"

static void no_memory(void)
{
	message("out of memory for the call paths");
	exit(SPOOR_EXIT_BAD_TRACE);
}

static int compare_pairs(const void *left, const void *right)
{
	const struct name_pair *a = *(const struct name_pair *const *)left, *b = *(const struct name_pair *const *)right;
	int order = strcmp(a->function, b->function);

	return order ? order : strcmp(a->library, b->library);
}

/* Returns the names in libraries that @other does not have, sorted. */
static const struct name_pair **foreign_pairs(const struct name_table *names, const struct name_table *other,
					      uint32_t *count)
{
	const struct name_pair **pairs = calloc(names->count + 1, sizeof(*pairs));
	struct name_table libraries = { 0 };
	uint32_t others = 0;

	*count = 0;
	for (uint32_t i = 1; i < other->count; i++) {
		uint32_t library = name_table_add(&libraries, other->list[i].library, "");

		if (!library)
			no_memory();
		others = library > others ? library : others;
	}
	for (uint32_t i = 1; i < names->count; i++) {
		uint32_t library = name_table_add(&libraries, names->list[i].library, "");

		if (!pairs || !library)
			no_memory();
		if (library > others)
			pairs[(*count)++] = &names->list[i];
	}
	name_table_free(&libraries);
	if (*count)
		qsort(pairs, *count, sizeof(*pairs), compare_pairs);
	return pairs;
}

/* A library that only one of the two trees has may have been renamed. Returns names by name of @other; 0: none. */
static uint32_t *match_renamed(const struct name_table *names, const struct name_table *other)
{
	uint32_t *renamed = calloc(other->count + 1, sizeof(*renamed)), counts[2];
	const struct name_pair **ours = foreign_pairs(names, other, &counts[0]);
	const struct name_pair **theirs = foreign_pairs(other, names, &counts[1]);

	if (!renamed)
		no_memory();
	for (uint32_t i = 0, j = 0; i < counts[0] && j < counts[1];) {
		int order = strcmp(ours[i]->function, theirs[j]->function);

		if (order == 0)
			renamed[theirs[j] - other->list] = (uint32_t)(ours[i] - names->list);
		i += order <= 0;
		j += order >= 0;
	}
	free(ours);
	free(theirs);
	return renamed;
}

uint32_t *stacks_match(struct stacks *stacks, const struct stacks *other)
{
	uint32_t *nodes = calloc(other->count + 1, sizeof(*nodes)), *renamed = match_renamed(&stacks->names, &other->names);

	if (!nodes)
		no_memory();
	stacks_begin(stacks);
	for (uint32_t i = 1; i < other->count; i++) {
		uint32_t name = other->nodes[i].name, ours = renamed[name];
		const struct name_pair *pair = ours ? &stacks->names.list[ours] : &other->names.list[name];

		nodes[i] = stacks_child(stacks, nodes[other->nodes[i].parent], pair->function, pair->library);
	}
	free(renamed);
	return nodes;
}
