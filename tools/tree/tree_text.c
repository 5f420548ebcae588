/* SPDX-License-Identifier: MIT */
/*
 * tree_text.c - writes a tree as text that fits the terminal.
 *
 * Each level is indented by two characters, or by one if the tree is deep. The indentation takes at most
 * half of the room; rows below that begin with their depth, "[57] ". fitted_names.h says how names fit.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tree/tree.h"
#include "walk/fitted_names.h"
#include "walk/lines/line.h"
#include "walk/lines/spent_columns.h"
#include "walk/table/columns.h"

#define LEVELS_MAX 100u		/* of indentation, if the width has no limit */
#define MUCH "\033[31m"		/* 10 % and more */
#define SOME "\033[33m"		/* 1 % and more */

struct layout {
	size_t calls_width;
	size_t room;		/* for indentation, name and library; 0: no limit */
	struct fitted_names names;
	uint32_t step, levels;	/* characters of a level; levels that are indented */
};

static void lay_out(const struct tree *tree, struct layout *layout)
{
	char text[OUTPUT_GROUPED_MAX];
	uint32_t deepest = 0;
	size_t before;

	layout->calls_width = strlen("CALLS");
	for (uint32_t i = 0; i < tree->rows.count; i++) {
		const struct tree_row *row = &tree->rows.list[i];
		size_t width = output_grouped_at(text, row->calls);

		if (!row->shown)
			continue;
		layout->calls_width = width > layout->calls_width ? width : layout->calls_width;
		deepest = row->depth > deepest ? row->depth : deepest;
	}
	layout->step = 2;
	layout->levels = LEVELS_MAX;
	if (!tree->width)
		return;
	before = strlen("TOTAL%") + 2 * (2 + OUTPUT_DURATION_WIDTH) + spent_columns_width(&tree->stacks) + 2 + layout->calls_width + 2;
	layout->room = tree->width > before + 2 * FITTED_NAME_LEAST ? tree->width - before : 2 * FITTED_NAME_LEAST;
	if (deepest * layout->step > layout->room / 2)
		layout->step = 1;
	layout->levels = (uint32_t)(layout->room / 2 / layout->step);
}

static void put_colored(struct tree *tree, const char *color, const char *text)
{
	if (tree->colored && *color)
		output_string(&tree->out, color);
	output_string(&tree->out, text);
	if (tree->colored && *color)
		output_string(&tree->out, REPLAY_PLAIN);
}

/* Tells if the row above this one in the tree is in the same library. */
static bool has_library_of_parent(const struct tree *tree, const struct tree_row *row)
{
	const struct name_pair *names = tree->stacks.names.list;

	return row->parent != TREE_NO_ROW && !strcmp(names[row->name].library, names[tree->rows.list[row->parent].name].library);
}

/* Writes the indentation, the name and, if it is not the library of the parent, the library. */
static void put_name(struct tree *tree, struct layout *layout, const struct tree_row *row)
{
	uint32_t levels = row->depth < layout->levels ? row->depth : layout->levels;
	size_t used = (size_t)levels * layout->step;
	char depth[24] = "", text[ELIDED_MAX + 1];
	const char *name;
	bool has_library;

	if (row->depth > levels)
		snprintf(depth, sizeof(depth), "[%" PRIu32 "] ", row->depth);
	name = fitted_name(&layout->names, row->name, used + strlen(depth), has_library_of_parent(tree, row), text, &has_library);
	output_spaces(&tree->out, used);
	output_string(&tree->out, depth);
	put_colored(tree, REPLAY_NAME, name);
	if (has_library) {
		output_string(&tree->out, "  ");
		if (tree->colored)
			output_string(&tree->out, REPLAY_LIBRARY);
		output_char(&tree->out, '(');
		output_string(&tree->out, tree->stacks.names.list[row->name].library);
		output_char(&tree->out, ')');
		if (tree->colored)
			output_string(&tree->out, REPLAY_PLAIN);
	}
}

static void write_row(struct tree *tree, struct layout *layout, const struct tree_row *row)
{
	uint64_t share = tree_row_share(&tree->rows, row);
	struct output *out = &tree->out;
	char text[24];

	report_percent_text(share, text);
	output_spaces(out, strlen("TOTAL%") - strlen(text));
	put_colored(tree, share >= 1000 ? MUCH : share >= 100 ? SOME : "", text);
	output_spaces(out, 2);
	output_duration(out, row->total_ns);
	output_spaces(out, 2);
	output_duration(out, row->self_ns);
	spent_columns_write(out, &tree->stacks, &row->spent, &row->stored, row->total_ns);
	output_spaces(out, 2);
	if (row->is_thread)
		output_spaces(out, layout->calls_width);
	else
		output_grouped(out, row->calls, (int)layout->calls_width);
	output_spaces(out, 2);
	put_name(tree, layout, row);
	output_char(out, '\n');
}

static void write_note(struct output *out, uint64_t count, const char *one, const char *many)
{
	if (!count)
		return;
	output_string(out, "# ");
	output_grouped(out, count, 0);
	output_string(out, count == 1 ? one : many);
	output_char(out, '\n');
}

static void write_notes(struct tree *tree)
{
	struct output *out = &tree->out;
	char one[120], many[120];

	snprintf(one, sizeof(one), " branch below %.40s is not shown: --threshold", tree->threshold);
	snprintf(many, sizeof(many), " branches below %.40s are not shown: --threshold", tree->threshold);
	write_note(out, tree->rows.below_threshold, one, many);
	write_note(out, tree->rows.below_depth, " row has deeper ones, which are not shown: --depth",
		   " rows have deeper ones, which are not shown: --depth");
	write_note(out, tree->rows.count - tree->rows.shown, " smaller row is not shown: --limit",
		   " smaller rows are not shown: --limit");
	write_note(out, tree->stacks.spent ? tree->stacks.threads_unknown : 0,
		   " thread is not in CPU and WAIT: the trace does not say when it ran",
		   " threads are not in CPU and WAIT: the trace does not say when they ran");
	write_note(out, tree->stacks.cpu_times_missing,
		   " call ended with a tail call or not at all, and has no time in CPU",
		   " calls ended with a tail call or not at all, and have no time in CPU");
	write_note(out, tree->stacks.losses, " place where events are missing: times around it are unreliable",
		   " places where events are missing: times around them are unreliable");
}

void tree_text(struct tree *tree)
{
	struct layout layout = { 0 };

	lay_out(tree, &layout);
	fitted_names_begin(&layout.names, &tree->stacks.names, layout.room);
	output_string(&tree->out, tree->rows.by_self ? " SELF%" : "TOTAL%");
	output_string(&tree->out, "       TOTAL        SELF");
	spent_columns_heading(&tree->out, &tree->stacks);
	output_spaces(&tree->out, 2 + layout.calls_width - strlen("CALLS"));
	output_string(&tree->out, "CALLS  FUNCTION\n");
	for (uint32_t i = 0; i < tree->rows.count && !output_failed(&tree->out); i++)
		if (tree->rows.list[i].shown)
			write_row(tree, &layout, &tree->rows.list[i]);
	write_notes(tree);
	fitted_names_end(&layout.names);
}
