/* SPDX-License-Identifier: MIT */
/* tui_keys.c - what the keys of spoor tui do. */
#include "tui/tui.h"

#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ESCAPE 27

uint32_t tui_line_count(struct tui *tui)
{
	struct tui_tree *tree = tui_current_tree(tui);

	return tree ? tree->visible_count : tui->function_count;
}

uint32_t tui_name_at(struct tui *tui, uint32_t line)
{
	struct tui_tree *tree = tui_current_tree(tui);

	if (line >= tui_line_count(tui))
		return 0;
	return tree ? tree->nodes[tree->visible[line]].name : tui->functions[line];
}

static const struct tui *sorted;	/* for compare; there is one thread */

static int compare(const void *left, const void *right)
{
	const struct call_graph_function *a = &sorted->graph.functions[*(const uint32_t *)left];
	const struct call_graph_function *b = &sorted->graph.functions[*(const uint32_t *)right];
	uint64_t keys[2][3] = { { a->self_ns, a->total_ns, a->calls }, { b->self_ns, b->total_ns, b->calls } };

	for (unsigned int i = 0; i < TUI_ORDERS; i++) {
		unsigned int at = ((unsigned int)sorted->order + i) % TUI_ORDERS;

		if (keys[0][at] != keys[1][at])
			return keys[0][at] > keys[1][at] ? -1 : 1;
	}
	return *(const uint32_t *)left < *(const uint32_t *)right ? -1 : 1;
}

void tui_sort(struct tui *tui)
{
	sorted = tui;
	qsort(tui->functions, tui->function_count, sizeof(*tui->functions), compare);
}

static void select_line(struct tui *tui, int64_t line)
{
	int64_t last = (int64_t)tui_line_count(tui) - 1;

	line = line > last ? last : line;
	tui->selected[tui->view] = line > 0 ? (uint32_t)line : 0;
}

static void show_callers(struct tui *tui)
{
	uint32_t name = tui_name_at(tui, tui->selected[tui->view]);

	if (!name || (tui->view == TUI_CALLERS && name == tui->callers_of))
		return;
	tui_tree_free(&tui->callers);
	if (tui_tree_of_callers(&tui->callers, &tui->stacks, name) < 0) {
		tui_tree_free(&tui->callers);
		tui->callers_of = 0;
		snprintf(tui->status, sizeof(tui->status), "out of memory for the callers");
		return;
	}
	tui->callers_of = name;
	if (tui->callers.count > 1) {
		tui->callers.nodes[1].open = true;
		tui_tree_show(&tui->callers);
	}
	tui->view = TUI_CALLERS;
	tui->selected[TUI_CALLERS] = tui->top[TUI_CALLERS] = 0;
}

static void open_or_close(struct tui *tui, bool open, bool toggles)
{
	struct tui_tree *tree = tui_current_tree(tui);
	uint32_t node, line = tui->selected[tui->view];

	if (!tree || line >= tree->visible_count)
		return;
	node = tree->visible[line];
	if (toggles)
		open = !tree->nodes[node].open;
	if (!open && (!tree->nodes[node].open || tui_tree_is_leaf(tree, node)) && tree->nodes[node].parent) {
		select_line(tui, tui_tree_reveal(tree, tree->nodes[node].parent));
		return;
	}
	tree->nodes[node].open = open && !tui_tree_is_leaf(tree, node);
	tui_tree_show(tree);
}

static bool matches(const struct tui *tui, uint32_t name)
{
	return name && strcasestr(tui->stacks.names.list[name].function, tui->search);
}

/* Selects the next line whose function matches, also in branches that are closed. */
static void find_next(struct tui *tui)
{
	struct tui_tree *tree = tui_current_tree(tui);
	uint32_t line = tui->selected[tui->view], count = tree ? tree->count : tui->function_count, place;

	if (!*tui->search || !tui_line_count(tui))
		return;
	place = tree ? tree->place_of[tree->visible[line]] : line;
	for (uint32_t i = 1; i <= count; i++) {
		uint32_t at = (place + i) % count;

		if (!matches(tui, tree ? tree->nodes[tree->preorder[at]].name : tui->functions[at]))
			continue;
		select_line(tui, tree ? tui_tree_reveal(tree, tree->preorder[at]) : at);
		if (place + i >= count)
			snprintf(tui->status, sizeof(tui->status), "the search continues at the top");
		return;
	}
	snprintf(tui->status, sizeof(tui->status), "no function has '%.100s' in its name", tui->search);
}

/* Takes a key of the text to search for. */
static void type(struct tui *tui, int key)
{
	size_t length = strlen(tui->search);

	if (key == '\n' || key == '\r' || key == KEY_ENTER) {
		tui->is_typing = false;
		find_next(tui);
	} else if (key == ESCAPE) {
		tui->is_typing = false;
		tui->search[0] = '\0';
	} else if ((key == KEY_BACKSPACE || key == 127 || key == '\b') && length) {
		tui->search[length - 1] = '\0';
	} else if (key >= ' ' && key < 256 && key != 127 && length + 1 < sizeof(tui->search)) {
		tui->search[length] = (char)key;
		tui->search[length + 1] = '\0';
	}
}

static void move_selection(struct tui *tui, int key)
{
	int64_t line = tui->selected[tui->view], page = tui->page ? tui->page : 1;

	switch (key) {
	case KEY_UP: case 'k': line--; break;
	case KEY_DOWN: case 'j': line++; break;
	case KEY_PPAGE: line -= page; break;
	case KEY_NPAGE: line += page; break;
	case KEY_HOME: case 'g': line = 0; break;
	case KEY_END: case 'G': line = UINT32_MAX; break;
	}
	select_line(tui, line);
}

void tui_key(struct tui *tui, int key)
{
	struct tui_tree *tree = tui_current_tree(tui);

	tui->status[0] = '\0';
	if (tui->is_typing) {
		type(tui, key);
		return;
	}
	switch (key) {
	case 'q':
		tui->ended = true;
		break;
	case 't':
		tui->view = TUI_TREE;
		break;
	case 'f':
		tui->view = TUI_FUNCTIONS;
		break;
	case 'c':
		show_callers(tui);
		break;
	case 's':
		tui->shows_source = !tui->shows_source;
		break;
	case 'o':
		tui->order = (tui->order + 1) % TUI_ORDERS;
		tui_sort(tui);
		break;
	case '/':
		tui->is_typing = true;
		tui->search[0] = '\0';
		break;
	case 'n':
		find_next(tui);
		break;
	case '*':
		if (tree && tree->visible_count)
			tui_tree_open_largest(tree, tree->visible[tui->selected[tui->view]]);
		break;
	case '\n': case '\r': case KEY_ENTER: case ' ':
		open_or_close(tui, true, true);
		break;
	case KEY_RIGHT: case 'l':
		open_or_close(tui, true, false);
		break;
	case KEY_LEFT: case 'h':
		open_or_close(tui, false, false);
		break;
	default:
		move_selection(tui, key);
	}
}
