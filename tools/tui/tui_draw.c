/* SPDX-License-Identifier: MIT */
/* tui_draw.c - draws the screen of spoor tui. */
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/elided.h"
#include "base/output.h"
#include "tui/tui.h"
#include "walk/table/columns.h"

#define SOURCE_LINES 8	/* with the title of the pane */
#define KEYS "t tree  f functions  c callers  / search  n next  s source  Enter open  * hottest  o order  q quit"
#define NUMBERS_WIDTH 47

enum { COLOR_MUCH = 1, COLOR_SOME };

static const char *const order_names[] = { "self", "total", "calls" };

static void put_title(struct tui *tui, int width)
{
	char text[512];

	if (tui->view == TUI_TREE)
		snprintf(text, sizeof(text), "spoor  %s  tree", tui->trace_path);
	else if (tui->view == TUI_FUNCTIONS)
		snprintf(text, sizeof(text), "spoor  %s  functions by %s", tui->trace_path, order_names[tui->order]);
	else
		snprintf(text, sizeof(text), "spoor  %s  callers of %s", tui->trace_path,
			 tui->stacks.names.list[tui->callers_of].function);
	attron(A_REVERSE);
	mvprintw(0, 0, "%-*.*s", width, width, text);
	attroff(A_REVERSE);
	attron(A_BOLD);
	mvprintw(1, 0, "%.*s", width, "TOTAL%       TOTAL        SELF          CALLS  FUNCTION");
	attroff(A_BOLD);
}

static void put_numbers(struct tui *tui, int y, uint64_t total_ns, uint64_t self_ns, uint64_t calls)
{
	uint64_t whole = tui->graph.functions[0].total_ns;
	uint64_t share = whole ? (uint64_t)((double)total_ns / (double)whole * 10000 + 0.5) : 0;
	char percent[24], times[2][OUTPUT_DURATION_MAX + 1], count[OUTPUT_GROUPED_MAX + 1];
	int color = !has_colors() ? 0 : share >= 1000 ? COLOR_MUCH : share >= 100 ? COLOR_SOME : 0;

	*output_duration_at(times[0], total_ns) = '\0';
	*output_duration_at(times[1], self_ns) = '\0';
	count[output_grouped_at(count, calls)] = '\0';
	if (color)
		attron(COLOR_PAIR(color));
	mvprintw(y, 0, "%6s", report_percent_text(share, percent));
	if (color)
		attroff(COLOR_PAIR(color));
	printw("  %10s  %10s  %13s  ", times[0], times[1], count);
}

static void put_row(struct tui *tui, int y, uint32_t line, int width)
{
	struct tui_tree *tree = tui_current_tree(tui);
	uint32_t name = tui_name_at(tui, line), indent = 0;
	const struct name_pair *pair = &tui->stacks.names.list[name];
	char text[ELIDED_MAX + 1];
	const char *mark = "";
	size_t room;

	if (line == tui->selected[tui->view])
		attron(A_STANDOUT);
	if (tree) {
		const struct tui_node *node = &tree->nodes[tree->visible[line]];

		put_numbers(tui, y, node->total_ns, node->self_ns, node->calls);
		mark = tui_tree_is_leaf(tree, tree->visible[line]) ? "  " : node->open ? "- " : "+ ";
		indent = 2 * (node->depth - 1);
	} else {
		const struct call_graph_function *function = &tui->graph.functions[name];

		put_numbers(tui, y, function->total_ns, function->self_ns, function->calls);
	}
	room = width > NUMBERS_WIDTH + 16 ? (size_t)(width - NUMBERS_WIDTH) : 16;
	/* A deep row keeps half of the room for its name. */
	indent = indent < room / 2 ? indent : (uint32_t)(room / 2);
	room -= indent + strlen(mark);
	elide(pair->function, room, 0, text);
	printw("%*s%s%s", (int)indent, "", mark, text);
	if (*pair->library && strlen(text) + strlen(pair->library) + 4 <= room)
		printw("  (%s)", pair->library);
	attroff(A_STANDOUT);
}

/* Shows the place of the chosen function, and the lines around it if the source is there. */
static void put_source(struct tui *tui, int y, int width)
{
	uint32_t name = tui_name_at(tui, tui->selected[tui->view]);
	struct symbol_place place = stacks_place(&tui->stacks, name);
	FILE *file = place.path ? fopen(place.path, "re") : NULL;
	uint32_t first = place.line > 2 ? place.line - 2 : 1;
	char title[512], *text = NULL;
	size_t size = 0;

	if (!place.path)
		snprintf(title, sizeof(title), "no source is known: compile with -g");
	else
		snprintf(title, sizeof(title), "%s:%u%s", place.path, place.line, file ? "" : "  (the file is not here)");
	attron(A_REVERSE);
	mvprintw(y, 0, "%-*.*s", width, width, title);
	attroff(A_REVERSE);
	for (uint32_t line = 1; file && line < first + SOURCE_LINES - 1 && getline(&text, &size, file) > 0; line++) {
		if (line < first)
			continue;
		text[strcspn(text, "\r\n")] = '\0';
		for (char *at = text; *at; at++)
			*at = *at == '\t' ? ' ' : *at;
		if (line == place.line)
			attron(A_BOLD);
		mvprintw(y + 1 + (int)(line - first), 0, "%6u  %.*s", line, width > 8 ? width - 8 : 0, text);
		attroff(A_BOLD);
	}
	free(text);
	if (file)
		fclose(file);
}

static void put_status(struct tui *tui, int y, int width)
{
	char text[512];

	if (tui->is_typing)
		snprintf(text, sizeof(text), "search: %s", tui->search);
	else
		snprintf(text, sizeof(text), "%s", *tui->status ? tui->status : KEYS);
	attron(A_REVERSE);
	mvprintw(y, 0, "%-*.*s", width - 1, width - 1, text);
	attroff(A_REVERSE);
}

void tui_draw(struct tui *tui)
{
	int height, width;
	uint32_t count = tui_line_count(tui), *top = &tui->top[tui->view], selected = tui->selected[tui->view];
	bool has_source;

	getmaxyx(stdscr, height, width);
	if (!has_colors() || start_color() == ERR)
		;
	else if (use_default_colors() == OK) {
		init_pair(COLOR_MUCH, COLOR_RED, -1);
		init_pair(COLOR_SOME, COLOR_YELLOW, -1);
	}
	erase();
	has_source = tui->shows_source && height > SOURCE_LINES + 6;
	tui->page = height > 3 ? (uint32_t)(height - 3 - (has_source ? SOURCE_LINES : 0)) : 1;
	if (selected < *top)
		*top = selected;
	if (selected >= *top + tui->page)
		*top = selected - tui->page + 1;
	put_title(tui, width);
	for (uint32_t i = 0; i < tui->page && *top + i < count; i++)
		put_row(tui, (int)i + 2, *top + i, width);
	if (has_source)
		put_source(tui, height - 1 - SOURCE_LINES, width);
	put_status(tui, height - 1, width);
	refresh();
}
