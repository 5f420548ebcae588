/* SPDX-License-Identifier: MIT */
/*
 * stacks.h - collects the calls of a trace in a tree of call paths: how often each path was taken, and
 * the time at its end.
 *
 * The paths of all threads and processes form one tree. It needs memory for each path, and none for
 * each call.
 *
 * Invariants
 *   I1  A node comes after its parent. Node 0 is the root, above all first calls.
 */
#ifndef SPOOR_TOOLS_STACKS_H
#define SPOOR_TOOLS_STACKS_H

#include "base/name_table.h"
#include "reader/sched/thread_sched.h"
#include "walk/walk.h"

#define STACKS_NAMED 0x80000000u

/* Which part of the time self_ns is. All but the first need a trace of `spoor record --sched`. STACKS_CPU is also known of
 * functions that `spoor record --cpu-time` chose. */
enum stacks_time { STACKS_WALL, STACKS_CPU, STACKS_WAIT, STACKS_PREEMPTED };

struct stack_node {
	uint32_t parent;
	uint32_t name;		/* in the name table; 0 for the root */
	uint32_t latest;	/* the child that was called last; 0: none */
	uint32_t depth;		/* 0 for the root */
	uint64_t calls, self_ns;
};

/* When threads ran and waited, of `spoor record --sched`. */
struct stack_spent {
	uint64_t cpu_ns, wait_ns;
};

static inline void stack_spent_add(struct stack_spent *sum, const struct stack_spent *more)
{
	sum->cpu_ns += more->cpu_ns;
	sum->wait_ns += more->wait_ns;
}

/* The processor times that `spoor record --cpu-time` stored with calls. */
struct stack_stored {
	uint64_t cpu_ns, of_ns;		/* of these calls, with their callees; how long the calls took */
	bool any;
};

static inline void stack_stored_add(struct stack_stored *sum, const struct stack_stored *more)
{
	sum->cpu_ns += more->cpu_ns;
	sum->of_ns += more->of_ns;
	sum->any |= more->any;
}

/* Returns whether calls that took @total_ns together all have a stored time. */
static inline bool stack_stored_is_whole(const struct stack_stored *stored, uint64_t total_ns)
{
	return stored->any && stored->of_ns == total_ns;
}

struct stacks {
	struct name_table names;
	struct stack_node *nodes;
	uint32_t count, capacity;
	struct map64 children;		/* node by parent and name */
	uint32_t *path;			/* nodes of the open calls, from the root on */
	size_t path_capacity;
	uint64_t losses;		/* places where events are missing */
	enum stacks_time time;		/* set by the caller */
	bool wants_spent;		/* set by the caller: find also when threads ran and waited */
	struct stack_spent *spent;	/* by node, without callees, if that is wanted */
	bool wants_stored;		/* set by the caller: find also stored processor times */
	struct stack_stored *stored;	/* by node; null: none is wanted, or none is in the trace */
	uint32_t stored_capacity;
	struct thread_sched sched;	/* of the current thread */
	uint64_t threads_unknown;	/* threads of which it is not known when they ran */
	bool thread_is_unknown;		/* the current thread is one of them */
	uint64_t cpu_times_missing;	/* calls with the processor time of their entry only */
	char *program;			/* name of the first process; null: unknown */
	bool by_thread;			/* set by the caller: shows the thread's name above its calls */
	uint32_t depth_max;		/* set by the caller, or 0: deeper calls form one path, "[deeper]" */
	const char *patterns;		/* set by the caller, or null: marks functions that match */
	bool *marked;			/* by name */
	uint32_t marked_capacity;
	bool short_names;		/* set by the caller: for people, not for programs */
	bool wants_long_names;		/* set by the caller: find the whole names of functions too */
	char **long_names;		/* by name, of the first function with that name; null: unknown */
	uint32_t long_name_capacity;
	bool wants_places;		/* set by the caller: find the source places of functions */
	struct symbol_place *places;	/* by name, of the first function with that name */
	uint32_t place_capacity;

	struct functions *functions;	/* of the current process */
	bool is_part;			/* a part: its nodes' names are function numbers, or
					 * with STACKS_NAMED numbers in the name table */
	uint32_t *name_of;		/* by function number */
	uint32_t name_of_count;

	/* Of a part. */
	uint32_t *piece_counts;		/* number of nodes at the end of each piece */
	size_t pieces, pieces_merged;
	uint32_t *merged;		/* the whole tree's node for each of its first nodes */
	uint32_t merged_count;
};

/*
 * stacks_read - adds a trace to the tree.
 * @stacks: zeroed the first time, except for the caller's settings
 *
 * Returns an enum spoor_exit, after a message. Ends the process if memory runs out.
 */
int stacks_read(struct stacks *stacks, const struct walk_choice *choice);

/* Returns whether there is something to show after stacks_read returned @status: the whole trace, or the readable
 * rest of a damaged one. */
static inline bool stacks_hold_any(const struct stacks *stacks, int status)
{
	return stacks->count > (status ? 1u : 0u);
}

/*
 * The steps of stacks_read, for another walk over the calls. stacks_begin makes the root; the others
 * are for a walk_sink whose context is the stacks. After stacks_enter the node of the call is
 * path[depth + 1].
 */
void stacks_begin(struct stacks *stacks);
int stacks_process_begin(void *context, struct process *process, struct functions *functions);
int stacks_thread_begin(void *context, const struct thread_slices *thread);
void stacks_enter(void *context, const struct call *call, size_t depth);

/* Returns the stored times of a node, which are empty if there are none. */
static inline struct stack_stored stacks_stored(const struct stacks *stacks, uint32_t node)
{
	return node < stacks->stored_capacity ? stacks->stored[node] : (struct stack_stored){ 0 };
}

/* Returns the source place of a function. The path is null if the place is unknown or was not requested. */
static inline struct symbol_place stacks_place(const struct stacks *stacks, uint32_t name)
{
	return name < stacks->place_capacity ? stacks->places[name] : (struct symbol_place){ 0 };
}

/* Returns the whole name of a function, or its name in the table if the whole name was not requested. */
static inline const char *stacks_long_name(const struct stacks *stacks, uint32_t name)
{
	return name < stacks->long_name_capacity && stacks->long_names[name] ? stacks->long_names[name] :
	       stacks->names.list[name].function;
}

/* Returns the node of a function below another node, and adds it if necessary. */
uint32_t stacks_child(struct stacks *stacks, uint32_t parent, const char *function, const char *library);

/*
 * stacks_match - finds the paths of another tree in this one, and adds paths that are missing here,
 * without calls. Finds functions of a library that only one of the trees has by their own names, as
 * diff.h does.
 *
 * Returns for each node of @other its node here. The caller frees the array.
 */
uint32_t *stacks_match(struct stacks *stacks, const struct stacks *other);
void stacks_free(struct stacks *stacks);

#endif
