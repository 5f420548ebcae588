/* SPDX-License-Identifier: MIT */
/* tui.h - the state of spoor tui, and its two halves: the keys and the screen. */
#ifndef SPOOR_TOOLS_TUI_H
#define SPOOR_TOOLS_TUI_H

#include "tui/tui_tree.h"
#include "walk/call_graph.h"

enum tui_view { TUI_TREE, TUI_FUNCTIONS, TUI_CALLERS, TUI_VIEWS };
enum tui_order { TUI_BY_SELF, TUI_BY_TOTAL, TUI_BY_CALLS, TUI_ORDERS };

struct tui {
	const char *trace_path;
	struct stacks stacks;
	struct call_graph graph;
	struct tui_tree callees, callers;
	uint32_t callers_of;		/* name whose callers are shown; 0: none yet */
	uint32_t *functions;		/* names, in the order of the table */
	uint32_t function_count;
	enum tui_order order;

	enum tui_view view;
	uint32_t selected[TUI_VIEWS], top[TUI_VIEWS];	/* lines of each view */
	uint32_t page;			/* lines of the list on the screen */
	bool shows_source, is_typing;
	char search[128];
	char status[256];		/* of the last key */
	bool ended;
};

/* The tree of the current view; null for the table. */
static inline struct tui_tree *tui_current_tree(struct tui *tui)
{
	return tui->view == TUI_TREE ? &tui->callees : tui->view == TUI_CALLERS ? &tui->callers : NULL;
}

/* Returns the number of lines in the current view, and the name of the function on a line; 0: there is none. */
uint32_t tui_line_count(struct tui *tui);
uint32_t tui_name_at(struct tui *tui, uint32_t line);

/* Does what the key says: a character, or KEY_UP and the like of ncurses. */
void tui_key(struct tui *tui, int key);

/* Sorts the table. */
void tui_sort(struct tui *tui);

/* Draws the screen. */
void tui_draw(struct tui *tui);

#endif
