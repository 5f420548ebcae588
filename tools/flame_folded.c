/* SPDX-License-Identifier: MIT */
/* flame_folded.c - call paths as folded stacks. */
#include "flame.h"

#include <stdlib.h>

/* A frame, in which neither the separator nor a line's end may stand. */
static void write_frame(struct output *out, const char *name)
{
	for (; *name; name++)
		output_char(out, *name == ';' ? ':' : (unsigned char)*name < ' ' ? '?' : *name);
}

static void write_path(struct flame *flame, uint32_t *path, uint32_t node)
{
	const struct stacks *stacks = &flame->stacks;
	uint32_t depth = 0;

	for (; node; node = stacks->nodes[node].parent)
		path[depth++] = node;
	while (depth > 0) {
		write_frame(&flame->out, stacks->names.list[stacks->nodes[path[--depth]].name].function);
		output_char(&flame->out, depth ? ';' : ' ');
	}
}

void flame_folded(struct flame *flame)
{
	const struct stacks *stacks = &flame->stacks;
	uint32_t deepest = 0, *path;

	for (uint32_t i = 0; i < stacks->count; i++)
		deepest = stacks->nodes[i].depth > deepest ? stacks->nodes[i].depth : deepest;
	path = calloc(deepest + 1, sizeof(*path));
	if (!path) {
		flame->out.error = -ENOMEM;
		return;
	}
	for (uint32_t i = 1; i < stacks->count && !output_failed(&flame->out); i++) {
		if (!flame->own[i] && !(flame->own_before && flame->own_before[i]))
			continue;
		write_path(flame, path, i);
		if (flame->own_before) {
			output_number(&flame->out, flame->own_before[i]);
			output_char(&flame->out, ' ');
		}
		output_number(&flame->out, flame->own[i]);
		output_char(&flame->out, '\n');
	}
	free(path);
}
