/* SPDX-License-Identifier: MIT */
/* folded_stacks.c - writes call paths as folded stacks. */
#include "walk/stacks/folded_stacks.h"

#include <errno.h>
#include <stdlib.h>

/* Writes a frame's name, and replaces separators and line ends in it. */
static void write_frame(struct output *out, const char *name)
{
	for (; *name; name++)
		output_char(out, *name == ';' ? ':' : (unsigned char)*name < ' ' ? '?' : *name);
}

void stacks_write_path(struct output *out, const struct stacks *stacks, uint32_t *path, uint32_t node)
{
	uint32_t depth = 0;

	for (; node; node = stacks->nodes[node].parent)
		path[depth++] = node;
	while (depth > 0) {
		write_frame(out, stacks->names.list[stacks->nodes[path[--depth]].name].function);
		if (depth)
			output_char(out, ';');
	}
}

void stacks_write_folded(struct output *out, const struct stacks *stacks, const uint64_t *own, const uint64_t *before)
{
	uint32_t deepest = 0, *path;

	for (uint32_t i = 0; i < stacks->count; i++)
		deepest = stacks->nodes[i].depth > deepest ? stacks->nodes[i].depth : deepest;
	path = calloc(deepest + 1, sizeof(*path));
	if (!path) {
		out->error = -ENOMEM;
		return;
	}
	for (uint32_t i = 1; i < stacks->count && !output_failed(out); i++) {
		uint64_t value = own ? own[i] : stacks->nodes[i].self_ns;

		if (!value && !(before && before[i]))
			continue;
		stacks_write_path(out, stacks, path, i);
		output_char(out, ' ');
		if (before) {
			output_number(out, before[i]);
			output_char(out, ' ');
		}
		output_number(out, value);
		output_char(out, '\n');
	}
	free(path);
}
