/* SPDX-License-Identifier: MIT */
/* tree.h - what spoor tree writes, and its two formats. */
#ifndef SPOOR_TOOLS_TREE_H
#define SPOOR_TOOLS_TREE_H

#include "base/output.h"
#include "tree/tree_rows.h"

struct tree {
	struct output out;
	struct stacks stacks;
	struct tree_look look;
	struct tree_rows rows;
	const char *threshold;	/* as the user wrote it */
	size_t width;		/* characters in a line of text; 0: no limit */
	bool colored;
};

/* Writes one line for each row, indented by its depth, and notes about rows that are not shown. */
void tree_text(struct tree *tree);

/* Writes one object, which holds the rows in one flat array. */
void tree_json(struct tree *tree);

#endif
