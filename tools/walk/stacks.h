/* SPDX-License-Identifier: MIT */
/*
 * stacks.h - the calls of a trace as a tree of call paths: how often each path was
 * taken, and the time at its end.
 *
 * Paths of all threads and processes are one tree. It takes memory for each
 * path that there is, and none for each call.
 *
 * Invariants
 *   I1  a node's parent stands before it; node 0 is the root, above all first calls.
 */
#ifndef SPOOR_TOOLS_STACKS_H
#define SPOOR_TOOLS_STACKS_H

#include "base/name_table.h"
#include "walk/walk.h"

#define STACKS_NAMED 0x80000000u

struct stack_node {
	uint32_t parent;
	uint32_t name;		/* in the name table; 0 for the root */
	uint32_t latest;	/* the child that was called last; 0: none */
	uint32_t depth;		/* the root's is 0 */
	uint64_t calls, self_ns;
};

struct stacks {
	struct name_table names;
	struct stack_node *nodes;
	uint32_t count, capacity;
	struct map64 children;		/* parent and name to node */
	uint32_t *path;			/* the open calls' nodes, the root first */
	size_t path_capacity;
	uint64_t losses;		/* places where events are missing */
	bool by_thread;			/* to be set: a thread's name stands above its calls */
	uint32_t depth_max;		/* to be set, or 0: what is deeper is one path, "[deeper]" */
	const char *patterns;		/* to be set, or null: of functions to be marked */
	bool *marked;			/* by name */
	uint32_t marked_capacity;
	bool wants_places;		/* to be set: where in its source each function is */
	struct symbol_place *places;	/* by name, of the first function of that name */
	uint32_t place_capacity;

	struct functions *functions;	/* of the process at hand */
	bool is_part;			/* of another one: nodes' names are functions' numbers, or with
					 * STACKS_NAMED in the name table */
	uint32_t *name_of;		/* by function number */
	uint32_t name_of_count;

	/* Of a part. */
	uint32_t *piece_counts;		/* how many nodes it had at the end of each of its pieces */
	size_t pieces, pieces_merged;
	uint32_t *merged;		/* the whole's node for each of the first of its nodes */
	uint32_t merged_count;
};

/*
 * stacks_read - adds a trace to the tree.
 * @stacks: zeroed the first time, but for what is to be set
 *
 * Return: an enum spoor_exit, after a message. Ends the process where there is no memory.
 */
int stacks_read(struct stacks *stacks, const struct walk_choice *choice);

/* Whether there is something to show after stacks_read has said @status: all, or what could be saved of a damaged trace. */
static inline bool stacks_hold_any(const struct stacks *stacks, int status)
{
	return stacks->count > (status ? 1u : 0u);
}

/*
 * What stacks_read is made of, for another walk over the calls: stacks_begin makes the root, the
 * others are for a walk_sink whose context is the stacks. After stacks_enter the call's node is
 * path[depth + 1].
 */
void stacks_begin(struct stacks *stacks);
int stacks_process_begin(void *context, struct process *process, struct functions *functions);
int stacks_thread_begin(void *context, const struct thread_slices *thread);
void stacks_enter(void *context, const struct call *call, size_t depth);

/* Where a function is in its source; where that is not known, or was not asked for, there is no path. */
static inline struct symbol_place stacks_place(const struct stacks *stacks, uint32_t name)
{
	return name < stacks->place_capacity ? stacks->places[name] : (struct symbol_place){ 0 };
}

/* The node of a function below another one, a new one or not. */
uint32_t stacks_child(struct stacks *stacks, uint32_t parent, const char *function, const char *library);

/*
 * stacks_match - finds the paths of another tree in this one, where those that it has
 * not get nodes without calls. Of libraries that only one of the two has functions are
 * found by their own names, as diff.h does.
 *
 * Return: for each node of @other its node here; to be freed by the caller.
 */
uint32_t *stacks_match(struct stacks *stacks, const struct stacks *other);
void stacks_free(struct stacks *stacks);

#endif
