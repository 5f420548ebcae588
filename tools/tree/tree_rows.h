/* SPDX-License-Identifier: MIT */
/*
 * tree_rows.h - the rows of spoor tree: call paths with their callees below them, or functions with
 * their callers below them.
 *
 * Invariants
 *   I1  A row comes after its parent and before its parent's next sibling.
 *   I2  The value of a row (tree_row_value) is at most its parent's.
 *   I3  Siblings are sorted: the largest value comes first.
 */
#ifndef SPOOR_TOOLS_TREE_ROWS_H
#define SPOOR_TOOLS_TREE_ROWS_H

#include "walk/stacks/stacks.h"

#define TREE_NO_ROW UINT32_MAX

struct tree_look {
	bool callers;		/* callers below functions, not callees */
	uint32_t depth_max;	/* number of levels; 0: all */
	uint32_t limit;		/* number of rows; 0: all */
	double least_percent;	/* rows with a smaller share are hidden, with all rows below them */
	uint64_t least_ns;	/* the same for rows with a smaller value */
};

struct tree_row {
	uint32_t name;		/* in the name table of the stacks */
	uint32_t depth;		/* 0: the first level */
	uint32_t parent;	/* TREE_NO_ROW: none */
	bool is_thread;		/* a thread's name, not a function; it has no calls */
	bool shown;
	uint64_t calls, total_ns, self_ns;
	struct stack_spent spent;	/* of total_ns, if the stacks have it */
	struct stack_stored stored;	/* the same */
	uint64_t whole_ns;	/* the value that counts as 100 % */
};

struct tree_rows {
	struct tree_row *list;
	uint32_t count, capacity;
	uint32_t shown;		/* number of rows that are shown */
	bool by_self;		/* the value that sorts the rows is the self time, not the total time */
	/* Branches that were left out: a row, with all rows below it. */
	uint64_t below_threshold, below_depth;
};

/*
 * tree_rows_make - makes the rows of a tree.
 * @stacks: filled by stacks_read. If it has patterns, the tree begins at the marked functions. If it
 *          has threads, each thread has a tree.
 *
 * A tree of callees begins at the first functions of the threads. At a marked function, it shows the
 * outermost calls and everything below them, merged over all places of the call.
 *
 * A tree of callers has a first row for each function. A row below stands for the calls that arrived
 * on the path from this row up to the first row. The total time of a path counts nested calls on the
 * same path once.
 *
 * Returns 0 or -ENOMEM. Call tree_rows_free in both cases.
 */
int tree_rows_make(struct tree_rows *rows, const struct stacks *stacks, const struct tree_look *look);
void tree_rows_free(struct tree_rows *rows);

/* Returns the value that sorts the rows. */
static inline uint64_t tree_row_value(const struct tree_rows *rows, const struct tree_row *row)
{
	return rows->by_self ? row->self_ns : row->total_ns;
}

/* Returns the share of the row in units of 0.01 %. */
static inline uint64_t tree_row_share(const struct tree_rows *rows, const struct tree_row *row)
{
	return row->whole_ns ? (uint64_t)((double)tree_row_value(rows, row) * 10000 / (double)row->whole_ns + 0.5) : 0;
}

#endif
